/** JSON Lines: every event as it is, one a line, with `type` and `at` in epoch milliseconds; and every line that was written. */
import type { SchedulerEvent } from '../../index.ts';
import type { Output } from '../args/command.ts';
import type { Notice, Reporter, WrittenLine } from './reporter.ts';

export class JsonReporter implements Reporter {
  readonly #out: Output;

  constructor(out: Output) {
    this.#out = out;
  }

  event(event: SchedulerEvent): void {
    this.#write(event);
  }

  notice(notice: Notice): void {
    this.#write(notice);
  }

  output(line: WrittenLine, at: number): void {
    this.#write({ type: 'Output', at, ...line });
  }

  close(): void {}

  #write(value: object): void {
    this.#out.write(`${JSON.stringify(value, withErrors)}\n`);
  }
}

/** An error has no enumerable fields, and so would become `{}`. */
const withErrors = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { name: value.name, message: value.message } : value;
