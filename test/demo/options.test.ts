import { readOptions } from '../../dev/demo/options';

describe('the command line of the demo', () => {
	it('stays up with n8n 2.41 on a free port by default', () => {
		expect(readOptions([])).toEqual({ once: false, dev: false, version: '2.41', port: undefined });
	});

	it('takes a port, a version, --once and --dev', () => {
		const all = ['--once', '--dev', '--port', '5678', '--n8n', '1.123'];
		expect(readOptions(all)).toEqual({ once: true, dev: true, version: '1.123', port: 5678 });
	});

	it.each([
		[['--port', '80000'], '"80000" is not a port'],
		[['--n8n', '3.0'], 'There is no n8n 3.0 here. Choose 2.41 or 1.123.'],
		[['--twice'], "Unknown option '--twice'"],
	])('refuses %j', (commandLine, message) => {
		expect(() => readOptions(commandLine)).toThrow(message);
	});
});
