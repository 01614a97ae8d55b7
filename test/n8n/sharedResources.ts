/** What the global setup started, for the global teardown, which runs in the same module registry. */
export const resources: Array<() => Promise<void>> = [];
