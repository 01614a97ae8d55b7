import { randomUUID } from 'node:crypto';
import { enveloped } from '../call';
import type { Answer, Call, Operation, Operations } from '../call';
import { objectOrEmpty, textAt } from '../json';
import type { Service } from '../service';

const PACKAGE_VERSIONS = [
	['kernel', '138.0.7204.92'],
	['proxy', '2.4.1'],
	['lib', '1.9.0'],
	['guide', '5'],
] as const;

/** CLI support, with a key and signed or open without one (docs/service.md: CLI support). */
export function cliOperations(service: Service): Operations {
	const nothing: Operation = () => enveloped();
	const uploadUrl: Operation = () => {
		const objectName = `logs/${randomUUID()}.zip`;
		return enveloped({
			url: `${service.links.origin}/uploads/${objectName}?X-Amz-Expires=900`,
			object_key: objectName,
			method: 'PUT',
			expires_in: 900,
		});
	};
	const signed =
		(operation: Operation): Operation =>
		(call) => {
			requireSignature(service, call);
			return operation(call);
		};

	return {
		'cli.track': nothing,
		'cli.trackBatch': nothing,
		'cli.getLogUploadUrl': uploadUrl,
		'cli.sendFeedback': nothing,
		'publicCli.track': signed(nothing),
		'publicCli.trackBatch': signed(nothing),
		'publicCli.getLogUploadUrl': signed(uploadUrl),
		'publicCli.sendFeedback': signed(nothing),
		'publicCli.getPackages': () => listPackages(service),
		'publicCli.createApiKeySession': ({ query }) => {
			const session = randomUUID();
			return enveloped({
				session_id: session,
				machine_id: query['machine_id'],
				url: `${service.url}/sandbox/pages/login/${session}`,
			});
		},
		'publicCli.getBrowserStartConfig': ({ body }) => {
			const request = objectOrEmpty(body);
			const platform = textAt(request, 'os_type') ?? textAt(request, 'platform') ?? 'linux';
			const part = (name: string, version: string): object => ({
				download_url: `${service.url}/sandbox/pages/packages/${name}-${platform}-${version}.zip`,
				version,
			});
			return enveloped({
				platform,
				kernel: part('kernel', '138.0.7204.92'),
				gateway: part('gateway', '2.4.1'),
				frp: part('frp', '0.63.0'),
			});
		},
	};
}

function requireSignature(service: Service, { headers, rawBody }: Call): void {
	const text = (value: string | string[] | undefined): string => String(value ?? '');
	service.signature.require(
		text(headers['x-cli-timestamp']),
		text(headers['x-cli-signature']),
		rawBody.toString('utf8'),
	);
}

function listPackages(service: Service): Answer {
	return enveloped(
		PACKAGE_VERSIONS.map(([type, version]) => ({
			type,
			version,
			download_url: `${service.url}/sandbox/pages/packages/${type}-${version}.zip`,
		})),
	);
}
