import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { toNodeError } from '../execution/failures';
import { asPlainText, isExpression } from './expressions';
import { connect } from '../transport/client';
import { textAt } from '../service/json/json';
import { toPage } from '../service/http/pages';

/**
 * The proxy regions that a template can run in, by name.
 *
 * @throws NodeApiError or NodeOperationError that says why the list cannot be shown
 */
export async function getRegions(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	try {
		const client = await connect(this);
		const body = await client.send({ method: 'GET', path: '/v3/bots/regions', expects: 'list' });
		return toPage(body)
			.items.flatMap((region) => {
				const value = textAt(region, 'code') ?? textAt(region, 'value');
				if (value === undefined || isExpression(value)) return [];
				const name = textAt(region, 'name');
				return { name: name === undefined ? value : asPlainText(`${name} (${value})`), value };
			})
			.sort((a, b) => a.name.localeCompare(b.name));
	} catch (error) {
		throw toNodeError(this.getNode(), error, 0);
	}
}
