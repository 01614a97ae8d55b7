import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

import { readWorkflowFile, workflowOf, type WorkflowNode } from '../../dev/n8n/workflow';
import { moveOver } from '../../tools/docs/moveOver';
import { codeBlocksOf, PAGES } from '../project/markdown';
import { NODES } from '../project/ownTypes';

/** What is tested and measured in n8n, and what users import, is what users get when they add a node. */

const PACKAGE = 'n8n-nodes-browser-automation';

const released = new Map(
	NODES.map(({ description }) => [`${PACKAGE}.${description.name}`, description.version]),
);

const folder = join(__dirname, '../../examples');
const examples = readdirSync(folder).filter((file) => file.endsWith('.json'));

it.each([
	...released,
	[`${PACKAGE}.browserAutomationTool`, released.get(`${PACKAGE}.browserAutomation`)],
])('a workflow made for a test or a measurement has %s as released', (type, version) => {
	const [node] = workflowOf('Any', [{ name: 'Node', type }]).nodes;
	expect(node?.typeVersion).toBe(version);
});

/** What the example that moves workflows over makes of a node. */
function movedNodes(): WorkflowNode[] {
	const type = 'n8n-nodes-browseract.browserAct';
	const old = workflowOf('Old', [{ name: 'Node', type, parameters: { workflowId: '1' } }]);
	const { nodes }: { nodes: WorkflowNode[] } = JSON.parse(moveOver(JSON.stringify(old)).workflow);
	return nodes;
}

it.each(examples)('%s has the released versions', (file) => {
	const own = readWorkflowFile(join(folder, file)).nodes.filter(({ type }) =>
		type.startsWith(PACKAGE),
	);
	if (file === '15-move-a-workflow-over.json') own.push(...movedNodes());
	const stated = own.map(({ type, typeVersion }: WorkflowNode) => [type, typeVersion]);
	const expected = own.map(({ type }) => [type, released.get(type.replace(/Tool$/, ''))]);
	expect(own.length).toBeGreaterThan(0);
	expect(stated).toEqual(expected);
});

/** The parameters of a node, and the options in its groups, that its type has not got. */
function strangersIn({ type, parameters }: WorkflowNode): string[] {
	const isOfType = ({ description: { name } }: (typeof NODES)[number]) =>
		[`${PACKAGE}.${name}`, `${PACKAGE}.${name}Tool`].includes(type);
	const properties = NODES.find(isOfType)?.description.properties ?? [];
	return Object.entries(Object(parameters)).flatMap(([name, value]) => {
		const alike = properties.filter((property) => property.name === name);
		if (alike.every((property) => property.type !== 'collection'))
			return alike.length > 0 || OF_N8N.includes(name) ? [] : [name];
		const options = alike.flatMap((property) => property.options ?? []).map((one) => one.name);
		return Object.keys(Object(value)).filter((option) => !options.includes(option));
	});
}

/** What n8n adds to tools and to polling triggers. */
const OF_N8N = ['descriptionType', 'pollTimes', 'toolDescription'];

it('the examples, a node that one of them makes, and those in the pages have parameters and options that there are', () => {
	const inPages = PAGES.flatMap(codeBlocksOf)
		.filter(({ language, code }) => language === 'json' && code.includes(PACKAGE))
		.flatMap(({ code }) => {
			const { nodes = [] }: { nodes?: WorkflowNode[] } = JSON.parse(code);
			return nodes;
		});
	const inExamples = examples.flatMap((file) => readWorkflowFile(join(folder, file)).nodes);
	const own = [...inPages, ...inExamples, ...movedNodes()].filter(({ type }) =>
		type.startsWith(PACKAGE),
	);
	expect(own.flatMap(strangersIn)).toEqual([]);
	expect(inPages.length).toBeGreaterThan(0);
});

/** A node on the canvas; a note has a height. */
interface PlacedNode {
	position: [left: number, top: number];
	parameters: { height?: number };
}

/** From the top of a node to below its name, on n8n's canvas. */
const NODE_AND_NAME = 150;

it.each(examples)('%s has the names of its nodes within its note', (file) => {
	const { nodes }: { nodes: PlacedNode[] } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
	const bottoms = nodes.flatMap(({ position: [, top], parameters: { height } }) =>
		height === undefined ? [] : [top + height],
	);
	const lowest = Math.max(...nodes.map(({ position: [, top] }) => top));
	expect(bottoms).toEqual([expect.any(Number)]);
	expect(bottoms[0]).toBeGreaterThanOrEqual(lowest + NODE_AND_NAME);
});

it('what a web page says does not become a formula in a sheet, nor a call to everybody in Slack', () => {
	const nodes = examples.flatMap((file) => readWorkflowFile(join(folder, file)).nodes);
	const parametersOf = (type: string): unknown[] =>
		nodes.filter((node) => node.type === type).map(({ parameters }) => parameters);
	expect(parametersOf('n8n-nodes-base.googleSheets')).toEqual([
		expect.objectContaining({ options: { cellFormat: 'RAW' } }),
	]);
	const [slack] = parametersOf('n8n-nodes-base.slack');
	const [, expression] = /"={{ (.*) }}"/.exec(JSON.stringify(slack)) ?? [];
	const $json = { subject: 'A & B', text: '<!channel>' };
	const said = runInNewContext(String(JSON.parse(`"${expression}"`)), { $json });
	expect(said).toBe('*A &amp; B*\n&lt;!channel&gt;');
});
