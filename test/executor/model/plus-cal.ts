/**
 * The PlusCal module that first described the executor, label by label, after its TLA translation: one action for each label of each
 * process, and every variable of the module in the state, `pc`, `cnt` and the workers' `task` included. The
 * stuttering step `Terminating` is left out, so that a terminal state is one that nothing leaves.
 *
 * As written it is broken in four ways (X1 to X4 in docs/rules.md); `repairs` says which of them are repaired.
 * `SetToSeq` is CHOOSE in TLA, some fixed order: here ascending. Where the executor is compared with the module,
 * `setOrder: 'any'` allows every order, since the executor queues in the order of the triggers.
 */
import type { Action, System } from './explorer.ts';
import {
  bit,
  DONE,
  END,
  FINISH_TASK,
  has,
  type ModuleSize,
  type ModuleState,
  moduleCodec,
  START,
  taskName,
} from './plus-cal-state.ts';
import { range } from './range.ts';

export function plusCalModule(size: ModuleSize): System<ModuleState> {
  const tasks = size.timers + size.subscribers;
  const timers = bit(size.timers) - 1;
  const everybody = bit(tasks) - 1;
  const subscribers = everybody & ~timers;
  return {
    initial: () => ({
      waitSet: 0,
      runQueue: [],
      running: 0,
      // X1: AllTask is Subscribers ∪ Subscribers, so no timer waits to begin with.
      waiting: size.repairs.has('X1') ? everybody : subscribers,
      finishTimer: false,
      finishSubscriber: false,
      isFinishSched: false,
      schedulerPc: START,
      sourcePc: range(tasks).map(() => START),
      cnt: range(tasks).map(() => 0),
      workerPc: range(size.workers).map(() => START),
      task: range(size.workers).map(() => -1),
    }),
    actions: [
      ...schedulerActions(size, timers),
      ...range(tasks).flatMap((task) => sourceActions(size, task)),
      ...range(size.workers).flatMap((worker) => workerActions(size, worker)),
    ],
    ...moduleCodec(size),
  };
}

function schedulerActions(size: ModuleSize, timers: number): Action<ModuleState>[] {
  const ascending = range(size.timers + size.subscribers);
  const isTimer = (task: number): boolean => has(timers, task);
  const timersFirst = permutations(ascending.filter(isTimer)).flatMap((first) =>
    permutations(ascending.filter((task) => !isTimer(task))).map((second) => [...first, ...second]),
  );
  const orders = size.setOrder === 'any' ? timersFirst : [ascending];
  const startSched = (order: readonly number[]): Action<ModuleState> => ({
    name: 'start_sched',
    process: 'scheduler',
    step: (state) => {
      const isFinishEvent =
        size.finished === 'at the last loop'
          ? state.sourcePc.every((pc) => pc !== START)
          : state.finishSubscriber && state.finishTimer;
      if (state.schedulerPc !== START || !(state.waitSet !== 0 || isFinishEvent)) return undefined;
      if (state.waitSet === 0) {
        state.schedulerPc = END;
        return state;
      }
      const ready = state.waiting & state.waitSet;
      state.runQueue.push(...order.filter((task) => has(ready, task)));
      state.waiting &= ~ready;
      // X2: an entry is consumed when its task is queued.
      if (size.repairs.has('X2')) state.waitSet &= ~ready;
      return state;
    },
  });
  const endSched: Action<ModuleState> = {
    name: 'end_sched',
    process: 'scheduler',
    step: (state) => {
      if (state.schedulerPc !== END) return undefined;
      state.isFinishSched = true;
      state.schedulerPc = DONE;
      return state;
    },
  };
  return [...orders.map(startSched), endSched];
}

function sourceActions(size: ModuleSize, task: number): Action<ModuleState>[] {
  const kind = task < size.timers ? 'timer' : 'subscriber';
  const process = taskName(size, task);
  const kin = range(size.timers + size.subscribers).filter((one) => one < size.timers === task < size.timers);
  return [
    {
      name: `start_${kind}`,
      process,
      step: (state) => {
        if (state.sourcePc[task] !== START) return undefined;
        if (state.cnt[task] >= size.loops) {
          state.sourcePc[task] = END;
          return state;
        }
        // X2: a trigger while queued is served by the run that is already coming.
        const coming = size.repairs.has('X2') && state.runQueue.includes(task);
        if (!coming) state.waitSet |= bit(task);
        if (size.loops !== Number.POSITIVE_INFINITY) state.cnt[task]++;
        return state;
      },
    },
    {
      name: `end_${kind}`,
      process,
      step: (state) => {
        if (state.sourcePc[task] !== END) return undefined;
        state.sourcePc[task] = DONE;
        // X3: finished when all producers of the kind are, not when the first is.
        const finished = !size.repairs.has('X3') || kin.every((one) => state.sourcePc[one] === DONE);
        if (finished && kind === 'timer') state.finishTimer = true;
        if (finished && kind === 'subscriber') state.finishSubscriber = true;
        return state;
      },
    },
  ];
}

function workerActions(size: ModuleSize, worker: number): Action<ModuleState>[] {
  const process = `w${worker + 1}`;
  const take = (state: ModuleState, index: number): ModuleState | undefined => {
    if (state.workerPc[worker] !== START) return undefined;
    const [task] = state.runQueue.splice(index, 1);
    if (task === undefined) return undefined;
    state.task[worker] = task;
    state.running |= bit(task);
    state.workerPc[worker] = FINISH_TASK;
    return state;
  };
  const leave = (state: ModuleState): ModuleState | undefined => {
    if (state.workerPc[worker] !== START || state.runQueue.length > 0 || !state.isFinishSched)
      return undefined;
    state.workerPc[worker] = END;
    return state;
  };
  // With `any`, which task is taken shows in the name, so that fairness can be asked for each task.
  const starts: Action<ModuleState>[] =
    size.takes === 'any'
      ? range(size.timers + size.subscribers).map((task) => ({
          name: `start_worker ${taskName(size, task)}`,
          process,
          step: (state) =>
            state.runQueue.includes(task) ? take(state, state.runQueue.indexOf(task)) : undefined,
        }))
      : [
          {
            name: 'start_worker',
            process,
            step: (state) => take(state, size.takes === 'last' ? -1 : 0) ?? leave(state),
          },
        ];
  return [...starts, finishTask(process, worker), endWorker(process, worker)];
}

const finishTask = (process: string, worker: number): Action<ModuleState> => ({
  name: 'finish_task',
  process,
  step: (state) => {
    if (state.workerPc[worker] !== FINISH_TASK) return undefined;
    state.running &= ~bit(state.task[worker]);
    state.waiting |= bit(state.task[worker]);
    state.workerPc[worker] = START;
    return state;
  },
});

const endWorker = (process: string, worker: number): Action<ModuleState> => ({
  name: 'end_worker',
  process,
  step: (state) => {
    if (state.workerPc[worker] !== END) return undefined;
    state.workerPc[worker] = DONE;
    return state;
  },
});

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}
