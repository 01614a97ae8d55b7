/** Parameters that several operations share, by domain. */
export * from './body';
export * from './bots';
export * from './browsers';
export * from './forwarding';
export * from './humanAssist';
export * from './input';
export * from './parseValue';
export * from './runs';
export * from './workflows';
