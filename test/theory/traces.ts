/**
 * Traces that read like a log: `trace().at('11:59:30').init({ a: '* * * * *' }).at('12:00').start('a')`. Times are of one day, a
 * Monday, in UTC; a day in front (`'2 06:00'`) counts from it. Runs and calls are numbered as they come. A trace is never changed:
 * a mutant is a new one, made from it.
 */
import type { TraceEntry } from '../../src/trace/lines.ts';
import type { TracedPolicy, TracedRegistration, TraceEvent, TraceRecord } from '../../src/trace/record.ts';

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2026, 2, 2);

/** The epoch milliseconds of `'12:00'`, `'12:00:05.250'`, or `'1 12:00'`, a day later. */
export function instant(time: string): number {
  const [, day = '0', clock] = /^(?:(\d+) )?(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)$/.exec(time) ?? [];
  if (clock === undefined) throw new RangeError(`no time of day: ${time}`);
  const [hours, minutes, seconds = 0] = clock.split(':').map(Number);
  return FIRST_DAY + Number(day) * DAY_MS + Math.round(((hours * 60 + minutes) * 60 + seconds) * 1000);
}

/** As the oracle's sentences show it. */
export const shown = (time: string): string => new Date(instant(time)).toISOString();

/** For each task its cron expression, or that, its retry delay in milliseconds (5 s by default) and its policy. */
export type Tasks = Readonly<
  Record<string, string | readonly [cron: string, retryDelayMs: number, policy?: TracedPolicy]>
>;

export const RETRY_DELAY_MS = 5000;

export function registrations(tasks: Tasks): TracedRegistration[] {
  return Object.entries(tasks).map(([name, of]) => {
    const [cron, retryDelayMs, policy] = typeof of === 'string' ? [of, RETRY_DELAY_MS] : of;
    return { name, cron, retryDelayMs, ...(policy && { policy }) };
  });
}

export interface InitSettings {
  readonly timeZone?: string;
  readonly workers?: number;
  readonly reload?: boolean;
}

export class Trace implements Iterable<TraceRecord> {
  readonly records: readonly TraceRecord[];
  readonly #now: number;

  constructor(records: readonly TraceRecord[] = [], now = instant('12:00')) {
    this.records = records;
    this.#now = now;
  }

  [Symbol.iterator](): Iterator<TraceRecord> {
    return this.records[Symbol.iterator]();
  }

  /** Numbered as the lines of a file would be. */
  get entries(): TraceEntry[] {
    return this.records.map((record, index) => ({ record, line: index + 1, file: 'trace.jsonl' }));
  }

  /** From here on, this is the time. */
  at(time: string): Trace {
    return new Trace(this.records, instant(time));
  }

  /** `initialize()` is called and succeeds at once. */
  init(tasks: Tasks | readonly TracedRegistration[], settings: InitSettings = {}): Trace {
    return this.initStart(tasks, settings).initSuccess();
  }

  initStart(tasks: Tasks | readonly TracedRegistration[], settings: InitSettings = {}): Trace {
    const list = isList(tasks) ? tasks : registrations(tasks);
    const call = this.#calls + 1;
    return this.#add({ event: 'InitStart', call, registrations: list, timeZone: 'UTC', ...settings });
  }

  initSuccess(call = this.#lastOpen('InitStart')): Trace {
    return this.#add({ event: 'InitSuccess', call });
  }

  /** The same, and the record says when the plan was made. */
  initPlanned(at: string): Trace {
    return this.#add({ event: 'InitSuccess', call: this.#lastOpen('InitStart'), plannedAt: instant(at) });
  }

  initFailure(error: string, valid: 'valid' | 'invalid', call = this.#lastOpen('InitStart')): Trace {
    return this.#add({ event: 'InitFailure', call, error, fault: faultOf(error), valid: valid === 'valid' });
  }

  /** `stop()` is called and returns at once. */
  stop(): Trace {
    return this.stopStart().stopEnd();
  }

  stopStart(): Trace {
    return this.#add({ event: 'StopStart', call: this.#calls + 1 });
  }

  stopEnd(call = this.#lastOpen('StopStart')): Trace {
    return this.#add({ event: 'StopEnd', call });
  }

  /** `stop()` is called, and rejects: its last write has failed. */
  stopFailed(): Trace {
    const begun = this.stopStart();
    return begun.#add({ event: 'StopEnd', call: begun.#lastOpen('StopStart'), error: 'StopSchedulerError' });
  }

  /** A start, with the name of its durable record if there is one that has not been called. */
  start(task: string, runId = this.#durableId(task) ?? this.#nextId(task)): Trace {
    return this.#add({ event: 'RunStart', task, runId });
  }

  succeed(task: string, runId = this.#runOf(task)): Trace {
    return this.#add({ event: 'RunSuccess', task, runId });
  }

  /** It was completed before, in a transaction of the user (K8). */
  succeedAsOf(task: string, completed: string): Trace {
    const completedAt = instant(completed);
    return this.#add({ event: 'RunSuccess', task, runId: this.#runOf(task), completedAt });
  }

  fail(task: string, runId = this.#runOf(task)): Trace {
    return this.#add({ event: 'RunFailure', task, runId });
  }

  /** A stop has ended the run (A13). */
  interrupt(task: string): Trace {
    return this.#add({ event: 'RunInterrupted', task, runId: this.#runOf(task) });
  }

  startDurable(task: string, runId = this.#nextId(task)): Trace {
    return this.#add({ event: 'StartDurable', task, runId });
  }

  endDurable(task: string): Trace {
    return this.#add({ event: 'EndDurable', task, runId: this.#runOf(task) });
  }

  /** The scheduler lets a due pass. */
  skip(task: string, due: string, why: 'late' | 'running' = 'late'): Trace {
    return this.#add({ event: 'DueSkipped', task, dueAt: instant(due), why });
  }

  /** The record of a task is gone. */
  removed(task: string): Trace {
    return this.#add({ event: 'Removed', task });
  }

  request(task: string): Trace {
    return this.#add({ event: 'RunRequested', task });
  }

  pause(task: string): Trace {
    return this.#add({ event: 'Paused', task });
  }

  resume(task: string, from: 'here' | 'before' = 'here'): Trace {
    return this.#add({ event: 'Resumed', task, catchUp: from === 'before' });
  }

  cancel(task: string): Trace {
    return this.#add({ event: 'CancelRequested', task });
  }

  /** The list is replaced while the scheduler is active. */
  reload(tasks: Tasks): Trace {
    return this.init(tasks, { reload: true });
  }

  /** The process dies here; the recorder of the next one tells so, and that nobody was there until `until`. */
  crash(until: string): Trace {
    const from = this.#now;
    return this.shutdown().at(until).frozen(from);
  }

  /** The record of a death alone, without the freeze that belongs to it. */
  shutdown(): Trace {
    return this.#add({ event: 'UnexpectedShutdown' });
  }

  /** Frozen from then until now. */
  frozen(from: string | number): Trace {
    return this.#add({ event: 'Frozen', ...this.#since(from) });
  }

  compute(from: string, units: number): Trace {
    return this.#add({ event: 'Compute', units, ...this.#since(from) });
  }

  storeTrouble(from: string, error = 'SQLITE_BUSY'): Trace {
    return this.#add({ event: 'StoreTrouble', error, ...this.#since(from) });
  }

  /** Somebody sets the clock from now to another time. The scheduler may see that later. */
  clockStep(to: string, seenAt = to): Trace {
    const step = { event: 'ClockStep', at: instant(seenAt), from: this.#now, to: instant(to) } as const;
    return new Trace([...this.records, step], instant(seenAt));
  }

  /** A mutant: the same without the n-th record of a kind, the last by default. */
  without(event: TraceEvent, { task, nth = -1 }: { task?: string; nth?: number } = {}): Trace {
    const places = this.records.flatMap((record, index) =>
      record.event === event && (task === undefined || ('task' in record && record.task === task))
        ? [index]
        : [],
    );
    const place = places.at(nth);
    if (place === undefined) throw new RangeError(`there is no ${event} to leave out`);
    return new Trace(this.records.toSpliced(place, 1), this.#now);
  }

  /** A mutant: the same with more in it, each record after those of its instant. */
  with(more: (from: Trace) => Trace): Trace {
    const added = more(this).records.slice(this.records.length);
    const records = added.reduce<readonly TraceRecord[]>((all, record) => {
      const place = all.findLastIndex((other) => other.at <= record.at) + 1;
      return all.toSpliced(place, 0, record);
    }, this.records);
    return new Trace(records, this.#now);
  }

  get #calls(): number {
    return this.records.filter(({ event }) => event === 'InitStart' || event === 'StopStart').length;
  }

  #lastOpen(event: 'InitStart' | 'StopStart'): number {
    const ends = event === 'InitStart' ? ['InitSuccess', 'InitFailure'] : ['StopEnd'];
    const ended = this.records.flatMap((record) =>
      ends.includes(record.event) && 'call' in record ? [record.call] : [],
    );
    const begun = this.records.flatMap((record) =>
      record.event === event && record.call !== undefined && !ended.includes(record.call)
        ? [record.call]
        : [],
    );
    return begun.at(-1) ?? 0; // an end that belongs to no call
  }

  #idsOf(task: string, events: readonly TraceEvent[]): string[] {
    return this.records.flatMap((record) =>
      events.includes(record.event) && 'runId' in record && record.task === task && record.runId !== undefined
        ? [record.runId]
        : [],
    );
  }

  #nextId(task: string): string {
    return `${task}-${new Set(this.#idsOf(task, ['RunStart', 'StartDurable'])).size + 1}`;
  }

  #durableId(task: string): string | undefined {
    const called = this.#idsOf(task, ['RunStart']);
    return this.#idsOf(task, ['StartDurable']).findLast((runId) => !called.includes(runId));
  }

  #runOf(task: string): string {
    return this.#idsOf(task, ['RunStart']).at(-1) ?? `${task}-0`;
  }

  #since(from: string | number): { from: number; to: number } {
    return { from: typeof from === 'number' ? from : instant(from), to: this.#now };
  }

  #add(record: DistributedOmit<TraceRecord, 'at'>): Trace {
    return new Trace([...this.records, { at: this.#now, ...record } as TraceRecord], this.#now);
  }
}

type DistributedOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

const isList = (tasks: Tasks | readonly TracedRegistration[]): tasks is readonly TracedRegistration[] =>
  Array.isArray(tasks);

export const trace = (): Trace => new Trace();

/** What a scheduler would say was at fault, by the error that it gives. */
function faultOf(error: string): 'list' | 'active' | 'store' | 'host' {
  if (error === 'SchedulerAlreadyActiveError') return 'active';
  if (error === 'HostTimeZoneError') return 'host';
  return /^(Store|ScheduleTask|Task(Missing|Invalid|List))/.test(error) ? 'store' : 'list';
}
