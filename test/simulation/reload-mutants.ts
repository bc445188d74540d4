/** Faults in how an active scheduler takes over another list (I5). */
import type { Mutant } from './mutants.ts';

export const RELOAD_MUTANTS: readonly Mutant[] = [
  {
    name: 'I5 a name that goes is forgotten while it runs',
    in: 'Planner.#planKnown',
    find: 'if (isBusy(task)) this.#leaves.push(task); else {',
    replace: '{',
    rules: ['S1', 'S3', 'J1', 'E5', 'A4', 'I5', 'F2', 'G4', 'F1'],
    withinSeeds: 400,
  },
  {
    name: 'I5 a name that is brought back while it runs comes for the first time',
    in: 'Planner.#bringBack',
    find: 'of tasks.leaving',
    replace: 'of [] as number[]',
    rules: ['S1', 'S3', 'J1', 'E5', 'A4', 'I5', 'F2', 'G4'],
    withinSeeds: 400,
  },
  {
    name: 'I5 a run ends under the registration that the list has by then',
    in: 'Tasks.end',
    find: '= this.runsUnder(task);',
    replace: '= this.registrations[task];',
    rules: ['S1', 'G4', 'A6'],
    fromSeed: 4634,
    withinSeeds: 1,
  },
  {
    name: 'I5 E9 a list that the store took, and said that it failed, is not looked for',
    in: 'planResultOf',
    find: 'if (!isStored)',
    replace: 'if (isStored || !isStored)',
    rules: ['L1', 'A1', 'A4', 'A2', 'E4', 'I5', 'S1'],
    fromSeed: 480,
    withinSeeds: 1,
  },
  {
    name: 'I5 E9 a list that the store did not take is in force',
    in: 'planResultOf',
    find: 'if (!isStored) return undefined;',
    rules: ['L1', 'A1', 'A4', 'A2', 'E4', 'I5', 'S1'],
    withinSeeds: 400,
  },
  {
    name: 'I5 the trace does not say what ran when the list was planned',
    in: 'initSuccess',
    find: 'ranAtPlan.length > 0 ? { ranAtPlan } :',
    rules: ['L1', 'S1', 'S6'],
    withinSeeds: 0,
  },
  {
    name: 'I5 a name that was left out is not forgotten when its run has ended',
    in: 'EditEffects.forgetLeft',
    find: 'outbox.removed(tasks.nameOf(task))',
    replace: '{}',
    rules: ['I5'],
    withinSeeds: 400,
  },
  {
    name: 'I5 a run that was asked for is not refused when its task goes',
    in: 'EditEffects.#hand',
    find: 'this.#ports.operator()?.forget(task, at);',
    rules: ['I1'],
    withinSeeds: 400,
  },
];
