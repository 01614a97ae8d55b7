import {
	Workflow,
	type ILoadOptionsFunctions,
	type INode,
	type INodeListSearchResult,
	type INodeParameters,
	type INodePropertyOptions,
	type INodeType,
	type INodeTypes,
	type ResourceMapperFields,
} from 'n8n-workflow';
import {
	contextOf,
	createAdditionalData,
	LoadOptionsContext,
	type Surroundings,
} from './core-bridge';

/** What a node gives the editor (`DynamicNodeParametersService`): lists of locators, fields of resource mappers, options of dropdowns. */
export class NodeMethods {
	private readonly type: INodeType;
	private readonly context: ILoadOptionsFunctions;

	constructor(
		nodeTypes: INodeTypes,
		surroundings: Surroundings,
		node: INode,
		parameters: INodeParameters,
	) {
		this.type = nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
		const temporary: INode = { ...node, id: 'uuid-1234', name: 'Temp-Node', parameters };
		const nodes = [temporary];
		const workflow = new Workflow({ nodes, connections: {}, active: false, nodeTypes });
		const own = createAdditionalData(surroundings, { currentNodeParameters: parameters });
		const shown = workflow.getNode('Temp-Node') ?? temporary;
		this.context = contextOf(new LoadOptionsContext(workflow, shown, own, 'parameters'));
	}

	async listSearch(
		method: string,
		filter?: string,
		paginationToken?: string,
	): Promise<INodeListSearchResult> {
		const search = this.type.methods?.listSearch?.[method];
		if (search === undefined) throw new Error(`The node has no listSearch method "${method}".`);
		return await search.call(this.context, filter, paginationToken);
	}

	/** The fields of a resource mapper; of fields with the same ID the first stays. */
	async resourceMapping(method: string): Promise<ResourceMapperFields> {
		const map = this.type.methods?.resourceMapping?.[method];
		if (map === undefined) throw new Error(`The node has no resourceMapping method "${method}".`);
		const result = await map.call(this.context);
		const seen = new Set<string>();
		const fields = result.fields.filter(({ id }) => !seen.has(id) && seen.add(id));
		return { ...result, fields };
	}

	async loadOptions(method: string): Promise<INodePropertyOptions[]> {
		const load = this.type.methods?.loadOptions?.[method];
		if (load === undefined) throw new Error(`The node has no loadOptions method "${method}".`);
		return await load.call(this.context);
	}
}
