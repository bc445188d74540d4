/**
 * What a trace leaves open, as explicit readings. A trace is not the store: where the process dies, the trace may not show what
 * the store holds. A *reading* of a trace is one possible store at every crash. Everything that a reading can differ in:
 *
 * T11. An `initialize` with a valid list that a crash cut off: it was never durable, or it became durable at some position between
 * its call and the crash. In the second case names are registered, forgotten and first seen from that position on, and nothing
 * becomes active. An invalid list cannot have become durable. One that ended with `InitFailure` has not (E5).
 *
 * T10. A crash, and one task of which the trace shows no open run. If the trace has had no `StartDurable` or `EndDurable` so far, it
 * is taken at its word. Else the last thing that this life has done with the task decides:
 *
 * | the last thing before the crash                              | the store has             |
 * |--------------------------------------------------------------|---------------------------|
 * | `StartDurable`, not called                                   | the run: *orphaned*       |
 * | the same, and `StopStart`, which takes such a start back (A4)| the run, or not           |
 * | an end without `EndDurable` (A10)                            | the end, or still the run |
 * | an end with `EndDurable`                                     | the end                   |
 *
 * `StopEnd` without an error makes ends and taking back durable (D7). After a `StopEnd` with an error only the next `InitSuccess` does:
 * a further `stop` has nothing to write.
 * `StartDurable` of the next run makes the end before it durable: a task has one record. An end that was lost never counted: the run
 * is orphaned by the crash, its success is none for S2, and its failure asks for no retry after the crash.
 *
 * A run that is open at a crash is orphaned in all readings (T4); that its start was durable is A4.
 *
 * Readings are per task: what two tasks say about one crash may differ. A trace whose tasks each have a reading is accepted.
 */
import type { TraceRecord } from '../../../src/trace/record.ts';
import { type Call, type Calls, listOf } from './calls.ts';
import type { Commit } from './positions.ts';
import { isValid, MINUTE_MS } from './schedule.ts';

/** What the store has of a task at a crash: what the trace shows, a start that was never called, or a run whose end was lost. */
export type AtCrash = 'as shown' | 'start kept' | 'end lost';

export interface Reading {
  readonly commits: readonly Commit[];
  /** By the index of the crash; `as shown` where it is absent. */
  readonly atCrash: ReadonlyMap<number, AtCrash>;
}

/** Two possibilities that the rules exclude and that a process killed at the wrong moment can produce all the same. */
export interface Lenience {
  /** An `InitFailure` with an error of the store may have been committed. */
  readonly failedInit: boolean;
  /** A start may have been durable at a crash although no `StartDurable` says so. */
  readonly unrecordedStart: boolean;
}

export const strict: Lenience = { failedInit: false, unrecordedStart: false };
/** As the oracle is documented: it accuses nobody of what a process killed at the wrong moment may have caused. */
export const documented: Lenience = { failedInit: true, unrecordedStart: true };

/** All readings of a trace for one task, or `undefined` if there are more than a checker should try. */
export function readingsOf(
  records: readonly TraceRecord[],
  calls: Calls,
  task: string,
  lenience: Lenience = strict,
  most = 500,
): readonly Reading[] | undefined {
  let readings: readonly Reading[] = [{ commits: [], atCrash: new Map() }];
  for (const { crash, choices } of crashChoices(records, calls, task, lenience)) {
    readings = readings.flatMap(({ commits, atCrash }) =>
      choices.map((choice) => ({ commits, atCrash: new Map(atCrash).set(crash, choice) })),
    );
    if (readings.length > most) return;
  }
  for (const init of calls.inits) {
    const commits = commitsOf(records, calls, init, task, lenience);
    readings = readings.flatMap((reading) => [
      reading,
      ...commits.flatMap((commit) => withCommit(reading, commit)),
    ]);
    if (readings.length > most) return;
  }
  return readings;
}

/** Where two commits come at the same place, either may be the first. */
function withCommit({ commits, atCrash }: Reading, commit: Commit): readonly Reading[] {
  const last = { commits: [...commits, commit], atCrash };
  const isTied = commits.some(({ after, at }) => after === commit.after && at === commit.at);
  return isTied ? [last, { commits: [commit, ...commits], atCrash }] : [last];
}

const storeErrors = /^(ScheduleTaskError|Store\w*Error|Task\w*Error|HostTimeZoneError)$/;

/** T6: the error is evidence that the store, or the host, is to blame. */
export const isOfStore = (record: TraceRecord): boolean =>
  record.event === 'InitFailure' && record.error !== undefined && storeErrors.test(record.error);

function commitsOf(
  records: readonly TraceRecord[],
  calls: Calls,
  { start, end, crash }: Call,
  task: string,
  lenience: Lenience,
): readonly Commit[] {
  const denied = lenience.failedInit && end !== undefined && isOfStore(records[end]) ? end : undefined;
  const last = crash ?? denied;
  const isNamed = calls.inits.some(({ start: other }) =>
    listOf(records, other).registrations.some(({ name }) => name === task),
  );
  if (last === undefined || !isNamed || !isValid(listOf(records, start).registrations)) return [];
  const commits: Commit[] = [];
  for (let after = start; after < last; after++) {
    const { at } = records[after];
    if (after === start || canMatter(records[after], task)) commits.push({ init: start, after, at });
    const next = records[after + 1].at;
    for (let minute = nextMinute(at); minute <= next; minute += MINUTE_MS)
      commits.push({ init: start, after, at: minute });
  }
  return commits;
}

const nextMinute = (at: number): number => (Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS;

/** Whether it makes a difference to the task if something becomes durable right before this record or right after it. */
const canMatter = (record: TraceRecord, task: string): boolean =>
  record.event === 'InitSuccess' ||
  ('task' in record && record.task === task && record.event.startsWith('Run'));

interface CrashChoices {
  readonly crash: number;
  readonly choices: readonly AtCrash[];
}

/** What this life has done last with the task. */
type Last = 'nothing' | 'runs' | 'start kept' | 'taking back' | 'ended' | 'end kept';

function crashChoices(
  records: readonly TraceRecord[],
  calls: Calls,
  task: string,
  lenience: Lenience,
): readonly CrashChoices[] {
  const found: CrashChoices[] = [];
  const called = new Set<string>();
  let last: Last = 'nothing';
  let isTold = false;
  let hasStopFailed = false;
  for (const [index, record] of records.entries()) {
    if (calls.impossible.has(index) || (record.event === 'StopEnd' && !calls.startOf.has(index))) continue;
    isTold ||= record.event === 'StartDurable' || record.event === 'EndDurable';
    if (record.event === 'UnexpectedShutdown') {
      if (isTold) found.push({ crash: index, choices: choicesAfter(last, lenience) });
      last = 'nothing';
      called.clear();
    }
    hasStopFailed = stopHasFailed(hasStopFailed, record);
    const isOfOther = 'task' in record && record.task !== task;
    if (!isOfOther && !(record.event === 'StopEnd' && hasStopFailed)) last = step(last, record, called);
  }
  return found;
}

/** After a stop that failed, only an initialization, or a crash, begins a life in which a stop has something to write. */
function stopHasFailed(before: boolean, record: TraceRecord): boolean {
  if (record.event === 'StopEnd') return before || record.error !== undefined;
  return before && record.event !== 'InitSuccess' && record.event !== 'UnexpectedShutdown';
}

function choicesAfter(last: Last, { unrecordedStart }: Lenience): readonly AtCrash[] {
  if (last === 'start kept') return ['start kept'];
  if (last === 'taking back') return ['as shown', 'start kept'];
  if (last === 'runs') return ['as shown'];
  return [
    'as shown',
    ...(last === 'ended' ? (['end lost'] as const) : []),
    ...(unrecordedStart ? (['start kept'] as const) : []),
  ];
}

function step(last: Last, record: TraceRecord, called: Set<string>): Last {
  switch (record.event) {
    case 'StartDurable':
      return last === 'runs' || called.has(record.runId ?? '') ? last : 'start kept';
    case 'RunStart':
      if (record.runId !== undefined) called.add(record.runId);
      return 'runs';
    case 'RunSuccess':
    case 'RunFailure':
      return last === 'runs' ? 'ended' : last;
    case 'EndDurable':
      return last === 'ended' ? 'end kept' : last;
    case 'StopStart':
      return last === 'start kept' ? 'taking back' : last;
    case 'StopEnd':
    case 'InitSuccess':
      return settled(last);
    default:
      return last;
  }
}

const settled = (last: Last): Last => (last === 'taking back' || last === 'ended' ? 'nothing' : last);
