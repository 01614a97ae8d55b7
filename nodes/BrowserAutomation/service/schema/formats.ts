/** What text of a format looks like. */
interface Format {
	/** What a text of it is, e.g. "a URL". */
	noun: string;
	example: string;
	fits(text: string): boolean;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const EMAIL =
	/^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;
const URI = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]*$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const IPV4 = /^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(?!$)|$)){4}$/;
const HOSTNAME =
	/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

function isDate(text: string): boolean {
	const match = DATE.exec(text);
	if (match === null) return false;
	const date = new Date(`${text}T00:00:00Z`);
	return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
	const [date = '', time = '', ...more] = text.split(/t/i);
	return more.length === 0 && isDate(date) && TIME.test(time);
}

function isUri(text: string): boolean {
	return URI.test(text) && (!/^https?:/i.test(text) || URL.canParse(text));
}

function isIpv6(text: string): boolean {
	return /^[0-9a-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`);
}

const URL_FORMAT: Format = { noun: 'a URL', example: 'https://example.com', fits: isUri };

/** The formats that are checked (JSON Schema Validation, section 7.3). Others demand nothing. */
export const FORMATS: Record<string, Format> = {
	date: { noun: 'a date', example: '2026-01-31', fits: isDate },
	'date-time': { noun: 'a date and time', example: '2026-01-31T09:00:00Z', fits: isDateTime },
	email: {
		noun: 'an email address',
		example: 'name@example.com',
		fits: (text) => EMAIL.test(text),
	},
	hostname: { noun: 'a host name', example: 'example.com', fits: (text) => HOSTNAME.test(text) },
	ipv4: { noun: 'an IPv4 address', example: '192.0.2.1', fits: (text) => IPV4.test(text) },
	ipv6: { noun: 'an IPv6 address', example: '2001:db8::1', fits: isIpv6 },
	time: { noun: 'a time', example: '09:00:00Z', fits: (text) => TIME.test(text) },
	uri: URL_FORMAT,
	url: URL_FORMAT,
	uuid: {
		noun: 'a UUID',
		example: '00000000-0000-4000-8000-000000000000',
		fits: (text) => UUID.test(text),
	},
};
