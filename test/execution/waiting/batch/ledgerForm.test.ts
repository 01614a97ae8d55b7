import ts from 'typescript';

import { LEDGER_VERSION } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { read } from '../../../project/markdown';

const SOURCE = 'nodes/BrowserAutomation/execution/waiting/batch/ledger.ts';
const FIXTURE = `test/execution/waiting/batch/ledgerForm.${LEDGER_VERSION}.json`;

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
const program = ts.createProgram([SOURCE], { ...options, types: [] });
const checker = program.getTypeChecker();

function exportedType(name: string): ts.Type {
	const source = program.getSourceFile(SOURCE);
	const module = source && checker.getSymbolAtLocation(source);
	const found = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
	if (found === undefined) throw new Error(`${SOURCE} exports no ${name}`);
	return checker.getDeclaredTypeOfSymbol(found);
}

/** Adds what is stored of a value of this type: for each path the types there. What a user gives may be any JSON. */
function addForm(form: Map<string, Set<string>>, type: ts.Type, path: string): void {
	const isAnyJson = type.aliasSymbol?.name === 'JsonValue';
	for (const part of type.isUnion() && !isAnyJson ? type.types : [type]) {
		const isNested = (part.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
		const member = checker.getIndexTypeOfType(part, ts.IndexKind.Number);
		const properties = isNested ? checker.getPropertiesOfType(part) : [];
		if (isNested && member !== undefined) addForm(form, member, `${path}[]`);
		else if (properties.length === 0) {
			form.set(path, (form.get(path) ?? new Set()).add(checker.typeToString(part)));
		} else {
			for (const property of properties) {
				addForm(form, checker.getTypeOfSymbol(property), `${path}.${property.name}`);
			}
		}
	}
}

it('the stored form of a ledger changes only with its version: who changes it raises LEDGER_VERSION, and writes a fixture for that', () => {
	const form = new Map<string, Set<string>>();
	addForm(form, exportedType('Ledger'), 'ledger');
	const found = [...form].map(([path, types]) => `${path}: ${[...types].sort().join(' | ')}`);
	expect(found.sort()).toEqual(JSON.parse(read(FIXTURE)));
});
