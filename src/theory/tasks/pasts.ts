/**
 * Doubt. Mostly a trace tells exactly what has happened to a task: it has one *past*, the row of its name. In a few places a trace
 * cannot tell, because it does not show what the store holds:
 *
 * - a crash after a run ended and before that was durable: the end may be lost (T10);
 * - a crash while a start may have been durable and not yet recorded, or not yet called (T10);
 * - a crash during an initialization, or one that failed because of the store: it may be committed (T11, E9);
 * - a crash after the clock was set back: what the step moved may not be stored (B5);
 * - a clock that is set back while a start is on its way: the start may still come (A2).
 *
 * Then the task is *in doubt*: it has several pasts, each with a row of its own and so with a state, a schedule, an instant up to
 * which it was served, a retry. Each is stepped like any other past. There is no other kind of doubt in the oracle.
 *
 *     certain ──one of the events above──▶ in doubt ──all pasts but one are impossible, or all are alike──▶ certain
 *
 * - A past that an event would break an axiom in is not what happened: it is dropped. If every past would break one, the trace
 *   breaks it; then the first past, which is the trace taken literally, is accused.
 * - How long something was owed is kept per past, and counts once the task is certain. Of two pasts that are alike from here on the
 *   one with the shorter delays stays, since the scheduler must not be accused of what it may not have done.
 *
 * So a trace is accepted if one way in which things may have happened breaks no axiom, chosen once for each task.
 */
import type { Delay } from '../verdict/ledger.ts';
import type { Classes, Taken } from './classes.ts';
import type { Retry } from './reading.ts';
import type { ScheduleGroup } from './schedule-groups.ts';
import type { TaskTable } from './task-table.ts';
import { Timeline } from './timeline.ts';

/** One way that things may have been for a task, up to now. */
export interface Past {
  /** Of the automaton. */
  readonly state: number;
  readonly group: ScheduleGroup;
  readonly servedTo: number;
  readonly isFirstComing: boolean;
  readonly delayMs: number;
  readonly retry: Retry | undefined;
  /** What the store may hold instead, where it may not know of a step that moved something. */
  readonly stored: readonly Stored[];
  /** The state before the last end. */
  readonly stateBeforeEnd: number;
}

export type Stored = Pick<Past, 'servedTo' | 'retry'>;

export const nothingStored: readonly Stored[] = [];

/** What is asked about delays. */
export interface PastFindings {
  /** Delays of a task that is certain. */
  delayed(delays: readonly Delay[]): void;
  /** The delays of demands that are open since these instants, if they end now. */
  owed(row: number, openAt: readonly number[], now: number): readonly Delay[];
  /** How bad some delays are: the longest of them, in time in which work could be done. */
  worst(delays: readonly Delay[]): number;
}

/** So many pasts of one task are kept. The earliest and the latest `servedTo` stay: the first allows most, the last asks least. */
const MOST_PASTS = 128;

export class Pasts {
  readonly #table: TaskTable;
  readonly #classes: Classes;
  /** The further pasts of each task in doubt. */
  readonly #others = new Map<number, readonly number[]>();
  readonly #taskOf = new Map<number, number>();
  /** What was owed too long in each past of a task in doubt. */
  readonly #delays = new Map<number, readonly Delay[]>();
  readonly #free: number[] = [];
  /** The retry that a past waits for, due or not; and when each is due that is still to come. */
  readonly #retries = new Map<number, Retry>();
  readonly retryDeadlines = new Timeline<number>();
  readonly #stored = new Map<number, readonly Stored[]>();
  /** Until when a past counts as served, where that lies ahead of the clock. */
  readonly aheadUntil = new Timeline<number>();
  readonly #findings: PastFindings;

  constructor(table: TaskTable, classes: Classes, findings: PastFindings) {
    this.#table = table;
    this.#classes = classes;
    this.#findings = findings;
  }

  get hasDoubt(): boolean {
    return this.#others.size > 0;
  }

  /** The tasks in doubt; they may change while the list is used. */
  get inDoubt(): readonly number[] {
    return [...this.#others.keys()];
  }

  isInDoubt(task: number): boolean {
    return this.#others.size > 0 && this.#others.has(task);
  }

  taskOf(row: number): number {
    return this.#taskOf.get(row) ?? row;
  }

  /** The rows of a task: what the trace tells by itself comes first. */
  of(task: number): readonly number[] {
    const others = this.#others.size === 0 ? undefined : this.#others.get(task);
    return others === undefined ? [task] : [task, ...others];
  }

  read(row: number): Past {
    const { servedTo, isFirstComing, delayMs, stateBeforeEnd } = this.#table;
    const { state, group } = this.#classes.of(row);
    return {
      state,
      group,
      servedTo: servedTo[row],
      isFirstComing: isFirstComing[row],
      delayMs: delayMs[row],
      retry: this.#retries.get(row),
      stored: this.#stored.get(row) ?? nothingStored,
      stateBeforeEnd: stateBeforeEnd[row],
    };
  }

  /** Adds a past to those of a task, unless it has one like it. What was owed so far in the past that it comes from was owed in it too. */
  add(origin: number, past: Past, now: number): void {
    const task = this.taskOf(origin);
    const rows = this.of(task);
    if (rows.some((row) => isSamePast(this.read(row), past))) return;
    const row = this.#free.pop() ?? this.#table.add(undefined);
    this.#taskOf.set(row, task);
    this.#others.set(task, [...rows.slice(1), row]);
    const { seen, openAt } = this.#classes.of(origin);
    const open = openAt === undefined ? [] : this.#findings.owed(origin, openAt, now);
    const delays = [...(this.#delays.get(origin) ?? []), ...open];
    if (delays.length > 0) this.#delays.set(row, delays);
    this.#table.servedTo[row] = past.servedTo;
    this.#table.isFirstComing[row] = past.isFirstComing;
    this.#table.delayMs[row] = past.delayMs;
    this.#table.stateBeforeEnd[row] = past.stateBeforeEnd;
    this.#classes.put(row, { group: past.group, state: past.state, openAt: undefined, seen });
    this.setRetry(row, past.retry, now);
    this.setStored(row, past.stored);
    if (past.group.isAhead) this.aheadUntil.set(row, past.servedTo);
  }

  /** The retry that a past waits for; it is due already if its instant has come. */
  setRetry(row: number, retry: Retry | undefined, now: number): void {
    this.retryDeadlines.delete(row);
    if (retry === undefined) this.#retries.delete(row);
    else {
      this.#retries.set(row, retry);
      if (retry.at > now) this.retryDeadlines.set(row, retry.at);
    }
  }

  setStored(row: number, stored: readonly Stored[]): void {
    if (stored.length > 0) this.#stored.set(row, stored);
    else if (this.#stored.size > 0) this.#stored.delete(row);
  }

  /** Everything is durable: the store knows what each step has moved. */
  allStored(): void {
    this.#stored.clear();
  }

  /** The rows of which the store may hold something else. */
  get unstored(): readonly number[] {
    return [...this.#stored.keys()];
  }

  /** A start or a first coming: a past waits for no retry any more (T2). */
  clearRetry(row: number): void {
    if (this.#retries.size === 0) return;
    this.#retries.delete(row);
    this.retryDeadlines.delete(row);
  }

  retryOf(row: number): Retry | undefined {
    return this.#retries.get(row);
  }

  /** Drops the pasts of a task that a letter would break an axiom in, if there is another. If not, those like the first one stay. */
  admit(task: number, letter: number): void {
    const { automaton } = this.#classes;
    const rows = this.of(task);
    const edges = rows.map((row) => automaton.edge(this.#classes.of(row).state, letter));
    const broken = edges.map((edge) => automaton.broken[edge]);
    const least = broken.includes(0) ? 0 : broken[0];
    this.#keep(
      task,
      rows.filter((_, i) => broken[i] === least),
    );
  }

  /** For every task in doubt, the pasts that are alike from here on become one. */
  mergeAll(): void {
    for (const task of this.inDoubt) this.merge(task);
  }

  merge(task: number): void {
    const kept: number[] = [];
    for (const row of this.of(task)) {
      const place = kept.findIndex((other) => this.#isAlike(other, row));
      if (place < 0) kept.push(row);
      else if (this.#worstOf(row) < this.#worstOf(kept[place])) this.#takeDelays(row, kept[place]);
    }
    this.#keep(task, kept.length <= MOST_PASTS ? kept : this.#outermost(kept));
  }

  #outermost(rows: readonly number[]): readonly number[] {
    const { servedTo } = this.#table;
    const sorted = rows.toSorted((a, b) => servedTo[a] - servedTo[b]);
    const kept = new Set([rows[0], ...sorted.slice(0, MOST_PASTS / 2), ...sorted.slice(-MOST_PASTS / 2)]);
    return rows.filter((row) => kept.has(row));
  }

  #isAlike(a: number, b: number): boolean {
    const [one, other] = [this.#classes.of(a), this.#classes.of(b)];
    const isAsOwed = one === other || JSON.stringify(one.openAt) === JSON.stringify(other.openAt);
    return isAsOwed && isSamePast(this.read(a), this.read(b));
  }

  /** Only these rows of a task stay. The row of the name is always used: if its past goes, another takes its place. */
  #keep(task: number, kept: readonly number[]): void {
    const rows = this.of(task);
    if (kept.length === rows.length) return;
    const [first, ...others] = kept;
    for (const row of rows) if (row !== task && !kept.includes(row)) this.#free.push(this.#remove(row));
    if (first !== task) {
      this.#remove(task);
      this.#become(task, first);
    }
    if (others.length > 0) this.#others.set(task, others);
    else {
      this.#others.delete(task);
      const delays = this.#delays.get(task);
      this.#delays.delete(task);
      if (delays !== undefined) this.#findings.delayed(delays);
    }
  }

  /** The row of a task takes over what another row has. */
  #become(task: number, row: number): void {
    const { retry, servedTo, isFirstComing, delayMs, stored, stateBeforeEnd } = this.read(row);
    const { group, state, openAt, seen } = this.#classes.of(row);
    const taken: Taken = { group, state, openAt, seen };
    const [due, ahead] = [this.retryDeadlines.of(row), this.aheadUntil.of(row)];
    this.#takeDelays(row, task);
    this.#free.push(this.#remove(row));
    this.#table.servedTo[task] = servedTo;
    this.#table.isFirstComing[task] = isFirstComing;
    this.#table.delayMs[task] = delayMs;
    this.#table.stateBeforeEnd[task] = stateBeforeEnd;
    this.#classes.put(task, taken);
    this.setStored(task, stored);
    if (retry !== undefined) this.#retries.set(task, retry);
    if (due !== undefined) this.retryDeadlines.set(task, due);
    if (ahead !== undefined) this.aheadUntil.set(task, ahead);
  }

  #remove(row: number): number {
    this.#classes.take(row);
    this.clearRetry(row);
    this.setStored(row, nothingStored);
    this.aheadUntil.delete(row);
    this.#taskOf.delete(row);
    this.#delays.delete(row);
    return row;
  }

  /** A demand of a past has ended; it counts once the task is certain. */
  delayed(row: number, delay: Delay): void {
    if (!this.isInDoubt(this.taskOf(row))) this.#findings.delayed([delay]);
    else this.#delays.set(row, [...(this.#delays.get(row) ?? []), delay]);
  }

  /** For a verdict: the past of a task in doubt in which the least was owed, where each past owes these besides. */
  least(
    task: number,
    openOf: (row: number) => readonly Delay[],
  ): { readonly ended: readonly Delay[]; readonly open: readonly Delay[] } {
    const all = this.of(task).map((row) => ({ ended: this.#delays.get(row) ?? [], open: openOf(row) }));
    const worst = all.map(({ ended, open }) => this.#findings.worst([...ended, ...open]));
    return all[worst.indexOf(Math.min(...worst))];
  }

  #worstOf(row: number): number {
    return this.#findings.worst(this.#delays.get(row) ?? []);
  }

  #takeDelays(from: number, to: number): void {
    const delays = this.#delays.get(from);
    if (delays === undefined) this.#delays.delete(to);
    else this.#delays.set(to, delays);
  }
}

export function isSamePast(a: Past, b: Past): boolean {
  return (
    a.state === b.state &&
    a.group === b.group &&
    a.servedTo === b.servedTo &&
    a.isFirstComing === b.isFirstComing &&
    a.stateBeforeEnd === b.stateBeforeEnd &&
    Object.is(a.delayMs, b.delayMs) &&
    a.retry?.at === b.retry?.at &&
    a.retry?.delayMs === b.retry?.delayMs &&
    (a.stored === b.stored || JSON.stringify(a.stored) === JSON.stringify(b.stored))
  );
}
