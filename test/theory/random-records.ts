/**
 * Random records of one task, with calls that overlap, crashes, freezes and durability, and the same as positions for the naive
 * evaluator. Whatever an atom means that no record shows by itself (Frozen, StartDurable, Excused) is worked out here, from its
 * definition and over the whole trace.
 */

import { Active } from '../../src/theory/logic/macros.ts';
import type { TraceRecord } from '../../src/trace/record.ts';
import { below, pick, type Random } from './random.ts';
import { NaiveEvaluator } from './reference/naive.ts';
import type { Position } from './reference/position.ts';

const T0 = Date.UTC(2026, 2, 2, 12);
const x = { name: 'x', cron: '0 0 1 1 *', retryDelayMs: 0 };
const lists = { valid: [x], invalid: [x, x] } as const;
/** The last one is an excuse (T6). */
const failures = ['SchedulerAlreadyActiveError', 'TypeError', 'StoreLockedError'] as const;

interface OpenCall {
  readonly kind: 'initialize' | 'stop';
  readonly id: number;
}

class Writer {
  readonly records: TraceRecord[] = [];
  readonly #random: Random;
  #at = T0;
  #open: OpenCall[] = [];
  #calls = 0;
  #runs = 0;
  /** The run that became durable last, and those that were called before the last crash. */
  #durable: string | undefined;
  #called: string[] = [];
  #calledBefore: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  write(length: number, freezes: 'with freezes' | 'without'): readonly TraceRecord[] {
    const acts = [
      () => this.#begin(),
      () => this.#begin(),
      () => this.#end(),
      () => this.#end(),
      () => this.#run(),
      () => this.#run(),
      () => this.#becomeDurable(),
      () => this.#becomeDurable(),
      () => this.#crash(freezes),
      ...(freezes === 'with freezes' ? [() => this.#freeze()] : []),
    ];
    for (let i = 0; i < length; i++) {
      this.#at += pick(this.#random, [0, 0, 1, 1000, 30_000, 70_000]);
      pick(this.#random, acts)();
    }
    return this.records;
  }

  #begin(): void {
    const id = ++this.#calls;
    const kind = pick(this.#random, ['initialize', 'stop'] as const);
    this.#open.push({ kind, id });
    const at = this.#at;
    if (kind === 'stop') this.records.push({ event: 'StopStart', at, call: id });
    else {
      const registrations = lists[this.#random() < 0.7 ? 'valid' : 'invalid'];
      this.records.push({ event: 'InitStart', at, call: id, registrations, timeZone: 'UTC' });
    }
  }

  #end(): void {
    const [ended] = this.#open.splice(below(this.#random, this.#open.length), 1);
    if (ended === undefined) return;
    const { kind, id: call } = ended;
    const at = this.#at;
    if (kind === 'stop') this.records.push({ event: 'StopEnd', at, call });
    else if (this.#random() < 0.5) this.records.push({ event: 'InitSuccess', at, call });
    else {
      const error = pick(this.#random, failures);
      const fault = error === 'StoreLockedError' ? 'store' : 'list';
      this.records.push({ event: 'InitFailure', at, call, error, fault, valid: true });
    }
  }

  #run(): void {
    const at = this.#at;
    const event = pick(this.#random, ['RunStart', 'RunSuccess', 'RunFailure'] as const);
    if (event !== 'RunStart') {
      this.records.push({ event, at, task: 'x' });
      return;
    }
    const fresh = `r${++this.#runs}`;
    const stale = this.#calledBefore.length > 0 ? pick(this.#random, this.#calledBefore) : fresh;
    const known = this.#durable ?? fresh;
    const runId = pick(
      this.#random,
      [known, known, known, fresh, stale].filter((id) => !this.#called.includes(id)).concat(fresh),
    );
    this.#called.push(runId);
    this.records.push({ event, at, task: 'x', runId });
  }

  #becomeDurable(): void {
    this.#durable = `r${++this.#runs}`;
    this.records.push({ event: 'StartDurable', at: this.#at, task: 'x', runId: this.#durable });
  }

  #crash(freezes: 'with freezes' | 'without'): void {
    const where = freezes === 'without' ? 'none' : pick(this.#random, ['before', 'after', 'none'] as const);
    if (where === 'before') this.#freeze();
    this.records.push({ event: 'UnexpectedShutdown', at: this.#at });
    this.#open = [];
    this.#calledBefore.push(...this.#called.splice(0));
    if (where !== 'after') return;
    const from = this.#at;
    this.#at += pick(this.#random, [0, 1, 30_000]);
    this.records.push({ event: 'Frozen', at: this.#at, from, to: this.#at });
  }

  /** Over now, and begun some time ago. */
  #freeze(): void {
    const from = this.#at - pick(this.#random, [1, 1000, 45_000]);
    this.records.push({ event: 'Frozen', at: this.#at, from, to: this.#at });
  }
}

/** Records of the task x. */
export const randomRecords = (random: Random, length: number, freezes: 'with freezes' | 'without') =>
  new Writer(random).write(length, freezes);

const isAction = ({ event }: TraceRecord): boolean => /^(Run|Init|Stop)/.test(event);

/** Whether a freeze surrounds the crash at this place: recorded right before or right after it; undefined if it may yet be recorded. */
function isCrashFrozen(records: readonly TraceRecord[], place: number): boolean | undefined {
  const { at } = records[place];
  const surrounds = (record: TraceRecord): boolean =>
    record.event === 'Frozen' && record.from <= at && at <= record.to;
  for (let i = place - 1; i >= 0 && !isAction(records[i]); i--) if (surrounds(records[i])) return true;
  for (const record of records.slice(place + 1)) {
    if (surrounds(record)) return true;
    if (isAction(record) || record.event === 'UnexpectedShutdown') return false;
  }
  return undefined;
}

/** Whether the trace ends before it can be said whether a crash was frozen. */
export const isWaitingForFreeze = (records: readonly TraceRecord[]): boolean =>
  records.some(
    ({ event }, place) => event === 'UnexpectedShutdown' && isCrashFrozen(records, place) === undefined,
  );

const isWithinFreeze = (records: readonly TraceRecord[], at: number): boolean =>
  records.some((record) => record.event === 'Frozen' && record.from < at && at < record.to);

/** Whether the run whose start becomes durable at this place is the one that is called next. */
function isCalledNext(records: readonly TraceRecord[], place: number): boolean {
  const durable = records[place];
  const called = records.slice(place).find(({ event }) => event === 'RunStart');
  return 'runId' in durable && called !== undefined && 'runId' in called && called.runId === durable.runId;
}

function marksOf(records: readonly TraceRecord[], place: number): readonly string[] {
  const record = records[place];
  if (record.event === 'UnexpectedShutdown') return isCrashFrozen(records, place) === false ? [] : ['Frozen'];
  if (record.event === 'StartDurable') return isCalledNext(records, place) ? ['StartDurable'] : [];
  return isAction(record) && !isWithinFreeze(records, record.at) ? ['Unfrozen'] : [];
}

const eventOf = {
  RunStart: 'RS',
  RunSuccess: 'REs',
  RunFailure: 'REf',
  UnexpectedShutdown: 'Crash',
  StopStart: 'SS',
  StopEnd: 'SE',
  InitStart: 'IS',
  InitFailure: 'IEf',
} as const;

const placeOf = (records: readonly TraceRecord[], call: number, event: string): number =>
  records.findIndex((record) => record.event === event && 'call' in record && record.call === call);

/**
 * The places of records that are no start or end of a task: the start of a run that is going already is recorded twice, and at the
 * end of a run while another goes on the task still runs.
 */
function overlapping(records: readonly TraceRecord[]): ReadonlySet<number> {
  const places = new Set<number>();
  const going = new Set<string>();
  for (const [place, record] of records.entries()) {
    if (record.event === 'UnexpectedShutdown') going.clear();
    if (record.event === 'RunStart') {
      const { runId = `${place}` } = record;
      if (going.has(runId)) places.add(place);
      going.add(runId);
    } else if (record.event === 'RunSuccess' || record.event === 'RunFailure') {
      // An end without a name is that of the run that was called last.
      const { runId = [...going].at(-1) ?? '' } = record;
      if (going.delete(runId) && going.size > 0) places.add(place);
    }
  }
  return places;
}

/** The trace as the definitions see it: one position per record; at some places nothing that counts happens. */
export function positionsOf(
  records: readonly TraceRecord[],
  overlapped: ReadonlySet<number> = new Set(),
): Position[] {
  return records.map((record, place): Position => {
    const { at } = record;
    const marks = marksOf(records, place);
    if (overlapped.has(place)) return { event: 'other', at, marks };
    switch (record.event) {
      case 'RunStart':
      case 'RunSuccess':
      case 'RunFailure':
        return { event: eventOf[record.event], at, task: record.task, marks };
      case 'InitSuccess': {
        const begun = placeOf(records, record.call ?? 0, 'InitStart');
        const live = !records.slice(begun, place).some(({ event }) => event === 'StopStart');
        return { event: 'IEs', at, registrations: [{ name: 'x', schedule: 'A' }], list: 'x', live, marks };
      }
      case 'UnexpectedShutdown':
      case 'StopStart':
      case 'StopEnd':
      case 'InitStart':
      case 'InitFailure':
        return { event: eventOf[record.event], at, marks };
      default:
        return { event: 'other', at, marks };
    }
  });
}

/** The calls of a trace, each with the places at which it begins and ends: the last is that of its end, of a crash, or of the trace. */
export function callsOf(records: readonly TraceRecord[]) {
  return records.flatMap((record, begun) => {
    if (record.event !== 'InitStart' && record.event !== 'StopStart') return [];
    const ends = records.findIndex(
      (other, place) =>
        place > begun &&
        (other.event === 'UnexpectedShutdown' ||
          (/^(InitSuccess|InitFailure|StopEnd)$/.test(other.event) &&
            'call' in other &&
            other.call === record.call)),
    );
    return [{ id: record.call ?? 0, begun, ended: ends < 0 ? records.length - 1 : ends }];
  });
}

/** What one call sees, up to its end: of the other calls nothing, but what its failure is excused by (T6). */
export function positionsOfCall(
  records: readonly TraceRecord[],
  call: ReturnType<typeof callsOf>[number],
): Position[] {
  const all = positionsOf(records, overlapping(records));
  const naive = new NaiveEvaluator(all, { task: 'x' });
  const overlaps = callsOf(records).some(
    (other) => other.id !== call.id && other.begun <= call.ended && other.ended >= call.begun,
  );
  const isActive = all.some((_, i) => i >= call.begun && i <= call.ended && naive.at(Active, i) === true);
  return all.slice(0, call.ended + 1).map((position, place): Position => {
    const record = records[place];
    if (!/^(Init|Stop)/.test(record.event)) return position;
    if (!('call' in record) || record.call !== call.id) return { event: 'other', at: position.at };
    const list = records[call.begun];
    const isValid = list.event === 'InitStart' && list.registrations === lists.valid;
    const isStore = record.event === 'InitFailure' && record.fault === 'store';
    const isExcused = overlaps || isActive || isStore;
    return { ...position, marks: [...(isValid ? ['Valid'] : []), ...(isExcused ? ['Excused'] : [])] };
  });
}
