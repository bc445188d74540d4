/** Faults in what is kept of runs that are over (J1), and of failures in a row (J3). */
import type { Mutant } from './mutants.ts';

const inFailures = { file: 'core/failure-columns.ts' };
const inPlan = { file: 'core/plan.ts' };
const inOverlay = { file: 'store/overlay.ts' };
const inUnwritten = { file: 'scheduler/unwritten.ts' };

export const HISTORY_MUTANTS: readonly Mutant[] = [
  {
    name: 'failures are not counted',
    ...inFailures,
    find: 'this.#integers[integersOf(task) + INTEGER.failures]++ === 0',
    replace:
      'Number.isNaN(this.#numbers[numbersOf(task) + NUMBER.failingSince]) && (this.#integers[integersOf(task) + INTEGER.failures] = 1)',
    rules: ['A6'],
    withinSeeds: 20,
  },
  {
    name: 'failing since is the latest failure',
    ...inFailures,
    find: 'if (this.#integers[integersOf(task) + INTEGER.failures]++ === 0)\n      this',
    replace: 'this.#integers[integersOf(task) + INTEGER.failures]++; this',
    rules: ['A6'],
    withinSeeds: 20,
  },
  {
    name: 'a success does not end what fails since',
    ...inFailures,
    find: 'this.#integers[integersOf(task) + INTEGER.failures] = 0;\n    this.#numbers[numbersOf(task) + NUMBER.failingSince] = Number.NaN;',
    replace: 'this.#integers[integersOf(task) + INTEGER.failures] = 0;',
    rules: ['A6'],
    withinSeeds: 20,
  },
  {
    name: 'a success does not end the count of failures',
    ...inFailures,
    find: 'this.#integers[integersOf(task) + INTEGER.failures] = 0;\n    this.#numbers[numbersOf(task) + NUMBER.failingSince] = Number.NaN;',
    replace: 'this.#numbers[numbersOf(task) + NUMBER.failingSince] = Number.NaN;',
    rules: ['A6'],
    withinSeeds: 20,
  },
  {
    name: 'failures in a row are forgotten by the next life',
    ...inFailures,
    find: 'this.#integers[integersOf(task) + INTEGER.failures] = record.failures;',
    replace: '',
    rules: ['A6'],
    withinSeeds: 20,
  },
  {
    name: 'the end of a retry says that it was due',
    file: 'core/work-columns.ts',
    find: 'cells[row + ROW.reason] = this.#bytes[bytesOf(task) + BYTE.reason];',
    replace: 'cells[row + ROW.reason] = 0;',
    rules: ['F4', 'A6'],
    withinSeeds: 20,
  },
  {
    name: 'an end loses its reason in the history',
    ...inOverlay,
    find: 'past.push({ task: record.name, runId, instanceId, reason,',
    replace: "past.push({ task: record.name, runId, instanceId, reason: 'due',",
    rules: ['J1'],
    withinSeeds: 20,
  },
  {
    name: 'an end loses its error in the history',
    ...inOverlay,
    find: 'calledAt, endedAt, outcome, error });',
    replace: 'calledAt, endedAt, outcome, error: null });',
    rules: ['J1'],
    withinSeeds: 20,
  },
  {
    name: 'a success is not in the history',
    ...inOverlay,
    find: '  past.push({ task: record.name,',
    replace: "  if (outcome === 'failure') past.push({ task: record.name,",
    rules: ['J1'],
    withinSeeds: 20,
  },
  {
    name: 'an end that comes again is in the history twice',
    ...inOverlay,
    find: 'if (record.run?.runId !== end.runId) return showsEnd(record, end) ? record : undefined;',
    replace: 'if (record.run?.runId !== end.runId && !showsEnd(record, end)) return undefined;',
    rules: ['J1'],
    fromSeed: 65,
    withinSeeds: 200,
  },
  {
    name: 'a run that was cut off is written at every initialize',
    ...inOverlay,
    find: 'return { ...record, run: { ...run, cutOffAt: at } };',
    replace: 'return record;',
    rules: ['J1', 'E5', 'E4'],
    withinSeeds: 200,
  },
  {
    name: 'a run that was cut off is not found',
    ...inPlan,
    find: 'this.#cutOff.push({ name, runId: run.runId });',
    replace: '{}',
    rules: ['E4', 'J1'],
    withinSeeds: 20,
  },
  {
    name: 'a run that was cut off is not known as such in memory',
    ...inPlan,
    find: 'if (task !== undefined) tasks.cutOff(task, now);',
    replace: '',
    rules: ['A4', 'D7', 'E5'],
    withinSeeds: 300,
  },
  {
    name: 'the run of a removed name that was cut off is not in the history',
    ...inPlan,
    find: 'const task = this.#placeOf(name);\n    if (task === undefined) {',
    replace:
      'const task = this.#placeOf(name);\n    if (task === undefined) { if (run !== null && run.cutOffAt === null) this.#cutOff.pop();',
    rules: ['E4', 'J1'],
    withinSeeds: 300,
  },
  {
    name: 'an end that a failed stop left behind comes after the removal of its record',
    ...inOverlay,
    find: "  change('end', batch.ends, apply.end);\n  change('unstart', batch.unstarts, apply.unstart);\n  rewrite(overlay, current, batch, grants);\n",
    replace:
      "  rewrite(overlay, current, batch, grants);\n  change('end', batch.ends, apply.end);\n  change('unstart', batch.unstarts, apply.unstart);\n",
    rules: ['J1'],
    withinSeeds: 300,
  },
  {
    name: 'ends that a failed stop left behind are taken for written, and forgotten',
    ...inUnwritten,
    find: 'const { ends, unstarts, moves } = this.#used;',
    replace: 'const { unstarts, moves } = this.#used; const ends: EndChange[] = [];',
    rules: ['E4', 'J1'],
    withinSeeds: 1500,
  },
  {
    name: 'ends that a failed stop left behind are not taken for written',
    ...inUnwritten,
    find: 'if (changes === undefined) return record;',
    replace: 'return record;',
    rules: ['E4', 'J1'],
    withinSeeds: 1500,
  },
];
