/** What a scheduler over a database has to offer to be measured. Each instance is a process; the measuring process starts them all. */

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
}

export const nameOf = (index: number): string => `customer-${index}/nightly-report`;

/** What is loaded is only what is measured. */
export const drivers: Readonly<Record<Kind, () => Promise<Driver>>> = {
  obbligato: () => import('./obbligato.ts'),
  statements: () => import('./statements.ts'),
  'graphile-worker': () => import('./graphile-worker.ts'),
  'pg-boss': () => import('./pg-boss.ts'),
  bullmq: () => import('./bullmq.ts'),
};
