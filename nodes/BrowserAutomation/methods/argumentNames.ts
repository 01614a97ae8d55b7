import { createHash } from 'crypto';
import { isSafeObjectProperty } from 'n8n-workflow';

import { labelOf, titleOf, type FormField } from '../service/schema/form';
import { nameList } from '../service/schema/wording';
import { shorten } from '../service/text';
import { asPlainText } from './lists';

/** The longest name of an argument, in characters. */
const ARGUMENT_LENGTH = 63;

/** The longest name of an input that is put beside its title, in characters. */
const MAX_NAME_LENGTH = 30;

/**
 * The name that n8n's editor gives to the argument by which a model fills in a field: of its label, and of what its own name
 * counts, e.g. `items[0]` (1.123 and 2.41: `buildUniqueName`, `sanitizeFromAiParameterName` in `fromAIOverride.utils.ts`).
 */
function argumentName(name: string, label: string): string {
	const counted = `value["${name}"]`.split('.').filter((step) => /\[\d+\]/.test(step));
	const whole = [...counted.map((step) => step.replace(/[[\]]/g, '')), label].join('_');
	const cut = counted.length > 1 ? whole.slice(-ARGUMENT_LENGTH) : whole.slice(0, ARGUMENT_LENGTH);
	return cut.replace(/[^a-zA-Z0-9-]/g, '_');
}

/** Whether most letters and digits of a text stay in an argument's name. */
function isLegible(text: string): boolean {
	const letters = text.slice(0, ARGUMENT_LENGTH).match(/[\p{L}\p{N}]/gu) ?? [];
	const kept = letters.filter((letter) => /[a-zA-Z0-9]/.test(letter));
	return kept.length > 0 && kept.length * 2 >= letters.length;
}

/**
 * A form of which n8n's editor gives each field to a model as an argument of its own: the label has the input's name beside a
 * title that n8n would drop or that is another field's, too, and a code where that does not help. A label depends on no field
 * but those that would get its name, so that names that a workflow keeps stay good when its bot takes further inputs. n8n
 * lets a model fill in no list of choices: it becomes text, whose label names as many of them as the argument can. A
 * description cannot come with the form: n8n would find it there beside the one that the user gives, and refuse both.
 */
export function forModel(form: FormField[]): FormField[] {
	const candidates = form.map((field) => ({ field, labels: labelsFor(field) }));
	for (let isClear = false; !isClear;) {
		const names = candidates.map(({ field, labels: [label = ''] }) =>
			argumentName(field.name, label),
		);
		const isTaken = (name = ''): boolean =>
			!isSafeObjectProperty(name) || names.indexOf(name) !== names.lastIndexOf(name);
		const unclear = candidates.filter(
			({ labels }, index) => labels.length > 1 && isTaken(names[index]),
		);
		for (const { labels } of unclear) labels.shift();
		isClear = unclear.length === 0;
	}
	return candidates.map(({ field, labels: [label = ''] }) => ({
		...field,
		kind: field.choices.length > 0 ? 'text' : field.kind,
		label,
	}));
}

/** The labels that a field can have, the plainest first. */
function labelsFor(field: FormField): string[] {
	const { name, schema } = field;
	const title = asPlainText(titleOf(name, schema));
	const namesIt = isLegible(name) && name !== title;
	const code = createHash('sha256').update(name).digest('hex');
	const further = [
		...(namesIt ? [shorten(name, MAX_NAME_LENGTH)] : []),
		code.slice(0, 4),
		code.slice(0, 12),
	];
	const marked = further.map((mark) => {
		const room = ARGUMENT_LENGTH - ` (${mark})…`.length;
		return labelOf(`${shorten(title, room)} (${mark})`, schema);
	});
	const labels = namesIt && !isLegible(title) ? marked : [field.label, ...marked];
	return labels.map((label) => asPlainText(withChoices(label, field)));
}

function withChoices(label: string, { choices }: FormField): string {
	const names = choices.map(({ value }) => String(value));
	const labels = names
		.slice(0, ARGUMENT_LENGTH)
		.map((_, index) => `${label} (${nameList(names, index + 1)})`);
	return labels.filter(({ length }) => length <= ARGUMENT_LENGTH).at(-1) ?? label;
}
