/** What a refusal means, and what to do about it. */
export interface Explanation {
	what: string;
	advice: string;
}

const WRONG_KEY: Explanation = {
	what: 'The service does not accept the API key',
	advice: 'Open the credential, paste the API key again, and press Retry to test it.',
};

const INPUT_MISSING: Explanation = {
	what: 'A required input is missing',
	advice: 'Open the bot’s input form and fill in every required field.',
};

const TEMPLATE_NOT_FOUND: Explanation = {
	what: 'The template does not exist',
	advice: 'Choose the template again from the list; it may have been withdrawn.',
};

/** The API key or the signature is wrong. */
export const NOT_AUTHORIZED = 401;

/** The API key is right, but may not do this. */
export const NO_PERMISSION = 99002;

/** A parameter is not what the service takes. Nothing was done. */
export const INVALID_PARAMETER = 99001;

/** The run does not exist, or belongs to another company. */
export const RUN_NOT_FOUND = 10112;

/** The plan's limit of running tasks. Nothing was started, so a start may be tried again. */
export const TOO_MANY_RUNNING_TASKS = 10118;

/** The run has already ended, so it cannot be canceled. */
export const TASK_ALREADY_COMPLETED = 10121;

/** Known business codes (docs/service.md: Errors, rule 3). */
export const EXPLANATIONS: ReadonlyMap<number, Explanation> = new Map([
	[NOT_AUTHORIZED, WRONG_KEY],
	[
		INVALID_PARAMETER,
		{
			what: 'The service refused a parameter',
			advice: 'Read the service’s message, then correct the field it names.',
		},
	],
	[
		NO_PERMISSION,
		{
			what: 'The API key has no permission for this',
			advice: 'Use the API key of an account that may do this, or ask its owner for access.',
		},
	],
	[
		10013,
		{
			what: 'The proxy region does not exist',
			advice: 'Choose a region from the list of proxy regions.',
		},
	],
	[
		10020,
		{
			what: 'The bot is not published',
			advice: 'Publish the bot in the service, then start it again.',
		},
	],
	[
		10021,
		{
			what: 'The agent bot’s model configuration is incomplete',
			advice: 'Complete the model settings of the bot in the service.',
		},
	],
	[10110, TEMPLATE_NOT_FOUND],
	[10176, TEMPLATE_NOT_FOUND],
	[
		10111,
		{
			what: 'The bot does not exist',
			advice: 'Choose the bot again from the list, and check that the key belongs to its company.',
		},
	],
	[
		RUN_NOT_FOUND,
		{
			what: 'The run does not exist',
			advice: 'Check the run ID, and that the API key belongs to the company that started the run.',
		},
	],
	[
		TOO_MANY_RUNNING_TASKS,
		{
			what: 'The plan’s limit of running tasks is reached',
			advice: 'Wait until another run has ended, or raise the limit of the plan.',
		},
	],
	[
		TASK_ALREADY_COMPLETED,
		{
			what: 'The run has already ended',
			advice: 'Nothing is left to stop. Read the run to see how it ended.',
		},
	],
	[
		10127,
		{
			what: 'Only a paused run can be resumed',
			advice: 'Read the status of the run first, and resume it only while it is paused.',
		},
	],
	[10142, INPUT_MISSING],
	[10143, INPUT_MISSING],
	[
		10879,
		{
			what: 'Runs of agent bots cannot be resumed',
			advice: 'Start the bot again instead of resuming its run.',
		},
	],
]);

/** Explains a refusal by its business code, or by its HTTP status where the code is not known. */
export function explain(code: number | undefined, httpStatus: number): Explanation {
	const known = code === undefined ? undefined : EXPLANATIONS.get(code);
	if (known !== undefined) return known;
	if (httpStatus === NOT_AUTHORIZED) return WRONG_KEY;
	if (httpStatus === 429) {
		return {
			what: 'The service asks to slow down',
			advice: 'Try again in a minute.',
		};
	}
	if (httpStatus >= 500) {
		return {
			what: 'The service has a fault of its own',
			advice: 'Try again later. If it stays, tell the service’s support.',
		};
	}
	if (httpStatus === 404) {
		return {
			what: 'The service does not know this address',
			advice: 'Check the Base URL of the credential.',
		};
	}
	return {
		what: 'The service refused the request',
		advice: 'Read the service’s message, then correct what it names.',
	};
}
