import { readFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

import { readWorkflowFile } from '../../dev/n8n/workflow';
export const CONVERTER = path.join(__dirname, '../../examples/15-move-a-workflow-over.json');

/** The example that moves workflows over, with `moveOver.ts` as the JavaScript of its Code node. */
export async function converterExample(): Promise<string> {
	const source = readFileSync(path.join(__dirname, 'moveOver.ts'), 'utf8');
	const compilerOptions = { target: ScriptTarget.ES2022, module: ModuleKind.ESNext };
	const { outputText } = transpileModule(source, { compilerOptions });
	const functions = outputText.replace(/^export /gm, '');
	const code = `${functions}\nreturn [{ json: moveOver($input.first().json.Workflow) }];`;
	const jsCode = await format(code, { parser: 'babel', singleQuote: true, printWidth: 100 });
	const workflow = readWorkflowFile(CONVERTER);
	const nodes = workflow.nodes.map((node) =>
		node.type === 'n8n-nodes-base.code' ? { ...node, parameters: { jsCode } } : node,
	);
	const text = JSON.stringify({ ...workflow, nodes });
	return await format(text, {
		...(await resolveConfig(CONVERTER)),
		parser: 'json',
		objectWrap: 'preserve',
	});
}
