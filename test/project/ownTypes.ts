import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomationSigningApi } from '../../credentials/BrowserAutomationSigningApi.credentials';
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { BrowserAutomationPollingTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationPollingTrigger.node';
import { BrowserAutomationTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationTrigger.node';

/** The package's nodes, as they are before a build. */
export const NODES = [
	new BrowserAutomation(),
	new BrowserAutomationPollingTrigger(),
	new BrowserAutomationTrigger(),
];

/** What the editor shows of the nodes and the credentials. */
export const PROPERTIES = [
	...NODES.map(({ description }) => description),
	...[new BrowserAutomationApi(), new BrowserAutomationSigningApi()],
].map(({ properties }) => properties);
