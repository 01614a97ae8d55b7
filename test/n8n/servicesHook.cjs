/**
 * For EXTERNAL_HOOK_FILES: n8n's own services, from within its process, over HTTP on this machine. A POST to
 * /assistant executes a node as the AI Assistant does, one to /agent as a tool of n8n's Agents.
 */
const { createServer } = require('node:http');
const { createRequire } = require('node:module');
const { json } = require('node:stream/consumers');

const fromN8n = createRequire(process.argv[1]);

async function answer(path, request) {
	const { Container } = fromN8n('@n8n/di');
	const services = fromN8n('../dist/node-execution');
	if (path === '/agent') {
		return await Container.get(services.EphemeralNodeExecutor).executeInline(request);
	}
	const { UserRepository } = fromN8n('@n8n/db');
	const user = await Container.get(UserRepository).findOneOrFail({
		where: {},
		relations: ['role'],
	});
	return await Container.get(services.ExecuteNodeService).run(user, request);
}

async function listen() {
	const server = createServer((request, response) => {
		const answered = json(request).then((body) => answer(request.url, body));
		const failed = (error) => ({ status: 'thrown', error: String(error) });
		void answered.catch(failed).then((found) => response.end(JSON.stringify(found)));
	});
	server.listen(Number(process.env.SERVICES_PORT), '127.0.0.1');
	server.unref();
}

module.exports = { n8n: { ready: [listen] } };
