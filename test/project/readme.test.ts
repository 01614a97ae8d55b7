import { catalogue } from '../../nodes/BrowserAutomation/resources/catalogue';
import { read } from './markdown';

const [, list = ''] = /## What the node can do\n([^]*?)\n## /.exec(read('README.md')) ?? [];

it('the README names every resource, in a group', () => {
	const groups = [...list.matchAll(/^- \*\*(.*?)\*\*: /gm)].flatMap(([, names = '']) =>
		names.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').split(', '),
	);
	expect(groups.sort()).toEqual(catalogue.map(({ name }) => name).sort());
});
