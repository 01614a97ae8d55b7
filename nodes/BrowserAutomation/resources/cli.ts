import {
	request,
	done,
	FORWARD,
	forwarded,
	list,
	machineIdField,
	operation,
	resource,
	type Operation,
} from './operation';

const WITH_SIGNATURE = ', with a signature instead of an API key';

/** What the client reports: with the API key, or signed (docs/service.md: Authentication). */
function reports(access: 'apiKey' | 'signed'): Record<string, Operation> {
	const isSigned = access === 'signed';
	const [root, mark, how] = isSigned ? ['/open', ', signed', WITH_SIGNATURE] : ['/v2', '', ''];
	return {
		track: operation('Track Event', `Track event${mark}`, {
			description: `Send a tracking event${how}`,
			access,
			...request('POST', `${root}/cli/tracking`, { optionalBody: 'The event', answer: done }),
		}),
		trackBatch: operation('Track Events in Batch', `Track events in batch${mark}`, {
			description: `Send several tracking events at once${how}`,
			access,
			...request('POST', `${root}/cli/tracking/batch`, {
				optionalBody: 'The events',
				answer: done,
			}),
		}),
		getLogUploadUrl: operation('Get Log Upload URL', `Get log upload URL${mark}`, {
			description: `Get a URL to upload a log file to${how}`,
			access,
			...request('POST', `${root}/cli/log/upload-url`, { optionalBody: 'The log file' }),
		}),
		sendFeedback: operation('Send Feedback', `Send feedback${mark}`, {
			description: `Send feedback to the service${how}`,
			access,
			...request('POST', `${root}/cli/feedback`, { optionalBody: 'The feedback', answer: done }),
		}),
	};
}

export const cli = resource('cli', 'CLI', {
	description: 'Send what the service’s CLI sends',
	operations: reports('apiKey'),
});

/** What works without an API key: openly, or signed. */
export const publicCli = resource('publicCli', 'Public CLI', {
	description: 'What the CLI does without an API key',
	operations: {
		createApiKeySession: operation('Create API Key Session', 'Create API key session', {
			description: 'Get a URL where a person logs in and receives an API key for a machine',
			access: 'none',
			...request('POST', '/open/cli/apikey-session/url', { query: { machine_id: machineIdField } }),
		}),
		getPackages: operation('Get Packages', 'Get packages', {
			description: 'Read the download URLs of packages: kernel, proxy, lib and guide',
			access: 'none',
			...request('POST', '/open/cli/packages', {
				optionalBody:
					'The packages to read, of one or more of the types kernel, proxy, lib and guide',
				answer: list,
			}),
		}),
		getBrowserStartConfig: operation(
			'Get Browser Start Config',
			'Get public browser start config',
			{
				description: 'Read download URLs and versions of kernel, gateway and FRP for a platform',
				access: 'none',
				...request('POST', '/open/browser/start-config', {
					body: 'The operating system platform to read the start configuration for',
				}),
			},
		),
		...reports('signed'),
	},
});

export const cliService = resource('cliService', 'CLI Service', {
	description: 'Send any request to the service’s CLI backend',
	operations: {
		request: operation('Forward Request', 'Forward request to CLI backend', {
			description: 'Send any request through the service to its CLI backend',
			fields: FORWARD.fields,
			request: FORWARD.read,
			answer: forwarded,
		}),
	},
});
