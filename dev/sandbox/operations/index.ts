import type { Operations } from '../call';
import type { Service } from '../service';
import { accessGrantOperations } from './accessGrant';
import { botOperations } from './bot';
import { browserOperations } from './browser';
import { cliOperations } from './cli';
import { cliServiceOperations } from './cliService';
import { humanAssistOperations } from './humanAssist';
import { proxyOperations } from './proxy';
import { runOperations } from './run';
import { taskOperations } from './task';
import { templateOperations } from './template';
import { workflowOperations } from './workflow';
import { workflowTemplateOperations } from './workflowTemplate';

/** Every operation of the OpenAPI document, by its operationId. */
export function allOperations(service: Service): Operations {
	return {
		...botOperations(service),
		...templateOperations(service),
		...runOperations(service),
		...workflowOperations(service),
		...workflowTemplateOperations(service),
		...taskOperations(service),
		...browserOperations(service),
		...accessGrantOperations(service),
		...proxyOperations(service),
		...humanAssistOperations(service),
		...cliOperations(service),
		...cliServiceOperations(),
	};
}
