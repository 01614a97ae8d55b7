import {
	ask,
	done,
	list,
	machineIdField,
	optionalBodyField,
	resource,
	type Operation,
} from './operation';

const WITH_SIGNATURE = ', with a signature instead of an API key';

/** What the client reports: with the API key, or signed (docs/service.md: Authentication). */
function reports(access: 'apiKey' | 'signed'): Record<string, Operation> {
	const isSigned = access === 'signed';
	const [root, mark, how] = isSigned ? ['/open', ', signed', WITH_SIGNATURE] : ['/v2', '', ''];
	return {
		track: {
			name: 'Track Event',
			action: `Track event${mark}`,
			description: `Send a tracking event${how}`,
			access,
			...ask('POST', `${root}/cli/tracking`, {
				body: optionalBodyField('The event'),
				answer: done,
			}),
		},
		trackBatch: {
			name: 'Track Events in Batch',
			action: `Track events in batch${mark}`,
			description: `Send several tracking events at once${how}`,
			access,
			...ask('POST', `${root}/cli/tracking/batch`, {
				body: optionalBodyField('The events'),
				answer: done,
			}),
		},
		getLogUploadUrl: {
			name: 'Get Log Upload URL',
			action: `Get log upload URL${mark}`,
			description: `Get a URL to upload a log file to${how}`,
			access,
			...ask('POST', `${root}/cli/log/upload-url`, { body: optionalBodyField('The log file') }),
		},
		sendFeedback: {
			name: 'Send Feedback',
			action: `Send feedback${mark}`,
			description: `Send feedback to the service${how}`,
			access,
			...ask('POST', `${root}/cli/feedback`, {
				body: optionalBodyField('The feedback'),
				answer: done,
			}),
		},
	};
}

export const cli = resource({
	value: 'cli',
	name: 'CLI',
	description: 'Send events, feedback and logs as the service’s command-line client does',
	operations: reports('apiKey'),
});

/** What works without an API key: openly, or signed. */
export const publicCli = resource({
	value: 'publicCli',
	name: 'Public CLI',
	description: 'What the service’s command-line client can do without an API key',
	operations: {
		createApiKeySession: {
			name: 'Create API Key Session',
			action: 'Create API key session',
			description: 'Get a URL where a person logs in and receives an API key for a machine',
			access: 'none',
			...ask('POST', '/open/cli/apikey-session/url', { query: { machine_id: machineIdField } }),
		},
		getPackages: {
			name: 'Get Packages',
			action: 'Get packages',
			description: 'Read the download URLs of packages: kernel, proxy, lib and guide',
			access: 'none',
			...ask('POST', '/open/cli/packages', {
				body: optionalBodyField(
					'The packages to read, of one or more of the types kernel, proxy, lib and guide',
				),
				answer: list,
			}),
		},
		getBrowserStartConfig: {
			name: 'Get Browser Start Config',
			action: 'Get public browser start config',
			description: 'Read the download URLs and versions of kernel, gateway and FRP for a platform',
			access: 'none',
			...ask('POST', '/open/browser/start-config', {
				body: 'The operating system platform to read the start configuration for',
			}),
		},
		...reports('signed'),
	},
});
