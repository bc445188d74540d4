/** What a state of the executor is to the explorer: the real state, and the ghosts beside it. */
import type { ExecutorState, Kind } from '../../../src/executor/state.ts';
import * as shipped from '../../../src/executor/state.ts';

/** What the transition system calls. A planted fault overrides one or two of them. */
export const operations = {
  addTask: shipped.addTask,
  trigger: shipped.trigger,
  hasReady: shipped.hasReady,
  pass: shipped.pass,
  canTake: shipped.canTake,
  take: shipped.take,
  finish: shipped.finish,
  endSource: shipped.endSource,
  isSpent: shipped.isSpent,
  release: shipped.release,
  stop: shipped.stop,
  isDone: shipped.isDone,
  isQuiescent: shipped.isQuiescent,
};
export type Operations = typeof operations;

export interface TaskPlan {
  readonly kind: Kind;
  /** For each source of the task, how often it triggers before it ends; `Infinity` for ever. */
  readonly sources: readonly number[];
}

export interface Instance {
  readonly workers: number;
  readonly tasks: readonly TaskPlan[];
  /** Tasks that are added at any later moment, and then spent tasks are released at any moment, too. */
  readonly arrivals?: readonly TaskPlan[];
  /** Whether somebody may stop the executor, at any moment. */
  readonly stops?: 'never' | 'any moment';
  /** How many workers to tell apart, lowest idle number first; only the comparison with the module needs it. */
  readonly namedWorkers?: number;
}

export interface Model {
  readonly executor: ExecutorState;
  /** Of each slot's sources: 0 once ended, otherwise 1 + triggers left; `ENDLESS` for ever. */
  readonly left: readonly number[][];
  readonly owed: boolean[];
  readonly inFlight: boolean[];
  readonly live: boolean[];
  /** For each named worker, 0 or 1 + the task it last took; and whether it has it still. */
  readonly lastTook: number[];
  readonly busy: boolean[];
  arrived: number;
  /** The shell has seen that the executor is done (or, stopped, quiescent), and has said so. */
  settled: boolean;
  fault: string;
}

export const ENDLESS = 100;
/** What a slot's source count is before anything: triggers as counted in `left`. */
export const asLeft = (triggers: number): number =>
  triggers === Number.POSITIVE_INFINITY ? ENDLESS : triggers + 1;

export const slotsOf = ({ tasks, arrivals = [] }: Instance): number => tasks.length + arrivals.length;
export const sourcesOf = ({ tasks, arrivals = [] }: Instance): number =>
  Math.max(...[...tasks, ...arrivals].map(({ sources }) => sources.length));

/** t1, t2, s1, …; slots that may change hands have numbers only. */
export function slotNames({ tasks, arrivals = [] }: Instance): string[] {
  if (arrivals.length > 0) return [...tasks, ...arrivals].map((_, slot) => `#${slot}`);
  const seen = [0, 0];
  return tasks.map(({ kind }) => `${kind === shipped.TIMER ? 't' : 's'}${++seen[kind]}`);
}
