/**
 * What callbacks and programs write, line by line and with the name of the task, instead of right through the live view or between
 * the lines of a log. Callbacks are known by Node's asynchronous context, and programs publish their lines with their name.
 *
 *     idle ──start──▶ capturing ──stop──▶ idle
 *
 * While it captures, `process.stdout.write` and `process.stderr.write` are ours. A line that was begun and not ended comes out at `stop`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type Config, wrapCallbacks } from '../../config.ts';
import { OUTPUT_CHANNEL, type PublishedLine } from '../../index.ts';
import { Lines } from '../../text/lines.ts';
import type { WrittenLine } from './reporter.ts';

/** Takes a line, and answers when there is room for more; undefined for now. */
type OnLine = (line: WrittenLine) => Promise<void> | undefined;

type StreamName = WrittenLine['stream'];

export class Capture {
  readonly #task = new AsyncLocalStorage<string>();
  readonly #lines = new Map<string, Lines>();
  readonly #originals = { stdout: process.stdout.write, stderr: process.stderr.write };
  readonly #onLine: OnLine;
  readonly #onProgram = (message: unknown): void => {
    const { task, stream, line, hold } = message as PublishedLine;
    const room = this.#onLine({ task, stream, line });
    if (room !== undefined) hold(room);
  };

  constructor(onLine: OnLine) {
    this.#onLine = onLine;
  }

  /** The same tasks, whose callbacks are known by name in whatever they do. */
  named(tasks: Config['tasks']): Config['tasks'] {
    return wrapCallbacks(tasks, (run, name) => (context) => this.#task.run(name, run, context));
  }

  start(): void {
    subscribe(OUTPUT_CHANNEL, this.#onProgram);
    this.#take('stdout');
    this.#take('stderr');
  }

  stop(): void {
    unsubscribe(OUTPUT_CHANNEL, this.#onProgram);
    process.stdout.write = this.#originals.stdout;
    process.stderr.write = this.#originals.stderr;
    for (const lines of this.#lines.values()) lines.end();
    this.#lines.clear();
  }

  #take(stream: StreamName): void {
    process[stream].write = (
      chunk: Uint8Array | string,
      encodingOrDone?: BufferEncoding | ((error?: Error | null) => void),
      done?: (error?: Error | null) => void,
    ): boolean => {
      this.#linesOf(stream).push(chunk);
      const whenDone = typeof encodingOrDone === 'function' ? encodingOrDone : done;
      if (whenDone !== undefined) process.nextTick(whenDone);
      return true;
    };
  }

  #linesOf(stream: StreamName): Lines {
    const task = this.#task.getStore();
    const key = `${stream} ${task ?? ''}`;
    let lines = this.#lines.get(key);
    if (lines === undefined) {
      lines = new Lines((line) => this.#onLine({ ...(task === undefined ? {} : { task }), stream, line }));
      this.#lines.set(key, lines);
    }
    return lines;
  }
}
