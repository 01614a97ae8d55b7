import {
	ICredentialsHelper,
	type IExecuteData,
	type ICredentialsExpressionResolveValues,
	type WorkflowExecuteMode,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type ICredentials,
	type IHttpRequestOptions,
	type INodeCredentials,
	type INodeCredentialsDetails,
	type INodeProperties,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

/** Decrypted credential data by credential type, e.g. `{ exampleApi: { apiKey: 'k' } }`. */
export type CredentialData = Record<string, ICredentialDataDecryptedObject>;

/** The server's `CredentialsHelper`, in memory: fills in defaults, drops undeclared fields, resolves expressions. Only a function can authenticate. */
export class HarnessCredentials extends ICredentialsHelper {
	private readonly stored = new Map<string, ICredentialDataDecryptedObject>();

	/** How often a credential was decrypted (a database read and a decryption in a real n8n). */
	decryptions = 0;

	constructor(private readonly types: Record<string, ICredentialType>) {
		super();
	}

	/** Stores credentials, each once, and returns the references a node of a workflow holds. */
	store(credentials: CredentialData): INodeCredentials {
		const references: INodeCredentials = {};
		for (const [type, data] of Object.entries(credentials)) {
			const known = [...this.stored].find(([, kept]) => kept === data);
			const id = known?.[0] ?? String(this.stored.size + 1);
			this.stored.set(id, data);
			references[type] = { id, name: `${type} ${id}` };
		}
		return references;
	}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		reference: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		_executeData?: IExecuteData,
		raw = false,
		at?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		const stored = this.stored.get(reference.id ?? '');
		if (stored === undefined) {
			throw new Error(`Credential with ID "${reference.id}" does not exist for type "${type}".`);
		}
		this.decryptions += 1;
		const data: ICredentialDataDecryptedObject = {};
		for (const property of this.getCredentialsProperties(type)) {
			const value = stored[property.name] ?? property.default;
			if (value === undefined || value === null) continue;
			const isExpression = !raw && typeof value === 'string' && value.startsWith('=');
			const shown = isExpression ? resolved(value, mode, at) : value;
			if (isCredentialValue(shown)) data[property.name] = structuredClone(shown);
		}
		return data;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		incoming: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.getType(typeName);
		if (typeof authenticate === 'function') return await authenticate(credentials, incoming);
		throw new Error('The harness does not simulate declarative authentication.');
	}

	async preAuthentication(): Promise<undefined> {}

	async runPreAuthentication(): Promise<undefined> {}

	getCredentialsProperties(type: string): INodeProperties[] {
		return this.getType(type).properties;
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async getCredentials(): Promise<ICredentials> {
		throw new Error('The harness keeps credentials decrypted: there is nothing to read encrypted.');
	}

	async updateCredentials(): Promise<void> {
		throw new Error('The harness does not store credentials changed by a node.');
	}

	async updateCredentialsOauthTokenData(): Promise<void> {
		throw new Error('The harness does not store OAuth tokens.');
	}

	private getType(name: string): ICredentialType {
		const type = this.types[name];
		if (type === undefined) {
			const known = Object.keys(this.types).join(', ');
			throw new Error(`The harness has no credential type "${name}". It has: ${known}`);
		}
		return type;
	}
}

function isCredentialValue(value: unknown): value is ICredentialDataDecryptedObject[string] {
	return ['string', 'number', 'boolean', 'object'].includes(typeof value);
}

/** What an expression gives for an item; n8n knows no items while an execution sleeps. */
function resolved(
	value: string,
	mode: WorkflowExecuteMode,
	at: ICredentialsExpressionResolveValues | undefined,
): unknown {
	if (at === undefined) throw new Error("Referenced node doesn't exist");
	const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = at;
	return workflow.expression.getParameterValue(
		value,
		runExecutionData,
		runIndex,
		itemIndex,
		node.name,
		connectionInputData,
		mode,
		{},
	);
}
