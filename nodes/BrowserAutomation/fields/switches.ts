import type { Field } from './field';

/** What a user reads about a switch, and how it stands where it is not added. */
interface SwitchWording {
	name: string;
	displayName: string;
	description: string;
	/** How it stands when the user adds it; off unless said otherwise. */
	default?: boolean;
	absent?: boolean;
}

/** Something that is on or off, under Options. */
export function switchOption({
	name,
	default: byDefault = false,
	absent = byDefault,
	...wording
}: SwitchWording): Field<boolean> {
	return {
		name,
		group: 'options',
		parameter: { ...wording, type: 'boolean', default: byDefault },
		read: (raw) => (raw === undefined ? absent : raw === true || raw === 'true'),
	};
}
