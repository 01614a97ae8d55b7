import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import type { JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import {
	SchemaDocument,
	type Schema,
} from '../../../nodes/BrowserAutomation/service/schema/schema';
import { validate } from '../../../nodes/BrowserAutomation/service/schema/validate';

interface Case {
	description: string;
	schema: Schema;
	tests: Array<{ description: string; data: JsonValue; valid: boolean }>;
}

const FOLDER = join(__dirname, 'draft7');

/** Where we differ on purpose. */
const DIFFERENT = new Map([
	[
		'ref overrides any sibling keywords: ref valid, maxItems ignored',
		'siblings of $ref count, as they do since draft 2019-09',
	],
	['remote ref, containing refs itself: remote ref invalid', 'other documents are not fetched'],
	['Recursive references between schemas: invalid tree', 'names ($id) are not followed'],
]);

/** What is left to the service: it refuses no value that fits, and may take one that does not. */
const LEFT_TO_SERVICE =
	/"(additionalItems|contains|dependencies|format|if|maxProperties|minProperties|multipleOf|not|oneOf|pattern|patternProperties|propertyNames|uniqueItems)":|"items":\[|"const":[[{]|"enum":\[.*[[{]/;

function filesIn(folder: string): string[] {
	return readdirSync(folder)
		.filter((file) => file.endsWith('.json'))
		.map((file) => join(folder, file));
}

function casesIn(file: string): Case[] {
	return JSON.parse(readFileSync(file, 'utf8'));
}

const files = [...filesIn(FOLDER), ...filesIn(join(FOLDER, 'format'))];

describe.each(files.map((file) => [basename(file, '.json'), file]))('%s', (_, file) => {
	for (const { description: group, schema, tests } of casesIn(file)) {
		for (const { description, data, valid } of tests) {
			const name = `${group}: ${description}`;
			if (LEFT_TO_SERVICE.test(JSON.stringify(schema))) {
				if (valid) it(name, () => expect(validate(new SchemaDocument(schema), data)).toEqual([]));
				continue;
			}
			const reason = DIFFERENT.get(name);
			const expected = reason === undefined ? valid : !valid;
			it(reason === undefined ? name : `${name} (differs: ${reason})`, () => {
				expect(validate(new SchemaDocument(schema), data).length === 0).toBe(expected);
			});
		}
	}
});
