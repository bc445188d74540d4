/**
 * A scenario: everything that befalls a world, as data. It is drawn from a seed before anything runs, so that it can be
 * printed, cut down to what is needed for a failure, and kept as a regression test. What happens *inside* (how long a write takes,
 * how a run ends) is drawn by name and number from the same seed while it is played.
 */

import type { Sizes } from '../../scheduler/index.ts';

/** A task of the world: a registration without its callback. */
export interface TaskPlan {
  readonly name: string;
  readonly cron: string;
  readonly retryDelayMs: number;
}

/** How runs end, as weights. */
export interface CallbackMix {
  readonly succeedAtOnce: number;
  readonly succeedLater: number;
  readonly failLater: number;
  readonly throwAtOnce: number;
  /** Never ends by itself; only when the world heals, or when it is told to stop and listens. */
  readonly hang: number;
  /** Takes longer than until the next due instant. */
  readonly overrun: number;
  /** Holds the event loop. */
  readonly burn: number;
  /** Calls `stop` of its own scheduler, does not wait for it, and ends. */
  readonly stop: number;
}

/** What the disk does to requests while nothing special is the matter with it. */
export interface DiskMix {
  /** The longest time a request takes. */
  readonly latencyMs: number;
  /** Of a thousand requests, how many are refused, and how many take effect and are reported as failed. */
  readonly refusedPerMille: number;
  readonly unansweredPerMille: number;
  /** Of a thousand starts, how many it does not grant, as a store may that several schedulers share; none, if nothing is said. */
  readonly ungrantedPerMille?: number;
}

/** What a store can do to its scheduler. */
export type Trouble = 'refuses' | 'stalls' | 'takes and denies' | 'unreadable';

/** One thing that befalls a world. */
export type Action =
  /** A process begins, if none lives, and hands over a list; one that lives does it again, and is refused (D4). */
  | { readonly kind: 'start'; readonly tasks: readonly TaskPlan[]; readonly flaw?: Flaw }
  | ({ readonly kind: 'crash' } & NextLife)
  /** The process dies when it has called its ports so many times more: before the call takes effect, or right after. */
  | ({ readonly kind: 'crash at call'; readonly calls: number; readonly when: 'before' | 'after' } & NextLife)
  | { readonly kind: 'stop' }
  | ({ readonly kind: 'step'; readonly byMs: number } & Landing)
  /** No compute. The machine sleeps (timers stand still, the wall clock does not), or the process is held (everything comes late). */
  | { readonly kind: 'freeze'; readonly ms: number; readonly how: 'held' | 'asleep' }
  | { readonly kind: 'trouble'; readonly trouble: Trouble; readonly ms: number }
  /** A second scheduler tries to take the same store. */
  | { readonly kind: 'intrude' }
  /** Somebody else takes the store as soon as it is free, and keeps it so long. */
  | { readonly kind: 'rival'; readonly ms: number };

/**
 * Where a clock is to land when it is set: so far from where the cursor of a task lies as the scheduler will see it, or from the
 * minute that begins next after `byMs`. Just `byMs`, if nothing is said.
 */
export interface Landing {
  readonly landing?: 'before a cursor' | 'at a minute';
  readonly offsetMs?: number;
}

/** After a crash: for how long nobody is there, and the list and the zone of the next process, if they are others. */
export interface NextLife {
  readonly downMs: number;
  readonly tasks?: readonly TaskPlan[];
  /** Instead of the scenario's, until a crash says otherwise. */
  readonly timeZone?: string;
}

/** What can be wrong with a list. */
export type Flaw = 'duplicate name' | 'bad cron' | 'negative delay' | 'bad shape' | 'empty name';

/** All that befalls a world, as data. */
export interface Scenario {
  readonly seed: number;
  /** An ISO instant. */
  readonly start: string;
  readonly timeZone: string;
  /** 0 for no bound. */
  readonly workers: number;
  /** How long `stop` tries its last write. */
  readonly finalWriteMs: number;
  readonly callbacks: CallbackMix;
  readonly disk: DiskMix;
  /** There is none, or it throws whenever it has heard an event; it only listens, if nothing is said. */
  readonly listener?: 'none' | 'throws';
  /** How much the scheduler does at once; as it ships, if nothing is said. */
  readonly sizes?: Sizes;
  /** How long `initialize` waits for the store; not at all, if nothing is said. */
  readonly lockWaitMs?: number;
  /** Each at so many milliseconds after the beginning, by a clock that does not step; in order. */
  readonly events: readonly (readonly [atMs: number, action: Action])[];
}

/** One readable line an event. */
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
    default:
      return action.kind;
  }
}

const describeLanding = ({ landing, offsetMs = 0 }: Landing): string =>
  landing === undefined
    ? ''
    : `, to land ${offsetMs} ms ${landing === 'at a minute' ? 'from a minute' : 'from a cursor'}`;

const describeTasks = (tasks: readonly TaskPlan[]): string =>
  `[${tasks.map(({ name, cron, retryDelayMs }) => `${name} "${cron}" ${retryDelayMs} ms`).join('; ')}]`;

const describeNext = ({ downMs, tasks, timeZone }: NextLife): string =>
  `, back after ${downMs} ms${timeZone === undefined ? '' : ` in ${timeZone}`}${tasks === undefined ? '' : ` with ${describeTasks(tasks)}`}`;

const IMPORTS = [
  ['assert', "'node:assert/strict'"],
  ['{ test }', "'node:test'"],
  ['{ createWorld }', "'obbligato/simulation'"],
] as const;

/** A test file that replays it for ever, ready to be pasted and run. */
export function regressionTest(scenario: Scenario, title: string): string {
  return [
    ...IMPORTS.map(([what, module]) => `import ${what} from ${module};`),
    '',
    `test(${JSON.stringify(title)}, async () => {`,
    `  const { violations } = await createWorld({ scenario: ${JSON.stringify(scenario)} }).run();`,
    '  assert.deepEqual(violations, []);',
    '});',
  ].join('\n');
}
