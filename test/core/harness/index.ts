export { Harness, toItems, type Callback, type HarnessOptions, type PollOptions } from './harness';
export type { CredentialData } from './credentials';
export type { Run } from './execution';
export type { NodeMethods } from './node-methods';
export type { PollResult } from './polling';
export type { StoredExecution } from './store';
export type { TriggerCall, WebhookTrigger } from './webhook-trigger';
export type { NodeOptions, RunOptions } from './workflow-data';
