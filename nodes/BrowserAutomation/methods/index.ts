import { testApiKey } from './credentialTest';
import { getRegions, listSearch } from './lists';
import { getOutputFields, getRowFields, searchRowLists } from './outputFields';
import { getInputExample, getInputFields } from './resourceMapping';

/**
 * What the editor may ask each of the nodes for. What cannot be shown is a NodeApiError or NodeOperationError that says why.
 */
export const editorMethods = {
	credentialTest: { testApiKey },
	listSearch: { ...listSearch, searchRowLists },
	loadOptions: { getRegions, getOutputFields, getRowFields },
	resourceMapping: { getInputExample, getInputFields },
};
