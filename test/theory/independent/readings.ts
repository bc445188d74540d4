/**
 * What a trace leaves open, as explicit readings. A trace is not the store: where the process dies, the trace may not show what
 * the store holds. A *reading* of a trace is one possible store at every crash. Everything that a reading can differ in:
 *
 * T11. An `initialize` with a valid list that a crash cut off: it was never durable, or it became durable at some position between
 * its call and the crash. In the second case names are registered, forgotten and first seen from that position on, and nothing
 * becomes active; a list that is active stays in force until the crash. An invalid list cannot have become durable. The same holds
 * for one that ended with `InitFailure` and an error of the store: the commit may have been made, and its answer lost (E9). E5 has it
 * that the previous state stands; here the scheduler gets the benefit of the doubt.
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
 * | a run was owed, and perhaps `StopStart` came since           | nothing, or a run         |
 *
 * The last row may hold together with one of the two above it: a start may be durable although the process died before the record of
 * that. Only what was owed can have become durable so, and only in a process in which a list has become active.
 *
 * `StopEnd` without an error makes ends and taking back durable (D7). One with an error is a crash: what is not durable is lost. A start that is durable is of the life that made it so; its record is evidence also where
 * the name is in no list. `StartDurable` of the next run makes the end before it durable: a task has one record. An end
 * that was lost never counted: the run is orphaned by the crash, its success may be repeated (S2), and its failure asks for no retry
 * after the crash.
 *
 * E9. A stop takes a start back, and the store refuses that if another scheduler has taken the run over. So where that is
 * durable, at `StopEnd` or at the next `InitSuccess`, the store has the run, or not, as at a crash.
 *
 * A run that is open at a crash is orphaned in all readings (T4); that its start was durable is A4.
 *
 * Readings are per task: what two tasks say about one crash may differ. A trace whose tasks each have a reading is accepted.
 */
import type { TraceRecord } from '../../../src/trace/record.ts';
import { type Call, type Calls, isCrash, listOf } from './calls.ts';
import type { Commit } from './positions.ts';
import { isValid, MINUTE_MS } from './schedule.ts';

/** What the store has of a task at a crash: what the trace shows, a start that was never called, or a run whose end was lost. */
export type AtCrash = 'as shown' | 'start kept' | 'start kept, unseen' | 'end lost';

export interface Reading {
  readonly commits: readonly Commit[];
  /** By the index of the crash; `as shown` where it is absent. */
  readonly atCrash: ReadonlyMap<number, AtCrash>;
}

/** All readings of a trace for one task, or `undefined` if there are more than a checker should try. */
export function readingsOf(
  records: readonly TraceRecord[],
  calls: Calls,
  task: string,
  most = 500,
): readonly Reading[] | undefined {
  let readings: readonly Reading[] = [{ commits: [], atCrash: new Map() }];
  for (const { crash, choices } of crashChoices(records, calls, task)) {
    readings = readings.flatMap(({ commits, atCrash }) =>
      choices.map((choice) => ({ commits, atCrash: new Map(atCrash).set(crash, choice) })),
    );
    if (readings.length > most) return;
  }
  for (const init of calls.inits) {
    const commits = commitsOf(records, calls, init, task);
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

/** T6: the record says that the store, or the host, is to blame. */
export const isOfStore = (record: TraceRecord): boolean =>
  record.event === 'InitFailure' && (record.fault === 'store' || record.fault === 'host');

function commitsOf(
  records: readonly TraceRecord[],
  calls: Calls,
  { start, end, crash }: Call,
  task: string,
): readonly Commit[] {
  const denied = end !== undefined && isOfStore(records[end]) ? end : undefined;
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
  /** Or where a start is taken back. */
  readonly crash: number;
  readonly choices: readonly AtCrash[];
}

/** What this life has done last with the task. */
type Last = 'nothing' | 'runs' | 'start kept' | 'taking back' | 'ended' | 'end kept';

interface Life {
  last: Last;
  readonly called: Set<string>;
}

const newLife = (): Life => ({
  last: 'nothing',
  called: new Set(),
});

function crashChoices(records: readonly TraceRecord[], calls: Calls, task: string): readonly CrashChoices[] {
  const found: CrashChoices[] = [];
  let life = newLife();
  let isRecorded = false;
  for (const [index, record] of records.entries()) {
    if (calls.impossible.has(index) || (record.event === 'StopEnd' && !calls.startOf.has(index))) continue;
    isRecorded ||= record.event === 'StartDurable' || record.event === 'EndDurable';
    const { last } = life;
    if (isCrash(record, calls.startOf.has(index))) life = newLife();
    else if (!('task' in record) || record.task === task) life.last = step(life, record);
    const choices = isRecorded ? choicesAt(record, last, life.last) : [];
    if (choices.length > 0) found.push({ crash: index, choices });
  }
  return found;
}

/** What the store may have at a crash, or where a start is taken back. */
function choicesAt(record: TraceRecord, last: Last, next: Last): readonly AtCrash[] {
  if (record.event === 'UnexpectedShutdown') return choicesAfter(last);
  if (isCrash(record, true)) return choicesAfter(last === 'start kept' ? 'taking back' : last);
  return last === 'taking back' && next === 'nothing' ? choicesAfter('taking back') : [];
}

function choicesAfter(last: Last): readonly AtCrash[] {
  if (last === 'start kept') return ['start kept'];
  if (last === 'taking back') return ['as shown', 'start kept'];
  if (last === 'runs') return ['as shown'];
  return last === 'ended'
    ? ['as shown', 'end lost', 'start kept, unseen']
    : ['as shown', 'start kept, unseen'];
}

function step(life: Life, record: TraceRecord): Last {
  const { last, called } = life;
  switch (record.event) {
    case 'StartDurable':
      return last === 'runs' || called.has(record.runId ?? '') ? last : 'start kept';
    case 'RunStart':
      if (record.runId !== undefined) called.add(record.runId);
      return 'runs';
    case 'RunSuccess':
    case 'RunFailure':
    case 'RunInterrupted':
      return last === 'runs' ? 'ended' : last;
    case 'EndDurable':
      return last === 'ended' ? 'end kept' : last;
    case 'StopStart':
      return last === 'start kept' ? 'taking back' : last;
    case 'StopEnd':
      return last === 'taking back' || last === 'ended' ? 'nothing' : last;
    case 'InitSuccess':
      return last === 'runs' ? last : 'nothing';
    default:
      return last;
  }
}
