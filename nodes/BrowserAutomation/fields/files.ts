import { FILE_GROUPS, type FileGroup } from '../service/files/files';
import type { Field, FieldSet, ReadParam } from './field';
import { choice, multiChoice, numberOption, switchOption, text } from './fieldBuilders';
import { readOptionalText } from './parseValue';

const FILE_TYPES: Record<FileGroup, readonly [string, string]> = {
	csv: ['CSV', 'The result as comma-separated values'],
	json: ['JSON', 'The result as JSON'],
	md: ['Markdown', 'The result as a Markdown table'],
	xml: ['XML', 'The result as XML'],
	other: ['Other Files', 'Files that the run created or downloaded, and results in other formats'],
};

/** Which files of a run to download, where downloading is the whole point. */
const fileTypesField = multiChoice('fileTypes', 'File Types', {
	default: FILE_GROUPS,
	description: 'Which files of the run to download',
	choices: FILE_TYPES,
});

/** Which files of a run to download beside something else; none unless the option is added. */
function downloadFilesOption(where: string, further = ''): Field<readonly FileGroup[]> {
	return multiChoice('downloadFiles', 'Download Files', {
		under: 'files',
		default: FILE_GROUPS,
		absent: [],
		description: `Files to add to ${where} as json, csv, md, xml, file_1, …${further}`,
		choices: FILE_TYPES,
	});
}

const downloadWithOutput = downloadFilesOption('the run’s first item');

const downloadWithEvents = downloadFilesOption(
	'the run’s event',
	'. For large files use Run > Download Files instead, because events have to be passed on quickly.',
);

const binaryPrefixOption = text('binaryPrefix', 'File Field Prefix', {
	under: 'files',
	placeholder: 'e.g. run_',
	description: 'With run_ the field json is run_json',
	read: readOptionalText,
});

const maxFileSizeOption = numberOption('maxFileSize', 'Max File Size (MB)', {
	under: 'files',
	default: 100,
	absent: undefined,
	isFraction: true,
	unit: 1024 ** 2,
	description: 'Without it there is no limit',
});

const ifFileFailsOption = choice('ifFileFails', 'If a File Cannot Be Downloaded', {
	under: 'files',
	default: 'fail',
	choices: {
		continue: [
			'Continue Without It',
			'Continue with the other files. The item’s list “files” says which one failed.',
		],
		fail: ['Fail', 'Stop with a message that names the file'],
	},
});

const ifNoFileOption = choice('ifNoFile', 'If There Is No File', {
	under: 'files',
	default: 'skip',
	absent: 'passOn' as const,
	description:
		"What to do with an event of a run that has none of the files chosen under 'Download Files'. Without this option it is passed on.",
	choices: {
		fail: ['Fail', 'Make it a failed execution that names the run'],
		passOn: ['Pass It On', 'Start the workflow without a file'],
		skip: ['Skip It', 'Do not start the workflow, unless a file is there and cannot be downloaded'],
	},
});

export const includeInputFilesOption = switchOption('includeInputFiles', 'Include Input Files', {
	under: 'files',
	description: 'Whether the first item also has the input item’s files',
});

const FILE_OPTIONS = [binaryPrefixOption, maxFileSizeOption, ifFileFailsOption];

/** An option that is of use with files to download. */
function withDownload(option: Field<unknown>): Field<unknown> {
	return { ...option, showWhen: { downloadFiles: [{ _cnd: { exists: true } }] } };
}

/** Which files an operation downloads. */
export const DOWNLOAD: FieldSet<FileSettings> = {
	fields: [fileTypesField, ...FILE_OPTIONS, includeInputFilesOption],
	read: (values) => toSettings(values(fileTypesField), values),
};

/** Which files go with the result of a run; undefined when none are wanted. */
export const ATTACHED_FILES: FieldSet<FileSettings | undefined> = {
	fields: [downloadWithOutput, ...FILE_OPTIONS.map(withDownload), includeInputFilesOption],
	read: (values) => {
		const groups = values(downloadWithOutput);
		return groups.length === 0 ? undefined : toSettings(groups, values);
	},
};

/** Which files go with a trigger's events: none is lost for a file. */
export const EVENT_FILES = {
	fields: [
		downloadWithEvents,
		...[ifNoFileOption, binaryPrefixOption, maxFileSizeOption].map(withDownload),
	],
	read: (values: ReadParam) => {
		const files = ATTACHED_FILES.read(values);
		if (files === undefined) return { ifNoFile: 'passOn' as const };
		const ifNoFile = values(ifNoFileOption);
		return { files: { ...files, ifOneFails: 'continue' as const }, ifNoFile };
	},
};

function toSettings(groups: readonly FileGroup[], values: ReadParam) {
	return {
		groups,
		prefix: values(binaryPrefixOption) ?? '',
		ifOneFails: values(ifFileFailsOption),
		maxBytes: values(maxFileSizeOption),
	};
}

/** How files become binary fields; without `maxBytes` of any size. Kept as JSON while an execution sleeps. */
export type FileSettings = ReturnType<typeof toSettings>;
