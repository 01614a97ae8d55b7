import {
	ICredentialsHelper,
	isExpression,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type ICredentials,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentials,
	type INodeCredentialsDetails,
	type INodeProperties,
	type IRequestOptionsSimplified,
	type IWorkflowExecuteAdditionalData,
	type Workflow,
} from 'n8n-workflow';
import { asHttpRequestOptions } from './core-bridge';

/** Decrypted credential data by credential type, e.g. `{ exampleApi: { apiKey: 'k' } }`. */
export type CredentialData = Record<string, ICredentialDataDecryptedObject>;

/**
 * What the server's `CredentialsHelper` does, with the decrypted data kept in memory: defaults of
 * the credential type are filled in, fields it does not declare are dropped, `authenticate` may be a
 * function or the generic object. Expressions inside credential fields are not resolved.
 */
export class HarnessCredentials extends ICredentialsHelper {
	private readonly stored = new Map<string, ICredentialDataDecryptedObject>();

	/** How often a credential was decrypted (a database read and a decryption in a real n8n). */
	decryptions = 0;

	constructor(private readonly types: Record<string, ICredentialType>) {
		super();
	}

	/** Stores credentials and returns the references a node of a workflow holds. */
	store(credentials: CredentialData): INodeCredentials {
		const references: INodeCredentials = {};
		for (const [type, data] of Object.entries(credentials)) {
			const id = String(this.stored.size + 1);
			this.stored.set(id, data);
			references[type] = { id, name: `${type} ${id}` };
		}
		return references;
	}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		reference: INodeCredentialsDetails,
		type: string,
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
			if (isCredentialValue(value)) data[property.name] = structuredClone(value);
		}
		return data;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		incoming: IHttpRequestOptions | IRequestOptionsSimplified,
		workflow?: Workflow,
		node?: INode,
	): Promise<IHttpRequestOptions> {
		const options = asHttpRequestOptions(incoming);
		const { authenticate } = this.getType(typeName);
		if (authenticate === undefined) return options;
		if (typeof authenticate === 'function') return await authenticate(credentials, options);
		if (workflow === undefined || node === undefined) {
			throw new Error('Workflow and node are required for declarative credential authentication');
		}
		const resolve = (text: string): string => {
			if (!isExpression(text)) return text;
			const keys = { $credentials: credentials };
			const value = workflow.expression.getSimpleParameterValue(
				node,
				text,
				'internal',
				keys,
				undefined,
				'',
			);
			return value === undefined || value === null ? '' : String(value);
		};
		for (const [part, fields] of Object.entries(authenticate.properties)) {
			const resolved: Record<string, string> = {};
			for (const [key, value] of Object.entries(fields ?? {})) {
				resolved[resolve(key)] = resolve(String(value));
			}
			const present: unknown = Reflect.get(options, part);
			const kept = typeof present === 'object' && present !== null ? present : {};
			Object.assign(options, { [part]: { ...kept, ...resolved } });
		}
		return options;
	}

	async preAuthentication(
		_helpers: IHttpRequestHelper,
		_credentials: ICredentialDataDecryptedObject,
		typeName: string,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		return this.refuseExpiringCredential(typeName);
	}

	async runPreAuthentication(
		_helpers: IHttpRequestHelper,
		_credentials: ICredentialDataDecryptedObject,
		typeName: string,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		return this.refuseExpiringCredential(typeName);
	}

	getCredentialsProperties(type: string): INodeProperties[] {
		return this.getType(type).properties;
	}

	getParentTypes(type: string): string[] {
		const parents = this.types[type]?.extends ?? [];
		return [...parents, ...parents.flatMap((parent) => this.getParentTypes(parent))];
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

	private refuseExpiringCredential(typeName: string): undefined {
		if (this.getType(typeName).preAuthentication !== undefined) {
			throw new Error('The harness does not simulate credentials that fetch a token themselves.');
		}
		return undefined;
	}
}

function isCredentialValue(value: unknown): value is ICredentialDataDecryptedObject[string] {
	return ['string', 'number', 'boolean', 'object'].includes(typeof value);
}
