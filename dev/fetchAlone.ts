/**
 * `fetch` over a connection of its own. A server under load may close one that is kept open just when
 * the next request is sent over it; and it is kept for every request of the process to that address.
 */
export const fetchAlone: typeof fetch = async (address, given) => {
	const headers = new Headers(given?.headers);
	headers.set('connection', 'close');
	return await fetch(address, { ...given, headers });
};
