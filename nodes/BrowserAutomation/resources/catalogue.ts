import { bot } from './bot';
import type { Resource } from './operation';
import { run } from './run';
import { template } from './template';

/** Everything the service offers. The node's parameters and their execution follow from this list. */
export const catalogue: readonly Resource[] = [bot, run, template];
