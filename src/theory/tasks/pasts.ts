/**
 * Doubt. Mostly a trace tells exactly what has happened to a task: it has one *past*. In a few places it cannot, because it does not
 * show what the store holds; docs/oracle-internals.md lists them all. Then the task is *in doubt*: it has several pasts, each with a
 * state, a schedule, an instant up to which it was served, a retry. Each is stepped like any other past. There is no other kind of
 * doubt in the oracle.
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
import { type Delay, longest, worstOf } from '../delays/delay.ts';
import { AT } from '../logic/automaton.ts';
import type { Slices, TaskFindings } from './slices.ts';
import { isSamePossibility, Past, type Possibility, type Retry, type Task } from './task.ts';
import { Timeline } from './timeline.ts';

/** Another past that a task may have had, and the one that it differs from. */
export interface Alternative {
  readonly origin: Past;
  readonly past: Possibility;
}

/**
 * So many pasts of one task are kept: with each event all of them are compared with each other. The earliest and the latest `servedTo`
 * stay: the first allows most, the last asks least. A verdict says where others were dropped.
 */
const MOST_PASTS = 32;

export class Pasts {
  readonly #slices: Slices;
  readonly #findings: TaskFindings;
  readonly #inDoubt = new Set<Task>();
  /** When each retry is due that is still to come. */
  readonly retryDeadlines = new Timeline<Past>();

  constructor(slices: Slices, findings: TaskFindings) {
    this.#slices = slices;
    this.#findings = findings;
  }

  /** The tasks in doubt; they may change while the list is used. */
  get inDoubt(): readonly Task[] {
    return [...this.#inDoubt];
  }

  read(past: Past): Possibility {
    const { history, state, group } = this.#slices.of(past);
    return { ...history, state, group };
  }

  /** What may have happened instead, in each of these pasts. */
  instead(
    origins: readonly Past[],
    others: (past: Possibility, origin: Past) => readonly Possibility[],
  ): readonly Alternative[] {
    return origins.flatMap((origin) => others(this.read(origin), origin).map((past) => ({ origin, past })));
  }

  addAll(others: readonly Alternative[], now: number): void {
    for (const { origin, past } of others) this.add(origin, past, now);
  }

  /** Adds a past to those of a task, or to one like it. What was owed so far in the past that it comes from was owed in it too. */
  add(origin: Past, possible: Possibility, now: number): void {
    const { task } = origin;
    const { seen } = this.#slices.of(origin);
    const owed = this.#findings.owed(origin, now).filter(({ from, to }) => to > from);
    const delays = longest([...origin.delays, ...owed]);
    const same = task.pasts.find((past) => this.#is(past, possible));
    if (same !== undefined) {
      if (same !== task.past && worstOf(delays) < worstOf(same.delays)) same.delays = delays;
      return;
    }
    const past = new Past(task);
    past.delays = delays;
    past.seen = seen;
    this.#setPasts(task, [...task.pasts, past]);
    this.become(past, possible, now);
  }

  /** A past turns out to be another. What was demanded of it is no longer: what is owed in the other one is owed from now on. */
  become(past: Past, { state, group, ...history }: Possibility, now: number): void {
    Object.assign(past.history, history);
    past.openAt = this.#slices.automaton.openIn(state, now);
    past.lastAt = now;
    this.#slices.put(past, state, group);
    this.setRetry(past, history.retry, now);
  }

  /** The retry that a past waits for; it is due already if its instant has come. */
  setRetry(past: Past, retry: Retry | undefined, now: number): void {
    past.history.retry = retry;
    if (retry !== undefined && retry.at > now) this.retryDeadlines.set(past, retry.at);
    else this.retryDeadlines.delete(past);
  }

  /** The pasts of which the store may hold something else: for rare questions only, it looks at all pasts. */
  get unstored(): readonly Past[] {
    return this.#slices.where(({ history }) => history.stored.length > 0);
  }

  /** Everything is durable: the store knows what each step has moved. */
  allStored(isStored: (past: Past) => boolean = () => true): void {
    for (const past of this.unstored) if (isStored(past)) past.history.stored = [];
  }

  /** Drops the pasts of a task that a letter would break an axiom in, if there is another. If not, those like the first one stay. */
  admit(task: Task, letterOf: (past: Past) => number): void {
    const { automaton } = this.#slices;
    const edgeOf = (past: Past): number => automaton.edge(this.#slices.of(past).state, letterOf(past));
    const broken = task.pasts.map((past) => automaton.at(edgeOf(past), AT.broken));
    const least = broken.includes(0) ? 0 : broken[0];
    const kept = task.pasts.filter((_, i) => broken[i] === least);
    this.#keep(task, kept);
  }

  /** For every task in doubt, the pasts that are alike from here on become one. */
  mergeAll(): void {
    for (const task of this.inDoubt) this.merge(task);
  }

  merge(task: Task): void {
    const kept: Past[] = [];
    for (const past of task.pasts) {
      const alike = kept.find((other) => this.#isAlike(other, past));
      if (alike === undefined) kept.push(past);
      else if (worstOf(past.delays) < worstOf(alike.delays)) alike.delays = past.delays;
    }
    if (kept.length > MOST_PASTS) this.#findings.overlooked(task);
    this.#keep(task, kept.length <= MOST_PASTS ? kept : outermost(kept));
  }

  #isAlike(a: Past, b: Past): boolean {
    const [{ openAt: one }, { openAt: other }] = [this.#slices.of(a), this.#slices.of(b)];
    return (one === other || JSON.stringify(one) === JSON.stringify(other)) && this.#is(a, this.read(b));
  }

  /** Whether a past is one that may have been. Most differ in these three, and need not be read. */
  #is(past: Past, possible: Possibility): boolean {
    const { state, group, history } = this.#slices.of(past);
    if (state !== possible.state || group !== possible.group || history.servedTo !== possible.servedTo)
      return false;
    return isSamePossibility(this.read(past), possible);
  }

  #keep(task: Task, kept: readonly Past[]): void {
    if (kept.length === task.pasts.length) return;
    for (const past of task.pasts) {
      if (kept.includes(past)) continue;
      this.#slices.drop(past);
      this.retryDeadlines.delete(past);
    }
    this.#setPasts(task, kept);
    if (task.isInDoubt) return;
    const { delays } = task.past;
    task.past.delays = [];
    for (const delay of delays) this.#findings.delayed(delay);
  }

  #setPasts(task: Task, pasts: readonly Past[]): void {
    task.pasts = pasts;
    task.isInDoubt = pasts.length > 1;
    if (task.isInDoubt) this.#inDoubt.add(task);
    else this.#inDoubt.delete(task);
  }

  /** A demand of a past has ended; it counts once the task is certain. */
  delayed(past: Past, delay: Delay): void {
    if (past.task.isInDoubt) past.delays = longest([...past.delays, delay]);
    else this.#findings.delayed(delay);
  }
}

function outermost(pasts: readonly Past[]): readonly Past[] {
  const sorted = pasts.toSorted((a, b) => a.history.servedTo - b.history.servedTo);
  const kept = new Set([pasts[0], ...sorted.slice(0, MOST_PASTS / 2), ...sorted.slice(-MOST_PASTS / 2)]);
  return pasts.filter((past) => kept.has(past));
}

/** For a verdict: what was owed, and what is, in the past of a task in doubt in which that is least. */
export function leastOwed(
  { pasts }: Task,
  openOf: (past: Past) => readonly Delay[],
): { readonly ended: readonly Delay[]; readonly open: readonly Delay[] } {
  const all = pasts.map((past) => ({ ended: past.delays, open: openOf(past) }));
  const worst = all.map(({ ended, open }) => worstOf([...ended, ...open]));
  return all[worst.indexOf(Math.min(...worst))];
}
