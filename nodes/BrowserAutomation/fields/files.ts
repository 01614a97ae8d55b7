import type { INodePropertyOptions } from 'n8n-workflow';

import { InputError } from '../service/errors';
import { FILE_GROUPS, type FileGroup } from '../service/files/files';
import { numberIn, type Field, type Values } from './field';
import { readChoices } from './parseValue';
import { switchOption } from './switches';

const BYTES_PER_MB = 1024 ** 2;

const FILE_TYPES: INodePropertyOptions[] = [
	{ name: 'CSV', value: 'csv', description: 'The result as comma-separated values' },
	{ name: 'JSON', value: 'json', description: 'The result as JSON' },
	{ name: 'Markdown', value: 'md', description: 'The result as a Markdown table' },
	{
		name: 'Other Files',
		value: 'other',
		description: 'Files that the run created or downloaded, and results in other formats',
	},
	{ name: 'XML', value: 'xml', description: 'The result as XML' },
];

/** Which files of a run to download, where downloading is the whole point. */
export const fileTypesField: Field<FileGroup[]> = {
	name: 'fileTypes',
	parameter: {
		displayName: 'File Types',
		type: 'multiOptions',
		default: [...FILE_GROUPS],
		description: 'Which files of the run to download',
		options: FILE_TYPES,
	},
	read: (raw = [...FILE_GROUPS]) => readChoices(raw, FILE_GROUPS, 'File Types'),
};

/** Which files of a run to download beside something else; none unless the option is added. */
function downloadFilesOption(description: string): Field<FileGroup[]> {
	return {
		name: 'downloadFiles',
		group: 'options',
		parameter: {
			displayName: 'Download Files',
			type: 'multiOptions',
			default: [...FILE_GROUPS],
			description,
			options: FILE_TYPES,
		},
		read: (raw = []) =>
			Array.isArray(raw) && raw.length === 0 ? [] : readChoices(raw, FILE_GROUPS, 'Download Files'),
	};
}

const downloadWithOutput = downloadFilesOption(
	'Which files of the run to add to its output as binary fields (json, csv, md, xml, file_1, file_2, …). With Output set to Rows they are on the first row.',
);

const downloadWithEvents = downloadFilesOption(
	'Which files of the run to add to its events as binary fields (json, csv, md, xml, file_1, file_2, …). With Output set to Rows they are on the first row. For large files use Run > Download Files instead, because events have to be passed on quickly.',
);

const binaryPrefixOption: Field<string> = {
	name: 'binaryPrefix',
	group: 'options',
	parameter: {
		displayName: 'Binary Field Prefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. run_',
		description: 'Prefix for binary field names, e.g. "run_" for run_json and run_file_1',
	},
	read: (raw) => (typeof raw === 'string' ? raw : ''),
};

const maxFileSizeOption: Field<number> = {
	name: 'maxFileSize',
	group: 'options',
	parameter: {
		displayName: 'Max File Size (MB)',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 100,
		description: 'Largest file to download. Without this option there is no limit.',
	},
	read: (raw) => {
		if (raw === undefined || raw === null || raw === '') return Infinity;
		const megabytes = numberIn(raw);
		if (Number.isFinite(megabytes) && megabytes > 0) return megabytes * BYTES_PER_MB;
		throw new InputError(
			'Max File Size is not a number above 0',
			'Enter megabytes, e.g. 100, or remove the option.',
		);
	},
};

/** What happens to the others when one file of a run cannot be downloaded. */
export type IfFileFails = 'fail' | 'continue';

const ifFileFailsOption: Field<IfFileFails> = {
	name: 'ifFileFails',
	group: 'options',
	parameter: {
		displayName: 'If a File Cannot Be Downloaded',
		type: 'options',
		default: 'fail',
		description: 'What to do when one of the files cannot be downloaded',
		options: [
			{
				name: 'Continue and List It',
				value: 'continue',
				description:
					'Continue with the other files. The item’s list “files” says which one is missing.',
			},
			{ name: 'Fail', value: 'fail', description: 'Stop with a message that names the file' },
		],
	},
	read: (raw) => (raw === 'continue' ? 'continue' : 'fail'),
};

/** Whether an event is passed on although its run has none of the wanted files. */
const ifNoFileOption: Field<'skip' | 'passOn'> = {
	name: 'ifNoFile',
	group: 'options',
	parameter: {
		displayName: 'If There Is No File',
		type: 'options',
		default: 'skip',
		description:
			'What to do with an event of a run that has none of the files chosen under Download Files. Without this option it is passed on.',
		options: [
			{ name: 'Pass It On', value: 'passOn', description: 'Start the workflow without a file' },
			{
				name: 'Skip It',
				value: 'skip',
				description: 'Do not start the workflow, unless a file is there and cannot be downloaded',
			},
		],
	},
	read: (raw) => (raw === 'skip' ? raw : 'passOn'),
};

/** Whether the binary fields of the input go on beside those of the run. */
export const keepInputFilesOption = switchOption({
	name: 'keepInputFiles',
	displayName: 'Keep Input Files',
	description:
		'Whether to keep the binary fields of the input item, on the first item made from it. A file of the run replaces one with the same name.',
});

/** How files become binary fields. Kept as JSON while an execution sleeps. */
export interface FileSettings {
	groups: FileGroup[];
	prefix: string;
	/** Missing where all of them are wanted. */
	ifOneFails?: IfFileFails;
	/** In bytes; missing when there is no limit. */
	maxBytes?: number;
}

const FILE_OPTIONS = [binaryPrefixOption, maxFileSizeOption];

const RESULT_OPTIONS = [...FILE_OPTIONS, ifFileFailsOption, keepInputFilesOption];

/** What an operation offers that downloads the files of a run. */
export const DOWNLOAD_FIELDS = [fileTypesField, ...RESULT_OPTIONS];

/** What an operation offers that gives the result of a run, with its files if the user likes. */
export const ATTACHING_FILES_FIELDS = [downloadWithOutput, ...RESULT_OPTIONS];

/** What a trigger offers that tells of runs, with their files if the user likes: an event is not lost for a file. */
export const EVENT_FILES_FIELDS = [downloadWithEvents, ifNoFileOption, ...FILE_OPTIONS];

/** The settings of an operation with `DOWNLOAD_FIELDS`. */
export function readDownloadSettings(values: Values): FileSettings {
	return toSettings(values(fileTypesField), values);
}

/** The settings of an operation with `ATTACHING_FILES_FIELDS`; undefined when no files are wanted. */
export function readAttachingSettings(values: Values): FileSettings | undefined {
	const groups = values(downloadWithOutput);
	return groups.length === 0 ? undefined : toSettings(groups, values);
}

/** The settings of a trigger with `EVENT_FILES_FIELDS`. */
export function readEventFiles(values: Values): {
	files: FileSettings | undefined;
	skipsWithoutFile: boolean;
} {
	const files = readAttachingSettings(values);
	return {
		files: files && { ...files, ifOneFails: 'continue' },
		skipsWithoutFile: files !== undefined && values(ifNoFileOption) === 'skip',
	};
}

function toSettings(groups: FileGroup[], values: Values): FileSettings {
	const maxBytes = values(maxFileSizeOption);
	return {
		groups,
		prefix: values(binaryPrefixOption),
		ifOneFails: values(ifFileFailsOption),
		...(maxBytes !== Infinity && { maxBytes }),
	};
}
