import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
} from 'n8n-workflow';

import { attempt } from '../service/attempt';
import { HelpfulError, InputError, messageOf } from '../service/errors';
import { mapConcurrently } from '../service/concurrency';
import { partOf } from '../service/json/json';

/** The credential that holds the base URL and the API key. */
export const API_CREDENTIAL = 'browserAutomationApi';

/** The credential that holds the base URL and how the signed public operations are signed. */
export const SIGNING_CREDENTIAL = 'browserAutomationSigningApi';

/** What a node's context offers for talking to the service. */
export type NodeContext = Extract<
	IAllExecuteFunctions,
	{ helpers: { httpRequestWithAuthentication: unknown } }
>;

/** A decrypted credential: where the service is, what is secret, and what n8n adds. */
export type Credential = ICredentialDataDecryptedObject & { baseUrl: string };

/** The one that has the API key. */
export type ApiCredential = Credential & { apiKey: string };

/** What names an account among all that this process knows. */
export function accountOf({ baseUrl, apiKey }: ApiCredential): string {
	return `${baseUrl} ${apiKey}`;
}

/** Reads the node's credential. @throws NodeOperationError (n8n's own) when the node has none */
export async function readApiCredential(context: NodeContext): Promise<ApiCredential> {
	return await context.getCredentials<ApiCredential>(API_CREDENTIAL);
}

/** The ID of the credential that the node uses: another one may be another account's, a new key of this one need not. */
export function credentialIdOf(context: NodeContext): string {
	return context.getNode().credentials?.[API_CREDENTIAL]?.id ?? '';
}

/** An expression whose value is the same for all items and at any time: of secrets, variables or the environment alone. */
const CONSTANT = /^=\{\{\s*\$(?:secrets|vars|env)\b[^${}]*\}\}$/;

/**
 * Whether a field of the node's credential is an expression, so that each item may have a credential of its own. Only n8n's own
 * code can read fields before expressions are resolved (`CredentialsHelper.getDecrypted` of n8n 1.123 and 2.41). An n8n without
 * that code counts as having expressions.
 */
async function isOfItems(context: NodeContext, type: string): Promise<boolean> {
	const data = partOf(context, 'additionalData');
	const helper = partOf(data, 'credentialsHelper');
	const read = partOf(helper, 'getDecrypted');
	if (typeof read !== 'function') return true;
	const node = context.getNode();
	const reading = { node, data: {}, source: null };
	const found = await attempt(async (): Promise<unknown> => {
		return await read.call(helper, data, node.credentials?.[type], type, 'internal', reading, true);
	});
	if (!found.ok) return true;
	const isExpression = (value: unknown): boolean =>
		typeof value === 'string' && value.startsWith('=') && !CONSTANT.test(value);
	return ['baseUrl', 'apiKey', 'signingSecret'].some((name) =>
		isExpression(partOf(found.value, name)),
	);
}

/** How many credentials are read at once. */
const AT_ONCE = 5;

/**
 * The credentials of all items, each with its expressions resolved for the item. Undefined where all items have that of the
 * first, as nearly all do: to find that out takes one more read, or none for a single item.
 *
 * @throws Error (n8n's own) where an expression cannot be resolved for an item
 */
export async function credentialsOfItems(
	context: IExecuteFunctions,
	type: string,
): Promise<Credential[] | undefined> {
	const items = context.getInputData();
	if (items.length < 2 || !(await isOfItems(context, type))) return undefined;
	return await mapConcurrently(
		items,
		AT_ONCE,
		async (_, index) => await context.getCredentials<Credential>(type, index),
	);
}

/** Refuses items of several accounts: one watcher polls their runs, and one page shows them. @throws InputError that says what to do */
export async function checkOneAccount(context: IExecuteFunctions, credential: ApiCredential) {
	const credentials = (await credentialsOfItems(context, API_CREDENTIAL)) ?? [];
	const isOther = (other: Credential): boolean =>
		accountOf({ ...other, apiKey: String(other.apiKey) }) !== accountOf(credential);
	const itemIndex = credentials.findIndex(isOther);
	if (itemIndex < 0) return;
	throw new InputError(
		`Item ${itemIndex} has another API key or base URL than item 0 (items count from 0), and the runs of one batch belong to one account`,
		'Nothing was started. Put a Loop Over Items node with a batch size of 1 before this node: each round then uses the credential of its item.',
	);
}

/** A credential that cannot be read while the execution is suspended: n8n fills expressions in from items, which it has while the node works. */
export class SuspendedCredentialError extends HelpfulError {
	constructor(error: unknown) {
		const advice =
			"A field of the credential is an expression, which n8n can only resolve while the node works. Cancel the run in the service, or press 'Cancel all runs' if the page has that button: then the node does it.";
		super(`${messageOf(error).replace(/\.$/, '')}. ${advice}`, '');
	}
}

/** Throws what kept the node's credential from being read while the execution is suspended. */
export async function throwUnread(context: NodeContext, error: unknown): Promise<never> {
	const isExpression = await isOfItems(context, API_CREDENTIAL).catch(() => false);
	throw isExpression ? new SuspendedCredentialError(error) : error;
}
