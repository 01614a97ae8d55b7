import { explainNpmFailure } from '../../dev/n8n/npmFailure';

describe('the explanation of a failed installation', () => {
	it('names the compiler tools when the database module cannot be compiled', () => {
		const printed = [
			'npm error code 1',
			'npm error gyp ERR! find Python Python is not set',
			'npm error gyp ERR! stack Error: Could not find any Python installation to use',
		].join('\n');

		const message = explainNpmFailure('n8n 2.41', 'compile', printed);

		expect(message).toContain('apt-get install python3 make g++');
		expect(message).toContain('find Python');
	});

	it('names what could not be downloaded, and that starting again goes on', () => {
		const printed =
			'npm error code ENOTFOUND\nnpm error network request to https://example.com/left-pad failed, reason: getaddrinfo ENOTFOUND example.com';

		const message = explainNpmFailure('n8n 2.41', 'download', printed);

		expect(message).toContain('https://example.com/left-pad');
		expect(message).toContain('start again: what is already downloaded is kept');
		expect(message).toContain('ENOTFOUND');
	});

	it('names a version that the registry does not have', () => {
		const printed =
			'npm error code ETARGET\nnpm error notarget No matching version found for linkedom@0.18.99.';

		const message = explainNpmFailure('n8n 2.41', 'download', printed);

		expect(message).toContain('(linkedom@0.18.99). The npm registry does not have it');
		expect(message).not.toContain('connection');
	});

	it.each(['download', 'compile'] as const)('recognizes a full disk during %s', (purpose) => {
		const printed = 'npm error code ENOSPC\nnpm error nospc ENOSPC: no space left on device, write';

		expect(explainNpmFailure('Node 24', purpose, printed)).toContain('The disk is full');
	});
});
