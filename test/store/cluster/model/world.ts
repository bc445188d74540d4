/**
 * What a state of the model is: the real rows of a cluster, the processes next to them, and *ghosts*, which no decision sees.
 *
 * Time has two grains. A *tick* is half a lease: leases run out by ticks alone. Between two ticks there are as many instants as are needed.
 * So an instance that does nothing for two ticks has been paused for longer than its lease, and needs no state of its own for that.
 */
import type { TaskRecord } from '../../../../src/core/record.ts';
import { isApplied } from '../../../../src/scheduler/read-back.ts';
import { type ClusterBatch, commit } from '../../../../src/store/cluster/decide.ts';
import { declareDead, join, leave, renew } from '../../../../src/store/cluster/members.ts';
import type { Cluster } from '../../../../src/store/cluster/rows.ts';
import type { EndChange, StartChange } from '../../../../src/store/port.ts';

export const TICK_MS = 10_000;
export const LEASE_MS = 2 * TICK_MS;
/** A retry waits for one tick. */
export const DELAY_MS = TICK_MS;

/** What the model calls. A planted fault overrides one or two of them. */
export const operations = { join, renew, declareDead, leave, commit, isApplied };
export type Operations = typeof operations;

/** A list of tasks: the expression of each name. */
export type List = Readonly<Record<string, string>>;

/** A process: the list of each of its lives, and those that it is given while it runs (I5). */
export interface SlotPlan {
  readonly lives: readonly List[];
  readonly reloads?: readonly List[];
  /** Whether its first life begins later, instead of before the exploration. */
  readonly comesLater?: boolean;
}

/** How often each thing may happen. Ticks, renewals, claims and the rest happen at any time. */
export interface Counts {
  /** Due instants, of every task. */
  readonly dues: number;
  /** Callbacks that fail. */
  readonly failures: number;
  /** Requests or answers that get lost. */
  readonly losses: number;
  /** Requests that the network delivers later, once more. */
  readonly copies: number;
  /** Processes that die. */
  readonly crashes: number;
  /** Processes that are stopped. */
  readonly stops: number;
  /** Ticks in which an instance that lives does not renew. */
  readonly freezes: number;
  /** Dues that an instance finds too old, by the list that it knows (H4). */
  readonly skips: number;
}

export interface Bounds {
  readonly slots: readonly SlotPlan[];
  readonly counts: Partial<Counts>;
  /** Whether an instance decides by what it saw last, or looks right before. In flight, a claim is as old as can be either way. */
  readonly knowledge?: 'kept' | 'fresh';
  /** Whether two events can carry the same instant, or never do. */
  readonly clock?: 'coarse' | 'fine';
}

/** What a process does with a task. */
export type Run =
  | { readonly stage: 'granted'; readonly claim: StartChange; readonly before: Before }
  | { readonly stage: 'called'; readonly claim: StartChange; readonly calledAt: number }
  | { readonly stage: 'ended'; readonly end: EndChange }
  | { readonly stage: 'taken back'; readonly claim: StartChange; readonly before: Before };

/** What a claim takes the place of. */
export type Before = Pick<TaskRecord, 'work' | 'run'>;

/** A batch, and by which instance. */
export interface Sent {
  readonly id: string;
  readonly batch: ClusterBatch;
  /** Ghost: the expressions that the claims, or the moves, were decided by, in their order. */
  readonly crons: readonly string[];
}

/** A batch on its way to the database, or with an unknown answer; and what its claims take the place of. */
export interface Flight extends Sent {
  readonly stage: 'sent' | 'unknown';
  readonly befores: readonly Before[];
}

/**
 *     out ──join──▶ joined ──an initialize is answered──▶ ready ──stop──▶ stopping ──leave──▶ out
 *      ▲               │                                    │                │
 *      └───────────────┴────── crash, or it hears that it is fenced ─────────┘
 */
export interface Slot {
  readonly phase: 'out' | 'joined' | 'ready' | 'stopping';
  /** Which life it is, from 1; its instance is named by slot and life. */
  readonly life: number;
  readonly reloads: number;
  /** The list that it has; and the one that it wants to have. */
  readonly list: List;
  readonly next: List | null;
  readonly flight: Flight | null;
  readonly runs: ReadonlyMap<string, Run>;
  /** What the network still holds of it, perhaps of an earlier life. */
  readonly copy: Sent | null;
  /** What it saw last; `null` if it looks each time. */
  readonly known: { readonly records: Cluster['records']; readonly epoch: number } | null;
}

/** Ghost of a member, in ticks, at most two: since its last renewal; and how long it has held its lease without a gap. */
export interface Age {
  readonly sinceRenewal: number;
  readonly held: number;
}

export interface World {
  readonly now: number;
  readonly cluster: Cluster;
  readonly ages: ReadonlyMap<string, Age>;
  readonly tasks: ReadonlyMap<string, Truth>;
  /** When each name was due last, whether or not it is registered. */
  readonly dueAt: ReadonlyMap<string, number>;
  readonly slots: readonly Slot[];
  readonly left: Counts;
  /** What the last step did wrong; empty if nothing. */
  readonly fault: string;
}

/** Ghost: a task as one scheduler has it (A1, A3, A6), which knows of no instances. `truth.ts` has what happens to it. */
export interface Truth {
  readonly servedThrough: number;
  readonly retryAt: number | null;
  readonly isOrphaned: boolean;
  readonly run: { readonly runId: string; readonly instanceId: string; readonly wasOrphaned: boolean } | null;
}

export const letterOf = (slot: number): string => String.fromCharCode(97 + slot);
export const idOf = (slot: number, life: number): string => `${letterOf(slot)}${life}`;

/** All names that the bounds speak of. */
export const namesOf = ({ slots }: Bounds): string[] => [
  ...new Set(
    slots.flatMap(({ lives, reloads = [] }) => [...lives, ...reloads].flatMap((list) => Object.keys(list))),
  ),
];

/** One less of something that is counted; `undefined` if there is none. */
export const spend = (world: World, what: keyof Counts): World | undefined =>
  world.left[what] === 0 ? undefined : { ...world, left: { ...world.left, [what]: world.left[what] - 1 } };

/** Something happens at an instant of its own, unless the clock is coarse. */
export const stamped = (world: World, { clock = 'fine' }: Bounds): World =>
  clock === 'fine' ? { ...world, now: world.now + 1 } : world;
