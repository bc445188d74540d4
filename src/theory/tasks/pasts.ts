/**
 * Doubt. Mostly a trace tells exactly what has happened to a task: it has one *past*, the row of its name. In a few places a trace
 * cannot tell, because it does not show what the store holds:
 *
 * - a crash after a run ended and before that was durable: the end may be lost (T10);
 * - a crash while a start may have been durable and not yet recorded, or not yet called (T10);
 * - a stop that takes a start back: the store may refuse, because another scheduler has taken the run over (E9);
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
import { type Delay, worstOf } from '../verdict/ledger.ts';
import type { Classes } from './classes.ts';
import type { ScheduleGroup } from './schedule-groups.ts';
import { type History, nothingStored, type Retry, type Stored, type TaskTable } from './task-table.ts';
import type { TaskFindings } from './tasks.ts';
import { Timeline } from './timeline.ts';

/** One way that things may have been for a task, up to now. */
export interface Past extends Readonly<History> {
  /** Of the automaton. */
  readonly state: number;
  readonly group: ScheduleGroup;
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
  /** When each retry is due that is still to come. */
  readonly retryDeadlines = new Timeline<number>();
  /** Until when a past counts as served, where that lies ahead of the clock. */
  readonly aheadUntil = new Timeline<number>();
  /** The rows of which the store may hold something else. */
  readonly unstored = new Set<number>();
  readonly #findings: TaskFindings;

  constructor(table: TaskTable, classes: Classes, findings: TaskFindings) {
    this.#table = table;
    this.#classes = classes;
    this.#findings = findings;
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
    const { state, group } = this.#classes.of(row);
    return { ...this.#table.history[row], state, group };
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
    const { state, group, ...history } = past;
    this.#table.history[row] = history;
    this.#classes.put(row, { group, state, openAt: undefined, seen });
    this.setRetry(row, past.retry, now);
    this.setStored(row, past.stored);
    if (group.isAhead) this.aheadUntil.set(row, past.servedTo);
  }

  /** The retry that a past waits for; it is due already if its instant has come. */
  setRetry(row: number, retry: Retry | undefined, now: number): void {
    this.#table.history[row].retry = retry;
    if (retry !== undefined && retry.at > now) this.retryDeadlines.set(row, retry.at);
    else this.retryDeadlines.delete(row);
  }

  /** A start or a first coming: a past waits for no retry any more (T2). */
  clearRetry(row: number): void {
    const history = this.#table.history[row];
    if (history.retry === undefined) return;
    history.retry = undefined;
    this.retryDeadlines.delete(row);
  }

  setStored(row: number, stored: readonly Stored[]): void {
    this.#table.history[row].stored = stored;
    if (stored.length > 0) this.unstored.add(row);
    else if (this.unstored.size > 0) this.unstored.delete(row);
  }

  /** Everything is durable: the store knows what each step has moved. */
  allStored(): void {
    for (const row of this.unstored) this.setStored(row, nothingStored);
  }

  /** Drops the pasts of a task that a letter would break an axiom in, if there is another. If not, those like the first one stay. */
  admit(task: number, letter: number): void {
    const { automaton } = this.#classes;
    const rows = this.of(task);
    const edges = rows.map((row) => automaton.edge(this.#classes.of(row).state, letter));
    const broken = edges.map((edge) => automaton.broken[edge]);
    const least = broken.includes(0) ? 0 : broken[0];
    const kept = rows.filter((_, i) => broken[i] === least);
    this.#keep(task, kept);
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
    const { history } = this.#table;
    const sorted = rows.toSorted((a, b) => history[a].servedTo - history[b].servedTo);
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
    for (const row of rows) if (!kept.includes(row)) this.#remove(row);
    if (first !== task) this.#become(task, first);
    if (others.length > 0) this.#others.set(task, others);
    else {
      this.#others.delete(task);
      const delays = this.#delays.get(task) ?? [];
      this.#delays.delete(task);
      for (const delay of delays) this.#findings.delayed(delay);
    }
  }

  /** The row of a task takes over what another row has. */
  #become(task: number, row: number): void {
    const { group, state, openAt, seen } = this.#classes.of(row);
    this.#classes.put(task, { group, state, openAt, seen });
    this.#table.history[task] = { ...this.#table.history[row] };
    this.setStored(task, this.#table.history[task].stored);
    this.#takeDelays(row, task);
    for (const timeline of [this.retryDeadlines, this.aheadUntil]) {
      const at = timeline.of(row);
      if (at !== undefined) timeline.set(task, at);
    }
    this.#remove(row);
  }

  #remove(row: number): void {
    this.#classes.take(row);
    this.clearRetry(row);
    this.setStored(row, nothingStored);
    this.aheadUntil.delete(row);
    this.#delays.delete(row);
    if (this.#taskOf.delete(row)) this.#free.push(row);
  }

  /** A demand of a past has ended; it counts once the task is certain. */
  delayed(row: number, delay: Delay): void {
    if (!this.isInDoubt(this.taskOf(row))) this.#findings.delayed(delay);
    else this.#delays.set(row, [...(this.#delays.get(row) ?? []), delay]);
  }

  /** For a verdict: the past of a task in doubt in which the least was owed, where each past owes these besides. */
  least(
    task: number,
    openOf: (row: number) => readonly Delay[],
  ): { readonly ended: readonly Delay[]; readonly open: readonly Delay[] } {
    const all = this.of(task).map((row) => ({ ended: this.#delays.get(row) ?? [], open: openOf(row) }));
    const worst = all.map(({ ended, open }) => worstOf([...ended, ...open]));
    return all[worst.indexOf(Math.min(...worst))];
  }

  #worstOf(row: number): number {
    return worstOf(this.#delays.get(row) ?? []);
  }

  #takeDelays(from: number, to: number): void {
    const delays = this.#delays.get(from);
    if (delays === undefined) this.#delays.delete(to);
    else this.#delays.set(to, delays);
  }
}

export const isSamePast = (a: Past, b: Past): boolean =>
  a.state === b.state &&
  a.group === b.group &&
  a.servedTo === b.servedTo &&
  a.isFirstComing === b.isFirstComing &&
  a.stateBeforeEnd === b.stateBeforeEnd &&
  Object.is(a.delayMs, b.delayMs) &&
  a.retry?.at === b.retry?.at &&
  a.retry?.delayMs === b.retry?.delayMs &&
  (a.stored === b.stored || JSON.stringify(a.stored) === JSON.stringify(b.stored));
