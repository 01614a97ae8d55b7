/** Hooks of n8n's (EXTERNAL_HOOK_FILES): they hold back the end of workflows of this name, also where they only sleep. */
const postExecute = async (_run, { name }) => {
	if (name === 'Slow hooks') await new Promise((resolve) => setTimeout(resolve, 500));
};

module.exports = { workflow: { postExecute: [postExecute] } };
