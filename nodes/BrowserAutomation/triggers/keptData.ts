import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

/** Whose data it is: the trigger's node ID and callback URL. */
const OWNER = 'owner';

/**
 * What the workflow keeps for this trigger between its calls, to be changed. A workflow may come with
 * what was kept for another trigger, or for this one at another address (n8n's public API imports it):
 * that is thrown away, since callbacks never come from there.
 */
export function keptDataOf(context: IHookFunctions | IWebhookFunctions): IDataObject {
	const kept = context.getWorkflowStaticData('node');
	const owner = ownerOf(context);
	if (kept[OWNER] === owner) return kept;
	for (const key of Object.keys(kept)) delete kept[key];
	kept[OWNER] = owner;
	return kept;
}

/**
 * The same, only to be read. n8n stores all that a call has changed, as it was when the call came: one
 * that has no news changes nothing, so that it does not undo what others have stored meanwhile.
 */
export function readKeptData(context: IWebhookFunctions): Readonly<IDataObject> {
	const kept = context.getWorkflowStaticData('node');
	return kept[OWNER] === ownerOf(context) ? kept : {};
}

function ownerOf(context: IHookFunctions | IWebhookFunctions): string {
	return `${context.getNode().id} ${context.getNodeWebhookUrl('default')}`;
}
