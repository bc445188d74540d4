/** A life of the scheduler as data: the list that it begins with, and the engine that comes of it. */
import type { ControlRequest } from '../core/control.ts';
import type { Plan } from '../core/plan.ts';
import type { CheckedRegistration } from '../core/registration.ts';
import type { StoreSession } from '../store/port.ts';
import type { Zone } from '../time/zone.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { Engine } from './engine.ts';
import type { EventDetails } from './events.ts';

/** Who hears what the store says by itself: the engine of the list that counts. */
export interface Hearer {
  engine: Engine | undefined;
  /** What operators have asked for and no engine has taken in. The lists of a life share it, and what is over. */
  readonly asked: ControlRequest[];
  /** The last requests whose answers are durable: what the store showed before that may arrive after it, under the next list too (I1). */
  readonly over: Set<string>;
}

/** An engine, and the session of the store that it lives on. */
export interface Life {
  readonly engine: Engine;
  readonly session: StoreSession;
  readonly hearer: Hearer;
  readonly instanceId: string;
  readonly hasTasks: boolean;
  readonly initializedAt: number;
  /** The reading of the clock by which the plan was made (D6). */
  readonly plannedAt: number;
  /** What the store has forgotten of the names that the list lacks, if it says so (K5). */
  readonly forgotten: readonly string[] | undefined;
  /** The names that the store did not have before, for the trace of an instance that shares it (K5). */
  readonly added: readonly string[] | undefined;
  /** The tasks that the store had and no instance had started, by when they came, if the store is shared (K9). */
  readonly came: Plan['came'];
  /** The place of its list among those of all instances, if the store is shared (K5). */
  readonly epoch: number | undefined;
  readonly changes: EventDetails['SchedulerInitializationCompleted'];
  /** The names that ran under an earlier list when this life was planned, and whose runs have ended since (I5). */
  ranAtPlan?(): readonly string[];
}

/** A list that has passed. */
export interface CheckedList {
  readonly registrations: readonly CheckedRegistration[];
  readonly zone: Zone;
}

/** The same on its way into force, while names are looked up. */
export interface PlacedList extends CheckedList {
  /** The place of each registration, by its name. */
  readonly places: ReadonlyMap<string, number>;
}

/**
 * What a life begins with. What lives on holds functions of it and not the request itself: it has the list and the life of before, and each
 * reload would keep them in memory.
 */
export interface LifeRequest extends PlacedList {
  /** Whether anybody still waits for this life: a `stop` ends the waiting for the store. */
  isWanted(): boolean;
  /** Names that run right now, under an earlier list (I5). */
  readonly busy: ReadonlySet<string>;
  /** Their runs. */
  readonly elsewhere: Elsewhere;
  /** The life before this one, on the same session. */
  readonly before?: Life;
  /** Given if configurations of other instances are followed: only names that are not there are written (K5). */
  readonly follows?: true;
  /** Another instance has declared this one dead (K4). */
  fenced?(engine: Engine): void;
  /** Another instance has changed configurations (K5). */
  stale?(): void;
}
