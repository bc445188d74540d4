/** A life of the scheduler as data: the list that it begins with, and the engine that comes of it. */
import type { ControlRequest } from '../core/control.ts';
import type { CheckedRegistration } from '../core/registration.ts';
import type { StoreSession } from '../store/port.ts';
import type { Zone } from '../time/zone.ts';
import type { Edited } from './edit-effects.ts';
import type { Engine } from './engine.ts';

/** Hears the news that a store tells by itself. */
export interface Hearer {
  engine: Engine | undefined;
  /** What operators have asked for and the engine has not taken in. */
  readonly asked: ControlRequest[];
}

/** An engine, and the session of the store that it lives on. */
export interface Life {
  readonly engine: Engine;
  readonly session: StoreSession;
  readonly instanceId: string;
  /** The changes that its first list has made. */
  readonly edited: Edited;
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

/** All that a life begins with. */
export interface LifeRequest extends PlacedList {
  /** Whether anybody still waits for this life: a `stop` ends the waiting for the store. */
  isWanted(): boolean;
  /** Given if configurations of other instances are followed: only names that are not there are written (K5). */
  readonly follows?: true;
  /** Another instance has declared this one dead (K4). */
  fenced?(engine: Engine): void;
  /** Another instance has changed configurations (K5). */
  stale?(): void;
}
