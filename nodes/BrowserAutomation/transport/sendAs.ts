import type { IAdditionalCredentialOptions, IHttpRequestOptions } from 'n8n-workflow';

import type { Caller } from './client';

/** An object that is another one but for some of its members. */
const inherit: (from: Caller, own: PropertyDescriptorMap) => Caller = Object.create;

/** Sends a request with a credential. It ends by its own signal, in whose place n8n puts the context's, which does less. */
export async function sendAs(
	context: Caller,
	credential: string,
	options: IHttpRequestOptions,
	further?: IAdditionalCredentialOptions,
): Promise<unknown> {
	const sender = inherit(context, {
		getExecutionCancelSignal: { value: () => options.abortSignal },
	});
	return await context.helpers.httpRequestWithAuthentication.call(
		sender,
		credential,
		options,
		further,
	);
}
