import { InputError } from '../service/errors';
import { numberIn, type Field } from './field';

/** What a user reads about a number, and what it may be at most. */
interface NumberWording {
	name: string;
	displayName: string;
	description: string;
	default: number;
	most?: number;
}

/** A whole number of at least 1 under Options. Where it is not added it is the default. */
export function numberOption({ most = Infinity, ...wording }: NumberWording): Field<number> {
	const { name, displayName, description, default: usual } = wording;
	const range = most === Infinity ? 'from 1' : `from 1 to ${most}`;
	return {
		name,
		group: 'options',
		parameter: {
			displayName,
			type: 'number',
			typeOptions: { minValue: 1, ...(most !== Infinity && { maxValue: most }) },
			default: usual,
			description,
		},
		read: (raw) => {
			const value = raw === undefined ? usual : numberIn(raw);
			if (Number.isInteger(value) && value >= 1 && value <= most) return value;
			throw new InputError(
				`${displayName} is not a whole number ${range}`,
				`Enter e.g. ${usual}, or remove the option.`,
			);
		},
	};
}
