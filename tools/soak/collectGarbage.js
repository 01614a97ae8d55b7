/**
 * Loaded into n8n: has it collect all its garbage three times a minute. V8 alone leaves hundreds of megabytes lying about where there
 * is room, so that what n8n keeps could not be told from what it has dropped.
 */
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const EVERY_MS = 20_000;

setFlagsFromString('--expose-gc');
setInterval(runInNewContext('gc'), EVERY_MS).unref();
