// Loaded by n8n before its own code: names ending in .inside.test lead to this machine, as the
// names of a private network would.
const { promises } = require('node:dns');

const lookup = promises.lookup;

promises.lookup = async (hostname, options = {}) => {
	if (!hostname.endsWith('.inside.test')) return await lookup.call(promises, hostname, options);
	const record = { address: '127.0.0.2', family: 4 };
	return options.all === true ? [record] : record;
};
