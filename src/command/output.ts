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

/** A line as it is published. */
export interface PublishedLine extends OutputLine {
  /** Nothing more is read from the program until the promise settles. The program itself waits when its pipe is full. */
  readonly hold: (until: Promise<unknown>) => void;
}

/**
 * The diagnostics channel (`node:diagnostics_channel`) on which a {@link PublishedLine} is published for each line that a program without
 * an `onOutput` writes. While something subscribes to it, the lines are not printed.
 */
export const OUTPUT_CHANNEL = 'obbligato:command:output';
const published = channel(OUTPUT_CHANNEL);

/** Publishes or prints a line. What it answers settles when there is room for more. */
export function publishOutput(output: OutputLine): Promise<unknown> | undefined {
  if (!published.hasSubscribers) return print(output);
  const holds: Promise<unknown>[] = [];
  published.publish({ ...output, hold: (until: Promise<unknown>) => holds.push(until) });
  return holds.length === 0 ? undefined : Promise.allSettled(holds);
}

const draining = new Map<OutputLine['stream'], Promise<void>>();

function print({ task, stream, line }: OutputLine): Promise<void> | undefined {
  if (process[stream].write(`${printable(task)} | ${line}\n`)) return undefined;
  const known = draining.get(stream);
  if (known !== undefined) return known;
  const drained = new Promise<void>((resolve) => {
    process[stream].once('drain', resolve).once('close', resolve);
  }).then(() => void draining.delete(stream));
  draining.set(stream, drained);
  return drained;
}
