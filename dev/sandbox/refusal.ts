/** A request the service refuses: becomes the error envelope with HTTP 400 unless stated otherwise. */
export class Refusal extends Error {
	constructor(
		readonly code: number,
		message: string,
		readonly status = 400,
	) {
		super(message);
		this.name = 'Refusal';
	}
}

/** The service's known refusals (docs/service.md: Errors). */
export const refusals = {
	authorization: () => new Refusal(401, 'Invalid authorization'),
	signature: () => new Refusal(401, 'invalid signature'),
	parameter: (detail: string) => new Refusal(99001, `request parameter error: ${detail}`),
	unknownRegion: (region: string) => new Refusal(10013, `proxy region does not exist: ${region}`),
	notPublished: () => new Refusal(10020, 'bot is not published'),
	incompleteModel: () => new Refusal(10021, 'the model configuration of the agent is incomplete'),
	templateNotFound: () => new Refusal(10110, 'template does not exist'),
	workflowTemplateNotFound: () => new Refusal(10176, 'template does not exist'),
	botNotFound: () => new Refusal(10111, 'bot does not exist'),
	runNotFound: () => new Refusal(10112, 'Task is not exist.'),
	tooManyRuns: () => new Refusal(10118, 'Running tasks number exceeds.'),
	alreadyCompleted: () => new Refusal(10121, 'Task has completed.'),
	notPaused: () => new Refusal(10127, 'only a paused task can be resumed'),
	inputMissing: (detail: string) => new Refusal(10142, `required input is missing: ${detail}`),
	agentInputMissing: (detail: string) =>
		new Refusal(10143, `required input of the agent is missing: ${detail}`),
	agentResume: () => new Refusal(10879, 'runs of an agent bot cannot be resumed'),
	missing: (what: string) => new Refusal(99001, `${what} does not exist`),
	rateLimit: () => new Refusal(429, 'too many requests', 429),
	unknownPath: () => new Refusal(404, 'no such operation', 404),
} as const;
