import type { IExecuteFunctions } from 'n8n-workflow';

import type { ItemResult } from '../operation';

/**
 * Results of an input item, the first of them with the item's own binary fields if the user likes.
 * A field of the result stays where both have one of the same name.
 */
export function withInputFiles(
	context: IExecuteFunctions,
	itemIndex: number,
	results: ItemResult[],
	keepInputFiles: boolean | undefined,
): ItemResult[] {
	if (keepInputFiles !== true) return results;
	const binary = context.getInputData()[itemIndex]?.binary;
	const [first, ...others] = results;
	if (binary === undefined || first === undefined) return results;
	return [{ ...first, binary: { ...binary, ...first.binary } }, ...others];
}
