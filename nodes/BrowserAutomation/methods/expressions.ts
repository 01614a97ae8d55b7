/**
 * Whether n8n would take a text for an expression. What the editor is given to choose from, or to
 * begin with, is kept in the node's parameters, and a text there that begins with "=" is worked out
 * with the workflow's data when the node runs. So nothing that others have written may begin so.
 */
export function isExpression(value: unknown): boolean {
	return typeof value === 'string' && value.startsWith('=');
}

/** A text to be shown that n8n never takes for an expression. */
export function asPlainText(text: string): string {
	return isExpression(text) ? ` ${text}` : text;
}
