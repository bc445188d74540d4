/**
 * Where the lines of programs go that have no `onOutput` of their own. They are published on a diagnostics channel of Node's,
 * which is one for the whole process even if two copies of this library are loaded; the command line listens there. If there is
 * no listener, they go to this process's own output with the task's name before them, so that no program fails in silence.
 */
import { channel } from 'node:diagnostics_channel';

import { printable } from '../text/printable.ts';

/** A line that a program has written, and whose it was. */
export interface OutputLine {
  readonly task: string;
  readonly stream: 'stdout' | 'stderr';
  readonly line: string;
}

/**
 * The diagnostics channel (`node:diagnostics_channel`) on which an {@link OutputLine} is published for each line that a program without
 * an `onOutput` writes. While something subscribes to it, the lines are not printed.
 */
export const OUTPUT_CHANNEL = 'obbligato:command:output';
const published = channel(OUTPUT_CHANNEL);

export function publishOutput(output: OutputLine): void {
  if (published.hasSubscribers) published.publish(output);
  else process[output.stream].write(`${printable(output.task)} | ${output.line}\n`);
}
