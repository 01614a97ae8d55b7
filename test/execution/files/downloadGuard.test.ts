import { createNodes } from '../../fixture';
import { interceptNetwork } from '../../interceptedNetwork';
import { runNode } from './filesFixture';

const nock = interceptNetwork();

const SERVICE = 'https://api.example.com';

const harness = createNodes({ url: SERVICE, key: 'secret' });

const DOWNLOAD = runNode('downloadFiles');

/** The service knows one run, with a file behind this link. */
function serveRunWith(link: string): void {
	const file = { file_name: 'archive.bin', download_url: link };
	nock(SERVICE)
		.get('/v3/bots/runs/9001')
		.reply(200, { task_id: '9001', status: 'finished', download_files: [file] });
}

it.each([
	['http://169.254.169.254/latest/meta-data', 'the local or private address 169.254.169.254'],
	['http://localhost:5678/rest/settings', 'the local or private address localhost'],
	['file:///etc/passwd', 'is not an http or https URL'],
])('a service on the internet cannot send us to %s', async (link, reason) => {
	const reached = jest.fn(() => [200, 'secret']);
	nock(/169|localhost/)
		.get(/.*/)
		.reply(reached);
	serveRunWith(link);
	const run = await harness.run(DOWNLOAD);
	expect(run.error?.message).toContain(reason);
	expect(reached).not.toHaveBeenCalled();
});

it('nor can a redirect of its file store', async () => {
	const reached = jest.fn(() => [200, 'secret']);
	nock('http://10.0.0.7').get('/admin').reply(reached);
	serveRunWith('https://files.example.com/1');
	nock('https://files.example.com').get('/1').reply(302, '', { location: 'http://10.0.0.7/admin' });
	const run = await harness.run(DOWNLOAD);
	expect(run.error?.message).toBe(
		'The file "archive.bin" of run 9001 could not be downloaded: its link leads to the local or private address 10.0.0.7',
	);
	expect(reached).not.toHaveBeenCalled();
});

it('only a redirect that has a place to go to is one', async () => {
	serveRunWith('https://files.example.com/1');
	nock('https://files.example.com').get('/1').reply(302);
	const refused = await harness.run(DOWNLOAD);
	expect(refused.error?.message).toContain('its server answered with HTTP status 302');

	serveRunWith('https://files.example.com/1');
	nock('https://files.example.com').get('/1').reply(200, 'content', { location: '/2' });
	const taken = await harness.run(DOWNLOAD);
	expect(taken.outputs[0]?.[0]?.binary).toHaveProperty('file_1');
});

it('another tenant behind the same gateway is not shown the key', async () => {
	const behind = createNodes({ url: `${SERVICE}/gateway/eu`, key: 'Bearer secret' });
	const links = [`${SERVICE}/gateway/eu/files/1`, `${SERVICE}/other-tenant/file`];
	nock(SERVICE, { reqheaders: { authorization: 'Bearer secret' } })
		.get('/gateway/eu/v3/bots/runs/9001')
		.reply(200, {
			task_id: '9001',
			status: 'finished',
			download_files: links.map((link) => ({ download_url: link })),
		})
		.get('/gateway/eu/files/1')
		.reply(200, 'ours');
	nock(SERVICE, { badheaders: ['authorization'] })
		.get('/other-tenant/file')
		.reply(200, 'theirs');
	const run = await behind.run(DOWNLOAD);
	expect(run.error).toBeUndefined();
	expect(Object.keys(run.outputs[0]?.[0]?.binary ?? {})).toEqual(['file_1', 'file_2']);
});
