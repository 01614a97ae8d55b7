import { SchemaDocument } from '../../../nodes/BrowserAutomation/service/schema/schema';
import { validate } from '../../../nodes/BrowserAutomation/service/schema/validate';

it.each<[string, string, boolean]>([
	['date', '2026-01-31', true],
	['date', '2026-02-30', false],
	['date', '2026-01', false],
	['date', '31.01.2026', false],
	['date-time', '2026-01-31T09:00:00Z', true],
	['date-time', '2026-01-31t09:00:00.25+01:00', true],
	['date-time', '2026-01-31T09:00:00', false],
	['date-time', '2026-02-30T09:00:00Z', false],
	['date-time', '2026-01-31T09:00:00ZT', false],
	['date-time', '2026-01-31', false],
	['email', 'name@example.com', true],
	['email', '"two words"@example.com', true],
	['email', 'name', false],
	['email', '@example.com', false],
	['email', 'name@', false],
	['uri', 'https://example.com', true],
	['uri', 'mailto:', true],
	['uri', "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com/blah_(wikipedia)?q=%20#cite-1", true],
	['uri', 'x-app://[http:]', true],
	['uri', 'example.com', false],
	['uri', 'https://two words', false],
	['url', 'no url', false],
	['uuid', 'left to the service', true],
])('as %s, %p fits: %p', (format, text, fits) => {
	expect(validate(new SchemaDocument({ format }), text)).toHaveLength(fits ? 0 : 1);
});
