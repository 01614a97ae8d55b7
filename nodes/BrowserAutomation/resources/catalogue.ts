import { accessGrant } from './accessGrant';
import { bot, template } from './bot';
import { browser } from './browser';
import { cli, publicCli } from './cli';
import { cliService } from './cliService';
import { humanAssist } from './humanAssist';
import type { Resource } from './operation';
import { proxySession, staticProxy } from './proxy';
import { run, task } from './run';
import { workflow, workflowTemplate } from './workflow';

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
