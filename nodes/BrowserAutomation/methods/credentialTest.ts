import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { connectForTest } from '../transport/client';
import { HelpfulError, messageOf } from '../service/errors';
import { KEY_TEST } from '../service/http/credential';

/**
 * Tests the base URL and the API key with a small authenticated read. The node does it rather than
 * the credential, because n8n shows only the HTTP status of a credential's own test, not what the
 * service says.
 */
export async function testApiKey(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		await connectForTest(this, data).send(KEY_TEST);
		return { status: 'OK', message: 'The service accepted the API key' };
	} catch (error) {
		const advice = error instanceof HelpfulError ? `. ${error.advice}` : '';
		return { status: 'Error', message: `${messageOf(error)}${advice}` };
	}
}
