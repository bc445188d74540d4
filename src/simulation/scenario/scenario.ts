/**
 * A scenario: everything that happens to a world, as data. It is drawn from a seed before anything runs. So it can be printed,
 * cut down to what a failure needs, and kept as a regression test. What happens *inside* the world (how long a write takes, how a
 * run ends) is drawn from the same seed, by name and number, while the world is played.
 */

import type { Sizes, TracedRegistration } from '../../scheduler/index.ts';

/** The policies of a task (H). */
export type TaskPolicy = NonNullable<TracedRegistration['policy']>;

/** A task of the world: a registration without its callback. */
export interface TaskPlan {
  readonly name: string;
  readonly cron: string;
  readonly retryDelayMs: number;
  /** What a task object says (H); a task without it is a tuple. */
  readonly policy?: TaskPolicy;
}

/** How often runs end in each way, as weights. */
export interface CallbackMix {
  readonly succeedAtOnce: number;
  readonly succeedLater: number;
  readonly failLater: number;
  readonly throwAtOnce: number;
  /** Never ends by itself: only when the world heals, or when its signal is aborted and it listens. */
  readonly hang: number;
  /** Runs past the task's next due instant. */
  readonly overrun: number;
  /** Holds the event loop. */
  readonly burn: number;
  /** Calls `stop` on its own scheduler, does not await it, and ends. */
  readonly stop: number;
}

/** What the disk does to requests while it is in no special trouble. */
export interface DiskMix {
  /** The longest time a request takes. */
  readonly latencyMs: number;
  /** How many of a thousand requests are refused, and how many take effect and are reported as failed. */
  readonly refusedPerMille: number;
  readonly unansweredPerMille: number;
  /**
   * How many of a thousand starts the disk does not grant, and how many of a thousand ends and starts taken back it refuses, as a
   * store that several schedulers share may; by default none.
   */
  readonly ungrantedPerMille?: number;
}

/** What a store can do to its scheduler. */
export type Trouble = 'refuses' | 'stalls' | 'takes and denies' | 'unreadable';

/** One thing that happens to a world. */
export type Action =
  /**
   * `initialize` is called with a list. If no process lives, one begins first. If a scheduler is active already, it takes the list
   * over where the scenario says so (I5), and must refuse it otherwise (D4).
   */
  | { readonly kind: 'start'; readonly tasks: readonly TaskPlan[]; readonly flaw?: Flaw }
  | ({ readonly kind: 'crash' } & NextLife)
  /** The process dies after this many more calls of its ports: before the next call takes effect, or right after. */
  | ({ readonly kind: 'crash at call'; readonly calls: number; readonly when: 'before' | 'after' } & NextLife)
  | { readonly kind: 'stop' }
  | ({ readonly kind: 'step'; readonly byMs: number } & Landing)
  /**
   * Nothing computes. The machine sleeps (timers stand still, the wall clock goes on), or the process is held (everything comes
   * late).
   */
  | { readonly kind: 'freeze'; readonly ms: number; readonly how: 'held' | 'asleep' }
  | { readonly kind: 'trouble'; readonly trouble: Trouble; readonly ms: number }
  /** A second scheduler tries to take the same store. */
  | { readonly kind: 'intrude' }
  /** Somebody else takes the store as soon as it is free, and keeps it this long. */
  | { readonly kind: 'rival'; readonly ms: number }
  /** An operator asks for something (I1), whether a scheduler is there or not. */
  | {
      readonly kind: 'ask';
      readonly control: 'run' | 'pause' | 'resume' | 'cancel';
      readonly task: string;
      /** Of a resume. */
      readonly catchUp?: boolean;
    };

/**
 * Where a clock is to land when it is set: at `offsetMs` from some task's cursor, as the scheduler will see it, or from the first
 * minute that begins after `byMs`. Without a landing, the clock is set by `byMs`.
 */
export interface Landing {
  readonly landing?: 'before a cursor' | 'at a minute';
  readonly offsetMs?: number;
}

/** What follows a crash: for how long no process lives, and the list and the zone of the next one, if they change. */
export interface NextLife {
  readonly downMs: number;
  readonly tasks?: readonly TaskPlan[];
  /** Replaces the scenario's zone, until another crash changes it. */
  readonly timeZone?: string;
}

/** What can be wrong with a list. */
export type Flaw = 'duplicate name' | 'bad cron' | 'negative delay' | 'bad shape' | 'empty name';

/** Everything that happens to a world, as data. */
export interface Scenario {
  readonly seed: number;
  /** An ISO instant. */
  readonly start: string;
  readonly timeZone: string;
  /** How many tasks may run at once; 0 for no bound. */
  readonly workers: number;
  /** How long `stop` tries its last write. */
  readonly finalWriteMs: number;
  readonly callbacks: CallbackMix;
  readonly disk: DiskMix;
  /** No listener, or one that throws after each event; by default it only listens. */
  readonly listener?: 'none' | 'throws';
  /** How much the scheduler does at once; by default as much as it ships with. */
  readonly sizes?: Sizes;
  /** How long `initialize` waits for the store; by default not at all. */
  readonly lockWaitMs?: number;
  /** Whether an active scheduler takes over another list (I5); by default it does not. */
  readonly reload?: boolean;
  /** In order. Each comes this many milliseconds after the beginning, by a clock that does not step. */
  readonly events: readonly (readonly [atMs: number, action: Action])[];
}

/** One readable line per event. */
export function describeScenario(scenario: Scenario): string {
  const { seed, start, timeZone, workers, events } = scenario;
  const head = `seed ${seed}: ${start} ${timeZone}, ${workers === 0 ? 'no bound on workers' : `${workers} workers`}`;
  return [head, ...events.map(([at, action]) => `  +${elapsed(at)} ${describeAction(action)}`)].join('\n');
}

const elapsed = (ms: number): string => {
  const pad = (value: number, size: number): string => String(value).padStart(size, '0');
  const hours = Math.floor(ms / 3_600_000);
  return `${pad(hours, 2)}:${pad(Math.floor(ms / 60_000) % 60, 2)}:${pad(Math.floor(ms / 1000) % 60, 2)}.${pad(ms % 1000, 3)}`;
};

function describeAction(action: Action): string {
  switch (action.kind) {
    case 'start':
      return `start ${describeTasks(action.tasks)}${action.flaw === undefined ? '' : ` with a ${action.flaw}`}`;
    case 'crash':
      return `crash${describeNext(action)}`;
    case 'crash at call':
      return `crash ${action.when} port call ${action.calls}${describeNext(action)}`;
    case 'step':
      return `the wall clock is set by ${action.byMs} ms${describeLanding(action)}`;
    case 'freeze':
      return `${action.how} for ${action.ms} ms`;
    case 'trouble':
      return `the store ${action.trouble} for ${action.ms} ms`;
    case 'rival':
      return `a rival takes the store for ${action.ms} ms`;
    case 'ask':
      return `an operator asks: ${action.control} ${action.task}${action.catchUp ? ', catching up' : ''}`;
    default:
      return action.kind;
  }
}

const describeLanding = ({ landing, offsetMs = 0 }: Landing): string =>
  landing === undefined
    ? ''
    : `, to land ${offsetMs} ms ${landing === 'at a minute' ? 'from a minute' : 'from a cursor'}`;

const describeTasks = (tasks: readonly TaskPlan[]): string => `[${tasks.map(describeTask).join('; ')}]`;

const describeTask = ({ name, cron, retryDelayMs, policy }: TaskPlan): string =>
  `${name} "${cron}" ${retryDelayMs} ms${policy === undefined ? '' : ` ${JSON.stringify(policy)}`}`;

const describeNext = ({ downMs, tasks, timeZone }: NextLife): string =>
  `, back after ${downMs} ms${timeZone === undefined ? '' : ` in ${timeZone}`}${tasks === undefined ? '' : ` with ${describeTasks(tasks)}`}`;

/** A test file that replays the scenario, ready to be pasted and run. */
export const regressionTest = (scenario: Scenario, title: string): string =>
  `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld } from 'obbligato/simulation';

test(${JSON.stringify(title)}, async () => {
  const { violations } = await createWorld({ scenario: ${JSON.stringify(scenario)} }).run();
  assert.deepEqual(violations, []);
});`;
