/** Ready-made callbacks that run programs. */
export { type CommandOptions, command } from './command.ts';
export * from './errors.ts';
export type { OutputLine } from './output.ts';
