import type { INode } from 'n8n-workflow';

/** The node of a sleeping execution. */
export const node: INode = {
	id: 'a',
	name: 'Browser Automation',
	type: 'browserAutomation',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
