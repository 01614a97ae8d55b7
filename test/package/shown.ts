import 'reflect-metadata';

import path from 'node:path';

import { LazyPackageDirectoryLoader } from 'n8n-core';
import type {
	DisplayCondition,
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
	NodeParameterValue,
} from 'n8n-workflow';

/** What n8n shows of the package, as it was built. */
export interface Shown {
	nodes: INodeTypeDescription[];
	credentials: ICredentialType[];
}

/** Reads what n8n knows of the built package (`npm run build`) without running any of its code. */
export async function readShown(): Promise<Shown> {
	const loader = new LazyPackageDirectoryLoader(path.join(__dirname, '../..'));
	await loader.loadAll();
	return loader.types;
}

/** One parameter of a node or credential, those inside collections included. */
export interface Parameter {
	/** Where it is found: resource and operation, collections, its own name, e.g. `bot.run.waiting.waitLimit`. */
	path: string;
	property: INodeProperties;
	/** The values to choose from; empty where there are none. */
	choices: INodePropertyOptions[];
	/** On which other parameters it depends, e.g. `returnAll: false`. */
	when: string;
}

/** All parameters, in the order of the editor. */
export function parametersOf(properties: INodeProperties[], within = ''): Parameter[] {
	return properties.flatMap((property) => {
		const { resource, operation, ...others } = property.displayOptions?.show ?? {};
		const name = [within, resource?.map(valueOf), operation, property.name]
			.filter(Boolean)
			.join('.');
		const when = Object.entries(others)
			.map(([other, values]) => `${other}: ${(values ?? []).map(valueOf).join(' or ')}`)
			.join(', ');
		const options = property.options ?? [];
		const choices = options.filter(isChoice);
		return [
			{ path: name, property, choices, when },
			...options.flatMap((option) => {
				if (isChoice(option)) return [];
				return isGroup(option)
					? parametersOf(option.values, `${name}.${option.name}`)
					: parametersOf([option], name);
			}),
		];
	});
}

/** The value that a condition asks for, written as itself or as a rule. */
function valueOf(condition: NodeParameterValue | DisplayCondition): unknown {
	return typeof condition === 'object' && condition && '_cnd' in condition
		? Object.values(condition._cnd)[0]
		: condition;
}

type Option = NonNullable<INodeProperties['options']>[number];

function isChoice(option: Option): option is INodePropertyOptions {
	return 'value' in option;
}

function isGroup(option: Option): option is INodePropertyCollection {
	return 'values' in option;
}
