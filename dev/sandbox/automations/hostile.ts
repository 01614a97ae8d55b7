import type { JsonObject } from '../json';

const itself = { $ref: '#' };
const tree = { $ref: '#/$defs/tree' };

/** A pattern for which many programs take twice as long for each further letter. */
const CATASTROPHIC = '^([a-zA-Z]+\\s?)*$';

/**
 * An input schema that may keep a program busy for ever: a pattern that backtracks without bound, and
 * forms that lead to themselves many times over.
 */
export const hostileInput: JsonObject = {
	type: 'object',
	properties: {
		words: { type: 'string', title: 'Words', pattern: CATASTROPHIC },
		tree,
	},
	patternProperties: { [CATASTROPHIC]: true },
	allOf: [itself, itself, itself, itself, itself],
	oneOf: [itself, itself],
	$defs: {
		tree: {
			oneOf: [tree, { anyOf: [tree, { type: 'array', items: tree }] }, { allOf: [tree, tree] }],
		},
	},
};
