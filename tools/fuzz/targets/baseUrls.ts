import fc from 'fast-check';

import { toBaseUrl } from '../../../nodes/BrowserAutomation/service/http/credential';
import { callbackObstacle } from '../../../nodes/BrowserAutomation/service/events/callback';
import { InputError } from '../../../nodes/BrowserAutomation/service/errors';
import { isOwnAddress } from '../../../nodes/BrowserAutomation/service/files/fileLink';
import { addressObstacle } from '../../../nodes/BrowserAutomation/service/http/networkAddress';
import { must, type Target } from '../target';
import { textOf } from './texts';

const PATH = '/v3/bots';

/** What a reader may go through again and again where it stands often. */
const repeated = fc
	.tuple(fc.constantFrom('/', '.', '%2e', '\\', ':', '@', ' '), fc.integer({ min: 1, max: 50_000 }))
	.map(([part, times]) => part.repeat(times));

/** An address with much of the same in its host or its path, and something else behind that. */
const long = fc
	.tuple(
		fc.constantFrom('https://example.com/', 'https://example', 'http://127.0.0.1/gateway'),
		repeated,
		fc.constantFrom('', 'x', '/', '.com/x'),
	)
	.map((parts) => parts.join(''));

const url = fc.oneof(
	long,
	fc.webUrl({ withQueryParameters: true, withFragments: true }),
	textOf([
		...[
			'http://',
			'https://',
			'https:',
			'ftp://',
			'javascript:',
			'//',
			'/',
			'\\',
			'?',
			'#',
			'@',
			':',
		],
		...[
			'user:password@',
			'example.com',
			'EXAMPLE.com.',
			'localhost',
			'127.0.0.1',
			'0x7f.1',
			'[::1]',
		],
		...[
			'[::ffff:7f00:1]',
			'..',
			'%2e%2e',
			'%2f',
			'/gateway',
			'/v3',
			' ',
			'\t',
			'\n',
			'.',
			'é',
			'🚀',
		],
	]),
);

/** A base URL, and a link that the service gives. */
export const baseUrls: Target<[base: string, link: string]> = {
	name: 'base URLs',
	inputs: fc.tuple(url, url),
	tryInput: ([text, link]) => {
		const base = read(text);
		if (base === undefined) return;
		const address = new URL(base + PATH);
		must(['http:', 'https:'].includes(address.protocol), 'requests are sent by HTTP');
		must(address.pathname.endsWith(PATH), 'the path of a request stands at the end of the address');
		must(address.href === base + PATH, 'an address is sent as it is written');
		must(address.username + address.password === '', 'an address holds no password');
		must(toBaseUrl(base) === base, 'a base URL is one as well when it is read again');
		callbackObstacle(link, base);
		if (addressObstacle(link, base) !== undefined) return;
		const isOwn = isOwnAddress(link, base);
		must(!isOwn || new URL(link).origin === address.origin, 'the key stays with the service');
	},
};

function read(text: string): string | undefined {
	try {
		return toBaseUrl(text);
	} catch (error) {
		if (error instanceof InputError) return undefined;
		throw error;
	}
}
