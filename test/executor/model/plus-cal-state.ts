/**
 * The variables of the PlusCal module, and its size: how many of each process there are and what is repaired.
 * Sets are bits of an integer; the timers have the lowest numbers, then come the subscribers.
 */
import type { System } from './explorer.ts';
import { range } from './range.ts';

export type Repair = 'X1' | 'X2' | 'X3';

export interface ModuleSize {
  readonly timers: number;
  readonly subscribers: number;
  readonly workers: number;
  /** `LoopTimer` and `LoopSubscriber`; `Infinity` for sources that trigger for ever. */
  readonly loops: number;
  readonly repairs: ReadonlySet<Repair>;
  readonly setOrder?: 'ascending' | 'any';
  /**
   * With X3, when the producers are finished: when the last has set its flag, a label of its own, or already when
   * the last has left its loop. The counts differ, the properties do not.
   */
  readonly finished?: 'at the last flag' | 'at the last loop';
  /** Which task of the run queue a worker takes; the module says the head. */
  readonly takes?: 'head' | 'last' | 'any';
}

export const START = 0;
export const FINISH_TASK = 1;
export const END = 2;
export const DONE = 3;

export interface ModuleState {
  waitSet: number;
  runQueue: number[];
  running: number;
  waiting: number;
  finishTimer: boolean;
  finishSubscriber: boolean;
  isFinishSched: boolean;
  schedulerPc: number;
  /** Of the timers, then the subscribers. */
  sourcePc: number[];
  cnt: number[];
  workerPc: number[];
  /** What each worker last took, or -1 for `defaultInitValue`. */
  task: number[];
}

export const bit = (task: number): number => 1 << task;
export const has = (set: number, task: number): boolean => (set & bit(task)) !== 0;

export const taskName = (size: Pick<ModuleSize, 'timers'>, task: number): string =>
  task < size.timers ? `t${task + 1}` : `s${task + 1 - size.timers}`;

export const allDone = (state: ModuleState): boolean =>
  state.schedulerPc === DONE && [...state.sourcePc, ...state.workerPc].every((pc) => pc === DONE);

export function moduleCodec(size: ModuleSize): Pick<System<ModuleState>, 'encode' | 'decode' | 'render'> {
  const tasks = size.timers + size.subscribers;
  const bytes = Buffer.alloc(128);
  const names = (set: number): string =>
    range(tasks)
      .filter((task) => has(set, task))
      .map((task) => taskName(size, task))
      .join(' ');
  return {
    encode: (state) => {
      let at = 0;
      bytes[at++] = state.waitSet;
      bytes[at++] = state.running;
      bytes[at++] = state.waiting;
      bytes[at++] =
        (state.finishTimer ? 1 : 0) + (state.finishSubscriber ? 2 : 0) + (state.isFinishSched ? 4 : 0);
      bytes[at++] = state.schedulerPc;
      for (const pc of state.sourcePc) bytes[at++] = pc;
      for (const times of state.cnt) bytes[at++] = times;
      for (const pc of state.workerPc) bytes[at++] = pc;
      for (const task of state.task) bytes[at++] = task + 1;
      for (const task of state.runQueue) bytes[at++] = task;
      return bytes.toString('latin1', 0, at);
    },
    decode: (key) => {
      let at = 0;
      const next = (): number => key.charCodeAt(at++);
      const several = (length: number, offset = 0): number[] => {
        const values: number[] = [];
        for (let index = 0; index < length; index++) values.push(next() + offset);
        return values;
      };
      const waitSet = next();
      const running = next();
      const waiting = next();
      const flags = next();
      return {
        waitSet,
        running,
        waiting,
        finishTimer: (flags & 1) !== 0,
        finishSubscriber: (flags & 2) !== 0,
        isFinishSched: (flags & 4) !== 0,
        schedulerPc: next(),
        sourcePc: several(tasks),
        cnt: several(tasks),
        workerPc: several(size.workers),
        task: several(size.workers, -1),
        runQueue: several(key.length - at),
      };
    },
    render: (state) => {
      const ended = [
        ...(allDone(state) ? ['all Done'] : []),
        ...(state.isFinishSched && !allDone(state) ? ['scheduler Done'] : []),
      ];
      const queue = state.runQueue.map((task) => taskName(size, task)).join(' ');
      return [
        `wait_set {${names(state.waitSet)}} waiting {${names(state.waiting)}} run_queue ⟨${queue}⟩ running {${names(state.running)}}`,
        ...ended,
      ].join(', ');
    },
  };
}
