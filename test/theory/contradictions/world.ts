/**
 * What is true of the world after some moves, without any formula: which calls are open, what runs, which retries are still to
 * come, and what the scheduler of A1 would have pending. Moves are the environment's or the scheduler's (T9).
 */
import type { Enlisted, Universe } from './slice.ts';

export type Move =
  | { readonly event: 'Minute'; readonly due: number }
  | { readonly event: 'IS'; readonly list: number }
  | { readonly event: 'SS' | 'Crash' | 'Commit' | 'IEs' | 'IEf' | 'SE' }
  | { readonly event: 'REs' | 'REf' | 'RetryDue'; readonly task: number }
  /** A start; in the letter a minute may begin at the very same position (T13): what is due then. */
  | { readonly event: 'RS'; readonly task: number; readonly due?: number };

/** How often the environment may do what it does. */
export interface Bounds {
  readonly minutes: number;
  readonly initializations: number;
  readonly stops: number;
  readonly crashes: number;
  readonly failures: number;
}

export interface World {
  readonly left: Bounds;
  /** The list registered last; −1 is none. */
  readonly list: number;
  /** The list of the open initialization; −1 where none is open. */
  readonly initializing: number;
  /** … during which a stop was called. */
  readonly isStopped: 0 | 1;
  /** … that was called while the scheduler was active or stopping, or that a stop came into. */
  readonly busy: 'no' | 'from its call' | 'later';
  /** … that has become durable; the process dies before it returns (T11). */
  readonly isCommitted: 0 | 1;
  readonly stopping: 0 | 1;
  readonly isActive: 0 | 1;
  /** By task, a bit each. */
  readonly running: number;
  /** By task: failures whose retry is to come, and that the scheduler of A1 would count, or would not. */
  readonly fresh: number;
  readonly stale: readonly number[];
  /** What is due in the minute that it is, a bit a schedule. */
  readonly minute: number;
  /** By identifier: the schedules that were due since the last start or first coming. */
  readonly dues: readonly number[];
  /** By identifier, a bit each: a retry or a restart is owed. */
  readonly retry: number;
  readonly orphaned: number;
}

export interface Setting {
  readonly universe: Universe;
  /** In the letter every failure has its pulse, whatever came after it (T2). */
  readonly retries: 'latest' | 'every';
  /** Whether a crash may come between the commit of an initialization and its success (T11). */
  readonly commits: 'judged' | 'left out';
}

const identifier = (name: string): string => name.split('|', 1)[0];
export const has = (bits: number, bit: number): boolean => (bits & (1 << bit)) !== 0;
const without = (bits: number, bit: number): number => bits & ~(1 << bit);

export class Worlds {
  readonly setting: Setting;
  readonly identifiers: readonly string[];
  /** By task, the place of its identifier. */
  readonly idOf: readonly number[];

  constructor(setting: Setting) {
    this.setting = setting;
    const { names } = setting.universe;
    this.identifiers = [...new Set(names.map(identifier))];
    this.idOf = names.map((name) => this.identifiers.indexOf(identifier(name)));
  }

  initial(bounds: Bounds): World {
    return {
      left: bounds,
      list: -1,
      initializing: -1,
      isStopped: 0,
      busy: 'no',
      isCommitted: 0,
      stopping: 0,
      isActive: 0,
      running: 0,
      fresh: 0,
      stale: this.idOf.map(() => 0),
      minute: 0,
      dues: this.identifiers.map(() => 0),
      retry: 0,
      orphaned: 0,
    };
  }

  registration(world: World, task: number): Enlisted | undefined {
    const { lists, names } = this.setting.universe;
    return lists[world.list]?.find(({ name }) => name === names[task]);
  }

  /** The schedule of a task from here on; −1 is none. */
  schedule(world: World, task: number): number {
    const { schedules, tuples, names } = this.setting.universe;
    const schedule = tuples?.get(names[task]) ?? this.registration(world, task)?.schedule;
    return schedule === undefined ? -1 : schedules.indexOf(schedule);
  }

  /** Whether the scheduler of A1 would owe a start. */
  owes(world: World, task: number): boolean {
    const id = this.idOf[task];
    const isRunning = this.idOf.some((other, one) => other === id && has(world.running, one));
    if (world.isActive === 0 || isRunning || this.registration(world, task) === undefined) return false;
    return has(world.dues[id], this.schedule(world, task)) || has(world.retry, id) || has(world.orphaned, id);
  }

  after(world: World, move: Move): World {
    const { left } = world;
    switch (move.event) {
      case 'Minute':
        return this.#minute({ ...world, left: { ...left, minutes: left.minutes - 1 } }, move.due);
      case 'IS':
        return {
          ...world,
          left: { ...left, initializations: left.initializations - 1 },
          initializing: move.list,
          isStopped: 0,
          busy: world.isActive || world.stopping ? 'from its call' : 'no',
        };
      case 'SS':
        return {
          ...world,
          left: { ...left, stops: left.stops - 1 },
          stopping: 1,
          isActive: 0,
          isStopped: world.initializing < 0 ? 0 : 1,
          busy: world.initializing < 0 || world.busy !== 'no' ? world.busy : 'later',
        };
      case 'SE':
        return { ...world, stopping: 0 };
      case 'IEf':
        return { ...world, initializing: -1, isStopped: 0, busy: 'no' };
      case 'IEs':
        return this.#initialized(world);
      case 'Commit':
        return { ...this.#initialized(world), initializing: world.initializing, isActive: 0, isCommitted: 1 };
      case 'Crash':
        return this.#crashed({ ...world, left: { ...left, crashes: left.crashes - 1 } });
      case 'RS':
        return this.#started(world, move.task, move.due);
      case 'REs':
        return { ...world, running: without(world.running, move.task) };
      case 'REf': {
        const failed = { ...world, left: { ...left, failures: left.failures - 1 } };
        return {
          ...failed,
          running: without(world.running, move.task),
          fresh: world.fresh | (1 << move.task),
        };
      }
      case 'RetryDue':
        return this.#retryDue(world, move.task);
    }
  }

  #minute(world: World, due: number): World {
    return { ...world, minute: due, dues: world.dues.map((dues) => dues | due) };
  }

  #started(world: World, task: number, due: number | undefined): World {
    const id = this.idOf[task];
    const pulsed =
      due === undefined
        ? world
        : this.#minute({ ...world, left: { ...world.left, minutes: world.left.minutes - 1 } }, due);
    return {
      ...this.#discard(pulsed, id),
      running: world.running | (1 << task),
      dues: pulsed.dues.map((dues, one) => (one === id ? 0 : dues)),
    };
  }

  /** Retries and restarts of an identifier no longer count; in the letter their pulses come nevertheless. */
  #discard(world: World, id: number): World {
    const isOf = (task: number): boolean => this.idOf[task] === id;
    const isEvery = this.setting.retries === 'every';
    return {
      ...world,
      fresh: this.idOf.reduce((fresh, _, task) => (isOf(task) ? without(fresh, task) : fresh), world.fresh),
      stale: world.stale.map((stale, task) =>
        isEvery && isOf(task) && has(world.fresh, task) ? stale + 1 : stale,
      ),
      retry: without(world.retry, id),
      orphaned: without(world.orphaned, id),
    };
  }

  #retryDue(world: World, task: number): World {
    // Retries of one task come in the order of its failures.
    if (world.stale[task] > 0)
      return { ...world, stale: world.stale.map((stale, one) => (one === task ? stale - 1 : stale)) };
    return {
      ...world,
      fresh: without(world.fresh, task),
      retry: world.retry | (1 << this.idOf[task]),
    };
  }

  #initialized(world: World): World {
    const { lists } = this.setting.universe;
    const isIn = (list: number, id: number): boolean =>
      lists[list]?.some(({ name }) => identifier(name) === this.identifiers[id]) === true;
    let next: World = {
      ...world,
      list: world.initializing,
      initializing: -1,
      isStopped: 0,
      busy: 'no',
      isActive: world.isStopped ? 0 : 1,
    };
    for (const id of this.identifiers.keys()) {
      if (isIn(world.list, id) || !isIn(next.list, id)) continue;
      const comer = this.#discard(next, id);
      next = { ...comer, dues: comer.dues.map((dues, one) => (one === id ? world.minute : dues)) };
    }
    return next;
  }

  #crashed(world: World): World {
    const cutOff = this.idOf.reduce(
      (bits, id, task) => (has(world.running, task) ? bits | (1 << id) : bits),
      0,
    );
    return {
      ...world,
      initializing: -1,
      isStopped: 0,
      busy: 'no',
      isCommitted: 0,
      stopping: 0,
      isActive: 0,
      running: 0,
      orphaned: world.orphaned | cutOff,
    };
  }
}
