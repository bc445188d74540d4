/**
 * That the executor does nothing which the repaired module could not do. Each state of the executor is mapped to a
 * state of the module, and each step of the executor must be matched by the steps of the module that its name
 * stands for, from the image of the state before to the image of the state after, on every edge of the graph:
 *
 *     trigger → start_timer or start_subscriber     pass → start_sched
 *     take    → start_worker                        finish → finish_task
 *     end     → the label that leaves the source's loop, then the one that sets the flag
 *     settle  → the labels by which the scheduler and then each worker end
 *
 * The last two are one step in the executor and several labels in the module. The module knows its workers by
 * name and remembers what each took last; the executor counts them, so the model carries both as history.
 */
import { RUNNING, WAITING } from '../../../src/executor/state.ts';
import { type Action, type Graph, label, type System, traceTo, type Violation } from './explorer.ts';
import { plusCalModule } from './plus-cal.ts';
import { DONE, FINISH_TASK, type ModuleState, START } from './plus-cal-state.ts';
import { range } from './range.ts';
import { queueOf } from './shipped-lists.ts';
import type { Model } from './shipped-model.ts';

export interface RefinedSize {
  readonly timers: number;
  readonly subscribers: number;
  readonly workers: number;
  readonly loops: number;
}

export interface Refinement {
  readonly matched: number;
  /** How many module states the executor's states are mapped to. */
  readonly images: number;
  readonly violation: Violation | undefined;
}

const phaseSet = ({ executor }: Model, phase: number): number =>
  range(executor.size).reduce((set, task) => (executor.phase[task] === phase ? set | (1 << task) : set), 0);

/** The state of the module that a state of the executor stands for. */
function image(model: Model, { timers, subscribers, loops }: RefinedSize): ModuleState {
  const { executor, left, settled, busy, lastTook } = model;
  const tasks = range(timers + subscribers);
  const ended = tasks.map((task) => left[task][0] === 0);
  return {
    waitSet: tasks.reduce((set, task) => set | (executor.triggered[task] << task), 0),
    runQueue: queueOf(executor),
    running: phaseSet(model, RUNNING),
    waiting: phaseSet(model, WAITING),
    finishTimer: ended.slice(0, timers).every(Boolean),
    finishSubscriber: ended.slice(timers).every(Boolean),
    isFinishSched: settled,
    schedulerPc: settled ? DONE : START,
    sourcePc: ended.map((yes) => (yes ? DONE : START)),
    cnt: tasks.map((task) => loops - Math.max(0, left[task][0] - 1)),
    workerPc: busy.map((yes) => (yes ? FINISH_TASK : settled ? DONE : START)),
    task: lastTook.map((took) => took - 1),
  };
}

/** The labels of the module that a step of the executor stands for, in their order; `*` is any of the workers. */
function labelsOf(name: string, process: string, workers: number): readonly string[] {
  const task = process.slice('source '.length);
  const kind = task.startsWith('t') ? 'timer' : 'subscriber';
  switch (name) {
    case 'trigger':
      return [`start_${kind}(${task})`];
    case 'end':
      return [`start_${kind}(${task})`, `end_${kind}(${task})`];
    case 'pass':
      return ['start_sched(scheduler)'];
    case 'take':
      return ['start_worker(*)'];
    case 'finish':
      return ['finish_task(*)'];
    case 'settle':
      return [
        'start_sched(scheduler)',
        'end_sched(scheduler)',
        ...range(workers).flatMap((worker) => [`start_worker(w${worker + 1})`, `end_worker(w${worker + 1})`]),
      ];
    default:
      throw new Error(`no label of the module stands for ${name}`);
  }
}

export function refine(graph: Graph<Model>, size: RefinedSize): Refinement {
  const repaired = plusCalModule({ ...size, repairs: new Set(['X1', 'X2', 'X3']), setOrder: 'any' });
  const { actions, decode } = graph.system;
  const images = graph.keys.map((key) => repaired.encode(image(decode(key), size)));
  const outcome = { matched: 0, images: new Set(images).size };
  const failed = (state: number, what: string): Refinement => {
    const trace = [
      ...traceTo(graph, state),
      what,
      `the module: ${repaired.render(repaired.decode(images[state]))}`,
    ];
    return { ...outcome, violation: { property: 'the executor refines the repaired module', trace } };
  };
  const named = (sought: string): Action<ModuleState>[] =>
    repaired.actions.filter((action) => [label(action), `${action.name}(*)`].includes(sought));
  const expected = actions.map(({ name, process }) => labelsOf(name, process, size.workers).map(named));

  if (images[0] !== repaired.encode(repaired.initial())) return failed(0, 'is not where the module starts');
  for (let state = 0; state < images.length; state++) {
    for (let step = graph.firstStep[state]; step < graph.firstStep[state + 1]; step++) {
      const action = graph.action[step];
      if (!leads(repaired, images[state], expected[action], images[graph.target[step]])) {
        return failed(state, `then ${label(actions[action])}, which the module cannot do`);
      }
      outcome.matched++;
    }
  }
  return { ...outcome, violation: undefined };
}

/** Whether one action of each group, in the order of the groups, leads from one state of the module to another. */
function leads(
  module: System<ModuleState>,
  from: string,
  [group, ...rest]: readonly (readonly Action<ModuleState>[])[],
  to: string,
): boolean {
  return group.some(({ step }) => {
    const next = step(module.decode(from));
    if (next === undefined) return false;
    const key = module.encode(next);
    return rest.length === 0 ? key === to : leads(module, key, rest, to);
  });
}
