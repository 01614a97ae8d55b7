import { parametersOf, readShown, type Parameter } from './parameters';

/*
 * Prints every text that the editor shows of the nodes and their credentials, each once, where it comes first: to be read in
 * one go by whoever changes one of them.
 */

const printed = new Set<string>();

/** Prints a block under its heading, unless one with the same texts came before. */
function printOnce(heading: string, lines: Array<string | undefined>): void {
	const block = lines.filter((line) => line !== undefined && line !== '').join('\n    ');
	if (printed.has(block)) return;
	printed.add(block);
	console.log(`${heading}\n    ${block}`);
}

/** The beginning of an expression that lists more than a reader wants to see. */
function shorten(text: string | undefined): string | undefined {
	return text !== undefined && text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** HTML of notices and descriptions as a reader sees it. */
function asRead(text: string | undefined): string | undefined {
	return text?.replace(/<br\s*\/?>/g, ' ').replace(/<[^>]+>/g, '');
}

function named(name: string, text: string | undefined): string | undefined {
	return text === undefined || text === '' ? undefined : `${name}: ${asRead(text)}`;
}

function printParameter({ path, property, choices }: Parameter): void {
	printOnce(`  ${path}`, [
		`“${asRead(property.displayName)}”`,
		asRead(property.description),
		named('hint', property.hint),
		named('placeholder', property.placeholder),
		named('empty', property.typeOptions?.resourceMapper?.noFieldsError),
		...(property.modes ?? []).map(({ displayName, placeholder, hint }) =>
			named(`mode ${displayName}`, [placeholder, hint].filter(Boolean).join(' / ')),
		),
		...choices.map(({ name, action, description }) =>
			[`- ${name}`, action === undefined ? undefined : `[${action}]`, asRead(description)]
				.filter(Boolean)
				.join(' '),
		),
	]);
}

/** All texts of a trigger's panel, wherever they stand in it. */
function panelTexts(panel: unknown): string[] {
	if (typeof panel === 'string') return [panel];
	return typeof panel === 'object' && panel !== null
		? Object.values(panel).flatMap(panelTexts)
		: [];
}

async function main(): Promise<void> {
	const { nodes, credentials } = await readShown();
	for (const node of nodes) {
		console.log(`\n${node.displayName}: ${node.description}`);
		printOnce('  (node)', [
			named('subtitle', shorten(node.subtitle)),
			named('listening', node.eventTriggerDescription),
			named('published', node.activationMessage),
			named('waiting', node.waitingNodeTooltip),
		]);
		for (const text of panelTexts(node.triggerPanel)) console.log(`    panel: ${asRead(text)}`);
		for (const parameter of parametersOf(node.properties)) {
			// The times of polling are n8n’s own.
			if (!parameter.path.startsWith('pollTimes')) printParameter(parameter);
		}
	}
	for (const { displayName, properties } of credentials) {
		console.log(`\n${displayName}`);
		for (const parameter of parametersOf(properties)) printParameter(parameter);
	}
}

void main();
