/** Date-time as the service writes it, e.g. 2026-03-01T10:00:00.000Z. */
export function isoTime(epochMs: number): string {
	return new Date(epochMs).toISOString();
}

/** Local time of the envelope: `YYYY-MM-DD HH:MM:SS` (docs/service.md: Response envelope). */
export function localTime(epochMs: number): string {
	const date = new Date(epochMs);
	const two = (part: number): string => String(part).padStart(2, '0');
	const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
	const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
	return `${day} ${time}`;
}
