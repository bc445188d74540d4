/**
 * JSON Lines: one event per line, with `type` and `at` in epoch milliseconds, and every line that was written. An event is as the
 * scheduler emits it, but for its `error`: that is foreign, so it is described first, and never handed to `JSON.stringify`.
 */
import type { SchedulerEvent } from '../../index.ts';
import { describeError } from '../../text/describe-error.ts';
import { printableJson } from '../../text/printable.ts';
import type { Output } from '../args/command.ts';
import type { Notice, Reporter, WrittenLine } from './reporter.ts';

export class JsonReporter implements Reporter {
  readonly #out: Output;

  constructor(out: Output) {
    this.#out = out;
  }

  event(event: SchedulerEvent): void {
    this.#write('error' in event ? { ...event, error: errorDocument(event.error) } : event);
  }

  notice(notice: Notice): void {
    this.#write(notice);
  }

  output(line: WrittenLine, at: number): void {
    this.#write({ type: 'Output', at, ...line });
  }

  close(): void {}

  #write(value: object): void {
    this.#out.write(`${printableJson(JSON.stringify(value))}\n`);
  }
}

/** Its stack has the causes in it. */
function errorDocument(error: unknown): object {
  const { text, ...facts } = describeError(error);
  return { ...facts, stack: text };
}
