/**
 * What an initialization does to the tasks: the names that come, stay and go, what a clock that was set back means for them (B5), and
 * what is possible if a crash or the store has left it open whether the list was taken over at all (T11, E9).
 *
 *     list ──succeeds──▶ taken over: cursors judged, first comers begin, the removed are forgotten
 *      │
 *      └──cut off by a crash, or refused by the store──▶ either: every task that differs has both pasts until the next list
 */
import type { TracedRegistration } from '../../trace/record.ts';
import { scheduleKey } from '../calendar/valid-list.ts';
import type { Ledger } from '../verdict/ledger.ts';
import type { Call } from './calls.ts';
import { type Cursors, distinct } from './clock-back.ts';
import type { Pulses } from './derived.ts';
import type { Durability } from './durability.ts';
import type { Enlisted, Population } from './population.ts';
import type { RetryDelays } from './retry-delays.ts';

export interface TakeoverPorts {
  readonly population: Population;
  readonly cursors: Cursors;
  readonly pulses: Pulses;
  readonly delays: RetryDelays;
  readonly durability: Durability;
  readonly ledger: Ledger;
  /** The number of a name, which may be new. */
  readonly taskOf: (name: string) => number;
}

export class Takeover {
  readonly #ports: TakeoverPorts;
  /** Tasks that an initialization would have removed, had a crash not cut it off: whether their retry still counts, nobody knows. */
  readonly #maybeForgotten = new Set<number>();
  /** The last process has crashed, and no other has taken over. */
  #isCutOff = false;

  constructor(ports: TakeoverPorts) {
    this.#ports = ports;
  }

  started(task: number): void {
    if (this.#maybeForgotten.size > 0) this.#maybeForgotten.delete(task);
  }

  /** If the removal that a crash cut off was committed, the retry was forgotten with it (T2, T11); it may come again if the clock is set. */
  isMaybeForgotten(task: number): boolean {
    return this.#maybeForgotten.has(task);
  }

  crash(): void {
    this.#isCutOff = true;
  }

  /** A valid list is taken over; planned at a reading of the clock, if the trace tells it. */
  succeeds({ registrations, timeZone, isStopped }: Call, plannedAt: number | undefined, now: number): void {
    const { population, cursors, pulses, delays, durability, taskOf } = this.#ports;
    for (const { name } of registrations) taskOf(name);
    const list = enlisted(registrations, timeZone);
    const isAfterCrash = this.#isCutOff && durability.isTold;
    this.#judgeClock(list, plannedAt, isAfterCrash, now);
    const before = population.registered.map(({ name }) => taskOf(name));
    const servedTo = this.#cursorsOf(new Set(before));
    const firstComers = population.initialize(list, { isLive: !isStopped, servedTo, isAfterCrash }, now);
    this.#isCutOff = false;
    const delayOf = registrations.map(({ name, retryDelayMs }) => [taskOf(name), retryDelayMs] as const);
    // Whoever is removed comes for the first time when it comes again: its retry is forgotten (T2).
    for (const task of delays.register(before, delayOf)) pulses.retries.clear(task);
    pulses.reschedule(timeZone, now);
    for (const task of firstComers) {
      pulses.retries.clear(task);
      this.#maybeForgotten.delete(task);
      const cursor = pulses.minuteStart(Math.max(plannedAt ?? now, now)) - 1;
      if (cursors.firstComing(population, task, cursor, now)) pulses.include(population.groupOf(task), now);
    }
    cursors.initialized();
  }

  /** A clock that was set back while nobody was active, or before a crash, is judged now, by the reading of the plan (B5). */
  #judgeClock(
    list: readonly Enlisted[],
    plannedAt: number | undefined,
    isAfterCrash: boolean,
    now: number,
  ): void {
    const { population, cursors, pulses, delays } = this.#ports;
    if (!cursors.isUnsure(now) && plannedAt === undefined) return;
    const judgedAt = plannedAt ?? now;
    pulses.retries.initialize(judgedAt, now, (task) => delays.possible(task));
    cursors.initialize(population, list, {
      judgedAt,
      now,
      isRetryAhead: (task) => pulses.retries.isAhead(task, now),
      doubt: isAfterCrash ? 'cut off' : 'none',
    });
  }

  /** Whoever stays was served up to its cursor, which may lie ahead of a clock that was set back (B5); whoever comes begins anew. */
  #cursorsOf(known: ReadonlySet<number>): (task: number) => number {
    const { cursors } = this.#ports;
    return (task) => (known.has(task) ? cursors.farthest(task) : Number.NEGATIVE_INFINITY);
  }

  /**
   * It may have been committed, from its beginning on or only just now. Adds, for each task that differs, the states that it may
   * then be in.
   */
  maybe(call: Call, how: 'a crash cut off' | 'failed', doubtful: Map<number, number[]>, now: number): void {
    const { population, delays, ledger, taskOf } = this.#ports;
    const { registrations, timeZone, readings } = call;
    const listed = new Map(registrations.map(({ name, cron }) => [name, scheduleKey(cron, timeZone)]));
    const before = new Set(population.registered.map(({ name }) => name));
    // Whoever may have been removed before may come for the first time now.
    const isOpen = (name: string): boolean =>
      listed.has(name) !== before.has(name) || !population.isCertain(taskOf(name));
    const names = [...new Set([...listed.keys(), ...before])].filter(isOpen);
    for (const name of names) {
      const task = taskOf(name);
      const committed = distinct([...readings, now]).map((when) =>
        population.committed(task, listed.get(name), when),
      );
      doubtful.set(task, [...(doubtful.get(task) ?? []), ...committed]);
      if (before.has(name)) this.#maybeForgotten.add(task);
    }
    this.#maybeJudged(call, now);
    for (const { name, retryDelayMs } of registrations) delays.maybe(taskOf(name), retryDelayMs);
    ledger.note('S1', `an initialization that ${how} is accepted as committed or not (T11)`);
  }

  #maybeJudged({ registrations, timeZone, readings }: Call, now: number): void {
    const { population, cursors, pulses, delays } = this.#ports;
    if (!cursors.isUnsure(now)) return;
    const list = enlisted(registrations, timeZone);
    for (const judgedAt of distinct([...readings, now])) {
      const first = pulses.minuteStart(judgedAt) - 1;
      cursors.maybeInitialized(population, list, judgedAt, first);
      pulses.retries.maybeInitialized(judgedAt, (task) => delays.possible(task));
    }
  }
}

/** Tasks with the same schedule share the text of its key. */
function enlisted(registrations: readonly TracedRegistration[], timeZone: string): readonly Enlisted[] {
  const keys = new Map<string, string>();
  return registrations.map(({ name, cron }) => {
    const schedule = keys.get(cron) ?? scheduleKey(cron, timeZone);
    keys.set(cron, schedule);
    return { name, schedule };
  });
}
