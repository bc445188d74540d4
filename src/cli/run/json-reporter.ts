/**
 * JSON Lines: one event per line, with `type` and `at` in epoch milliseconds, and every line that was written. For collectors of logs each line also has
 * `time`, the same instant as ISO 8601 writes it, and `level`. An event is as the
 * scheduler emits it, but for its `error`: that is foreign, so it is described first, and never handed to `JSON.stringify`.
 */
import type { SchedulerEvent } from '../../index.ts';
import { describeError } from '../../text/describe-error.ts';
import { printableJson } from '../../text/printable.ts';
import type { Output } from '../args/command.ts';
import type { Notice, Reporter, WrittenLine } from './reporter.ts';

interface Said {
  readonly type: string;
  readonly at: number;
  readonly error?: unknown;
}

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

  #write(value: Said): void {
    const line = { ...value, time: new Date(value.at).toISOString(), level: levelOf(value) };
    this.#out.write(`${printableJson(JSON.stringify(line))}\n`);
  }
}

/** What does not have the level `info`. */
const OTHER_LEVELS = {
  SchedulerInitializationFailed: 'error',
  TaskRunFailed: 'error',
  TaskGaveUp: 'error',
  TaskAbandoned: 'error',
  TaskSetAside: 'error',
  StoreTroubleStarted: 'error',
  StoreLost: 'error',
  Trouble: 'error',
  OutputLost: 'error',
  TaskDueSkipped: 'warn',
  TaskStartedLate: 'warn',
  TaskChangeRefused: 'warn',
  ClockStepped: 'warn',
  LeftAtOnce: 'warn',
  Violation: 'warn',
} as const satisfies Partial<Record<(SchedulerEvent | Notice)['type'], 'error' | 'warn'>>;
const LEVELS: ReadonlyMap<string, 'error' | 'warn'> = new Map(Object.entries(OTHER_LEVELS));

/** A stop that fails has an error; other ends of a schedule have none. */
function levelOf({ type, error }: Said): 'info' | 'warn' | 'error' {
  if (type === 'SchedulerStopped' && error !== undefined) return 'error';
  return LEVELS.get(type) ?? 'info';
}

/** Its stack has the causes in it. */
function errorDocument(error: unknown): object {
  const { text, ...facts } = describeError(error);
  return { ...facts, stack: text };
}
