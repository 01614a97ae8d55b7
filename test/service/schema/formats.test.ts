import { validate } from '../../../nodes/BrowserAutomation/service/schema/validate';

it.each<[string, string, boolean]>([
	['date', '2026-01-31', true],
	['date', '2026-02-30', false],
	['date', '2026-01', false],
	['date', '2026', false],
	['date-time', '2026-01-31T09:00:00Z', true],
	['date-time', '2026-01-31T09:00:00ZT', false],
	['date-time', '2026-01-31T09:00:00ZT09:00:00Z', false],
	['uri', 'https://example.com', true],
	['uri', 'https://', false],
	['uri', 'http://', false],
	['uri', 'HTTP://:80', false],
	['uri', 'mailto:', true],
	['uri', 'x-app://[http:]', true],
	['ipv6', '::1', true],
	['ipv6', '\t::1', false],
	['ipv6', '::1\t', false],
	['ipv6', '::1]/[::1', false],
])('as %s, %p fits: %p', (format, text, fits) => {
	expect(validate({ format }, text)).toHaveLength(fits ? 0 : 1);
});
