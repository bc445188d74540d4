/** Faults in how an active scheduler takes over another list (I5). */
import type { Mutant } from './mutants.ts';

const inTasks = { file: 'core/tasks.ts' };
const inEngine = { file: 'scheduler/engine.ts' };
const inHandover = { file: 'scheduler/handover.ts' };

export const RELOAD_MUTANTS: readonly Mutant[] = [
  {
    name: 'I5 a run of the earlier list is started again under the next',
    file: 'scheduler/reload.ts',
    find: 'new Set([...running, ...retired.busy])',
    replace: 'new Set<string>()',
    rules: ['S1', 'S3', 'J1', 'E5', 'A4', 'I5', 'F2'],
    withinSeeds: 400,
  },
  {
    name: 'I5 a name that is left out and brought back is started while it runs',
    file: 'scheduler/reload.ts',
    find: 'new Set([...running, ...retired.busy])',
    replace: 'new Set(running)',
    rules: ['S1', 'S3', 'J1', 'E5', 'A4', 'I5', 'F2'],
    withinSeeds: 0,
  },
  {
    name: 'I5 a run that has ended is busy for the next list, while another one of its list goes on',
    file: 'scheduler/reload.ts',
    find: 'names?.delete(name);',
    replace: '',
    rules: ['S1', 'L1'],
    withinSeeds: 0,
  },
  {
    name: 'I5 a list that the store took, and said that it failed, is not taken back',
    ...inHandover,
    find: 'if (this.#undo !== undefined) this.#ports.outbox.undo(this.#undo);',
    replace: '',
    rules: ['L1', 'A4', 'A2'],
    withinSeeds: 0,
  },
  {
    name: 'I5 an end from before the plan releases a task that runs again',
    ...inHandover,
    find: "if (this.#state === 'held') return;",
    replace: '',
    rules: ['S1', 'F2'],
    withinSeeds: 0,
  },
  {
    name: 'I5 a run that ends while a list is planned is never released',
    ...inHandover,
    find: 'for (const name of this.#ended) this.#release(name);',
    replace: '',
    rules: ['L1'],
    withinSeeds: 0,
  },
  {
    name: 'I5 a run of the earlier list ends without a look at the clock',
    file: 'scheduler/clock-steps.ts',
    find: 'if (this.#successor !== undefined) return this.#successor.readClock();',
    replace: '',
    rules: ['trace'],
    withinSeeds: 0,
  },
  {
    name: 'I5 what was asked for before the beginning is done again under the next list',
    ...inEngine,
    find: 'operator.take(this.#options.requests.splice(0, count), now);',
    replace: 'operator.take(this.#options.requests.slice(0, count), now);',
    rules: ['I1', 'L1', 'S1'],
    withinSeeds: 0,
  },
  {
    name: 'I5 a due of what runs under the earlier list is skipped as too old',
    ...inTasks,
    find: ' && !this.isBusy(task) && this.#isNewer(task, lastDue);',
    replace: ' && this.#isNewer(task, lastDue);',
    rules: ['S6'],
    withinSeeds: 0,
  },
  {
    name: 'I5 the next list does not know what the one before has skipped during a run',
    file: 'scheduler/cursor-moves.ts',
    find: 'for (const move of this.#postponed.get(task) ?? none) successor.#postpone(heir, move);',
    replace: '',
    rules: ['S6'],
    withinSeeds: 0,
  },
  {
    name: 'I5 the trace does not say what ran when the list was planned',
    file: 'scheduler/init-records.ts',
    find: 'ranAtPlan.length > 0 ? { ranAtPlan } : {}',
    replace: '{}',
    rules: ['L1', 'S1', 'S6'],
    withinSeeds: 0,
  },
  {
    name: 'I5 a name that was left out is not forgotten when its run has ended',
    ...inEngine,
    find: 'if (task < 0) this.#outbox.removed(name);',
    replace: 'if (task < 0) return;',
    rules: ['I5'],
    withinSeeds: 400,
  },
];
