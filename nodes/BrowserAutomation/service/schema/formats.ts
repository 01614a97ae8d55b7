/** What text of a format looks like. */
interface Format {
	/** The end of the sentence "… is "abc", not …". */
	words: string;
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

const URI_FORMAT: Format = { words: 'a URL such as https://example.com', fits: isUri };

/** The formats that are checked (JSON Schema Validation, section 7.3). Others demand nothing. */
export const FORMATS: Record<string, Format> = {
	date: { words: 'a date such as 2026-01-31', fits: isDate },
	'date-time': { words: 'a date and time such as 2026-01-31T09:00:00Z', fits: isDateTime },
	email: { words: 'an email address', fits: (text) => EMAIL.test(text) },
	hostname: { words: 'a host name', fits: (text) => HOSTNAME.test(text) },
	ipv4: { words: 'an IPv4 address', fits: (text) => IPV4.test(text) },
	ipv6: { words: 'an IPv6 address', fits: isIpv6 },
	time: { words: 'a time such as 09:00:00Z', fits: (text) => TIME.test(text) },
	uri: URI_FORMAT,
	url: URI_FORMAT,
	uuid: { words: 'a UUID', fits: (text) => UUID.test(text) },
};
