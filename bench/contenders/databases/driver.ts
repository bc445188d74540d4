/** What a scheduler over a database has to offer to be measured. Each instance is a process; the measuring process starts them all. */
import type { Gauges } from './database.ts';

export type Kind = 'obbligato' | 'statements' | 'graphile-worker' | 'pg-boss' | 'bullmq';

export interface Setting {
  /** The connection string of the database. */
  readonly url: string;
  readonly tasks: number;
  /** When each task is due, in UTC. */
  readonly cron: string;
  /** The first instant at which the tasks are due. */
  readonly dueAt: number;
  /** This instance, from 0, of so many. */
  readonly instance: number;
  readonly instances: number;
}

/** Registers the tasks, each of which only makes the call; answers how it is stopped. */
export type Register = (setting: Setting, call: () => void) => Promise<() => Promise<unknown>>;

/** What a queue takes, handles, and how it is stopped. */
export interface RunningQueue {
  add(jobs: number): Promise<unknown>;
  stop(): Promise<unknown>;
}

/** Handles jobs, each of which only makes the call. */
export type OpenQueue = (url: string, call: () => void) => Promise<RunningQueue>;

export interface Driver {
  readonly register: Register;
  /** Absent if it has no queue. */
  readonly openQueue?: OpenQueue;
  /** Reads the gauges of its Redis. Absent if its database is PostgreSQL. */
  readonly gaugesOf?: (port: number) => Promise<Gauges & { close(): Promise<unknown> }>;
}

export const nameOf = (index: number): string => `customer-${index}/nightly-report`;

/** Loads only what is measured. The compiler does not follow the name, so a tree without the packages of `bench/` can be checked. */
export const driverOf = (kind: Kind): Promise<Driver> => import(`./drivers/${kind}.ts`);
