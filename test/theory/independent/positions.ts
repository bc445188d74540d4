/**
 * A trace as positions (T13): one per record, and one of its own per derived pulse. Pulses come before the records of their
 * instant; the retry pulse of a delay of 0 comes right after its failure. Minutes begin with the minute of the first record.
 */
import type { TracedRegistration, TraceRecord } from '../../../src/trace/record.ts';
import { type Calls, type List, listOf } from './calls.ts';
import { MINUTE_MS } from './schedule.ts';

/** An initialization that a crash cut off, read as durable: when, and behind which record (T11). */
export interface Commit {
  readonly init: number;
  readonly after: number;
  readonly at: number;
}

export interface Position {
  readonly at: number;
  /** The index of the record, where there is one. */
  readonly index?: number;
  readonly record?: TraceRecord;
  readonly commit?: Commit;
  /** A civil minute begins. Every zone of the generator has offsets of whole minutes. */
  readonly minute?: true;
  /** The index of the failure whose delay is over. */
  readonly retryOf?: number;
}

/** The list that becomes the registered one here: of a good end, or of a commit. */
export function listTakenAt(
  records: readonly TraceRecord[],
  calls: Calls,
  { index, record, commit }: Position,
): List | undefined {
  if (commit) return listOf(records, commit.init);
  if (record?.event !== 'InitSuccess' || index === undefined) return;
  const start = calls.startOf.get(index);
  return start === undefined ? undefined : listOf(records, start);
}

export function positionsOf(
  records: readonly TraceRecord[],
  calls: Calls,
  commits: readonly Commit[],
): readonly Position[] {
  const recorded = records.flatMap((record, index): Position[] => [
    ...(calls.impossible.has(index) ? [] : [{ at: record.at, index, record }]),
    ...commits.filter(({ after }) => after === index).map((commit) => ({ at: commit.at, commit })),
  ]);
  const [atOnce, later] = retryPulses(records, calls, recorded);
  const pulses = [...minutesOf(records), ...tooOldIn(records), ...later].sort((a, b) => a.at - b.at);
  const positions: Position[] = [];
  for (const position of recorded) {
    while (pulses.length > 0 && pulses[0].at <= position.at) positions.push(...pulses.splice(0, 1));
    positions.push(position);
    const pulse = position.index === undefined ? undefined : atOnce.get(position.index);
    if (pulse) positions.push(pulse);
  }
  const last = records.at(-1)?.at ?? 0;
  return [...positions, ...pulses.filter(({ at }) => at <= last)];
}

function minutesOf(records: readonly TraceRecord[]): readonly Position[] {
  const minutes: Position[] = [];
  const last = records.at(-1)?.at ?? 0;
  const first = Math.floor((records[0]?.at ?? 1) / MINUTE_MS) * MINUTE_MS;
  for (let at = first; at <= last; at += MINUTE_MS) minutes.push({ at, minute: true });
  return minutes;
}

/** H4: where a due that began with its minute is older than a registration allows. */
function tooOldIn(records: readonly TraceRecord[]): readonly Position[] {
  const limits = records.flatMap((record) =>
    record.event === 'InitStart'
      ? record.registrations.flatMap(({ policy }) => policy?.startWithinMs ?? [])
      : [],
  );
  return [...new Set(limits)].flatMap((limit) =>
    minutesOf(records).map(({ at }) => ({ at: at + limit + 1 })),
  );
}

/** A6, I5: a failure is retried after the delay of the registration under which its run began, whatever list has come since. */
function retryPulses(
  records: readonly TraceRecord[],
  calls: Calls,
  recorded: readonly Position[],
): readonly [atOnce: ReadonlyMap<number, Position>, later: readonly Position[]] {
  const atOnce = new Map<number, Position>();
  const later: Position[] = [];
  const begunUnder = new Map<string, TracedRegistration>();
  let list: List | undefined;
  for (const position of recorded) {
    // A run is of the list that is in force, and a commit alone puts none in force.
    if (position.commit === undefined) list = listTakenAt(records, calls, position) ?? list;
    const { record, index } = position;
    if ((record?.event !== 'RunStart' && record?.event !== 'RunFailure') || index === undefined) continue;
    const current = list?.registrations.find(({ name }) => name === record.task);
    if (record.event === 'RunStart') {
      if (current === undefined) begunUnder.delete(record.task);
      else begunUnder.set(record.task, current);
      continue;
    }
    const delay = (begunUnder.get(record.task) ?? current)?.retryDelayMs;
    if (delay === undefined) continue;
    if (delay === 0) atOnce.set(index, { at: record.at, retryOf: index });
    else later.push({ at: record.at + delay, retryOf: index });
  }
  return [atOnce, later];
}
