/** Ready-made callbacks that run programs. */
export { type CommandOptions, command } from './command.ts';
export * from './errors.ts';
export { OUTPUT_CHANNEL, type OutputLine, type PublishedLine } from './output.ts';
