/**
 * Which reasons to start one task stand at each position, by the rules of the scheduler and not by the words of the theory: a record like the
 * one that a store keeps is carried through the trace, and each reason is asked of it (A1, I2).
 *
 * | reason   | stands                                                                        | ends with                          |
 * |----------|-------------------------------------------------------------------------------|------------------------------------|
 * | due      | the last due after the cursor is no older than `startWithin` (E2, H4)          | a start, a resume that lets it pass |
 * | retry    | its deadline has come (A6, A7, T2)                                            | a start                            |
 * | orphaned | a crash, or a stop (A13), cut the last run off, and nobody had cancelled it (E4, I4) | a start                            |
 * | manual   | somebody asked for a run (I2)                                                 | a start, a list without the task   |
 *
 * A first coming ends the first three (E2). None stands while the task runs (A5), and a paused task has none but the last (I3).
 */
import type { TracedRegistration, TraceRecord } from '../../../src/trace/record.ts';
import type { List } from './calls.ts';
import type { Truths } from './operators.ts';
import type { Position } from './positions.ts';
import { isDue, MINUTE_MS } from './schedule.ts';

export type Reason = 'due' | 'retry' | 'orphaned' | 'manual';

/** What happens to the name, position by position. */
export interface Events {
  readonly task: string;
  readonly positions: readonly Position[];
  readonly start: Truths;
  readonly failure: Truths;
  readonly running: Truths;
  readonly firstComing: Truths;
  /** A run is cut off, or the store has one that was never called. */
  readonly cutOff: Truths;
  /** A crash undoes the last end: it never was. */
  readonly endLost: Truths;
  /** The list that becomes the registered one here, and the list by which dues are asked. */
  readonly taken: readonly (List | undefined)[];
  readonly inForce: readonly (List | undefined)[];
}

/** What is asked for at one position. */
export interface Standing {
  /** The reasons that stand now. */
  readonly now: ReadonlySet<Reason>;
  /** Those that would, were the task not paused and no due too old for it: a start that was on its way goes by them (T23). */
  readonly held: ReadonlySet<Reason>;
  /** A start may have become durable unseen: a reason stands, or did until its due became too old. */
  readonly waits: boolean;
  /** A due after the cursor, whether or not the task runs, is paused, or the due is too old. */
  readonly isUnserved: boolean;
  /** How old a due may be. */
  readonly startWithinMs: number;
}

const registrationIn = (list: List | undefined, task: string): TracedRegistration | undefined =>
  list?.registrations.find(({ name }) => name === task);

/** A record of the store, and the run of the task. */
class Book {
  cursor: number;
  retryAt: number | undefined;
  isCutOff = false;
  isAskedFor = false;
  isPaused = false;
  isCancelled = false;
  /** The registration that the run began with (I5). */
  startedAs: TracedRegistration | undefined;

  constructor(beganAt: number) {
    this.cursor = beganAt - 1;
  }

  /** E2: a name that the store does not have begins with its minute. A retry, a mark and a pause were of the name before. */
  comesFirst(at: number): void {
    this.cursor = minuteOf(at) - 1;
    this.retryAt = undefined;
    this.isCutOff = false;
    this.isPaused = false;
  }

  /** A3: a start serves all there is. */
  starts(at: number, as: TracedRegistration | undefined): void {
    this.cursor = at;
    this.retryAt = undefined;
    this.isCutOff = false;
    this.isAskedFor = false;
    this.isCancelled = false;
    this.startedAs = as;
  }

  /** A6, I4: a run that was cancelled is not retried. */
  fails(at: number, as: TracedRegistration | undefined): void {
    const delay = (this.startedAs ?? as)?.retryDelayMs;
    this.retryAt = this.isCancelled || delay === undefined ? undefined : at + delay;
  }

  /** I1: what an operator has asked for. */
  hears(record: TraceRecord): void {
    if (record.event === 'RunRequested') this.isAskedFor = true;
    if (record.event === 'Paused') this.isPaused = true;
    if (record.event === 'CancelRequested') {
      this.isCancelled = true;
      this.isCutOff = false;
    }
    if (record.event !== 'Resumed') return;
    // I3: a resume of a task that is not paused changes nothing.
    if (this.isPaused && !record.catchUp) this.cursor = record.at;
    this.isPaused = false;
  }
}

/** T24: a first coming is of the instant of the plan. */
const plannedAt = ({ at, record }: Position): number =>
  record?.event === 'InitSuccess' ? (record.plannedAt ?? at) : at;

const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;

export function standingOf(events: Events): readonly Standing[] {
  const { task, positions, start, failure, firstComing, cutOff, endLost, taken, inForce } = events;
  const [beganAt, endsAt] = [minuteOf(positions[0]?.at ?? 0), positions.at(-1)?.at ?? 0];
  const book = new Book(beganAt);
  const dues = new Map<List, readonly number[]>();
  const lastDue = (list: List | undefined, at: number): number | undefined => {
    const cron = registrationIn(list, task)?.cron;
    if (list === undefined || cron === undefined) return;
    const all = dues.get(list) ?? duesOf(cron, list.timeZone, beganAt, endsAt);
    dues.set(list, all);
    return all.findLast((due) => due <= at && due > book.cursor);
  };
  return positions.map(({ at, record }, i) => {
    const registration = registrationIn(inForce[i], task);
    if (taken[i] !== undefined && registrationIn(taken[i], task) === undefined) book.isAskedFor = false;
    if (firstComing[i]) book.comesFirst(plannedAt(positions[i]));
    if (start[i]) book.starts(at, registration);
    if (failure[i]) book.fails(at, registration);
    if (endLost[i]) book.retryAt = undefined;
    if (cutOff[i] && !book.isCancelled) book.isCutOff = true;
    if (record !== undefined && 'task' in record && record.task === task) book.hears(record);
    return standing(book, registration, lastDue(inForce[i], at), at, events.running[i]);
  });
}

/** A1, I2, I3, H4: which reasons stand by this record at an instant. */
function standing(
  book: Book,
  registration: TracedRegistration | undefined,
  last: number | undefined,
  at: number,
  isRunning: boolean,
): Standing {
  const startWithinMs = registration?.policy?.startWithinMs ?? Number.POSITIVE_INFINITY;
  const held = new Set<Reason>();
  if (last !== undefined && !isRunning) held.add('due');
  if (book.retryAt !== undefined && book.retryAt <= at && !isRunning) held.add('retry');
  if (book.isCutOff) held.add('orphaned');
  if (book.isAskedFor && !isRunning) held.add('manual');
  const isFresh = last !== undefined && at - last <= startWithinMs;
  const stands = (reason: Reason): boolean =>
    reason === 'manual' || (!book.isPaused && (reason !== 'due' || isFresh));
  const waits = book.isPaused ? held.has('manual') : held.size > 0;
  return {
    now: new Set([...held].filter(stands)),
    held,
    waits,
    isUnserved: last !== undefined,
    startWithinMs,
  };
}

function duesOf(cron: string, timeZone: string, from: number, to: number): readonly number[] {
  const dues: number[] = [];
  for (let minute = from; minute <= to; minute += MINUTE_MS)
    if (isDue(cron, timeZone, minute)) dues.push(minute);
  return dues;
}
