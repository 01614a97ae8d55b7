import { bot, template, workflow, workflowTemplate } from './bot';
import { accessGrant, browser, humanAssist, proxySession, staticProxy } from './browser';
import { cli, cliService, publicCli } from './cli';
import type { Resource } from './operation';
import { run, task } from './run';

/**
 * Everything the service offers. The node's parameters and their execution follow from this list. The editor shows it in this
 * order, so what most users come for is first, and the older API is last.
 */
export const catalogue: readonly Resource[] = [
	bot,
	run,
	template,
	browser,
	accessGrant,
	staticProxy,
	proxySession,
	humanAssist,
	cli,
	publicCli,
	cliService,
	workflow,
	workflowTemplate,
	task,
];
