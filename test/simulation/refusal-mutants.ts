/** Faults in what a store refuses, and in what the scheduler makes of that. Worlds with rivals for a run find them. */
import type { Mutant } from './mutants.ts';

export const REFUSAL_MUTANTS: readonly Mutant[] = [
  {
    name: 'an end that was refused is recorded as durable',
    in: 'StoreReport.durable',
    find: 'if (!refused.end.has(task))',
    rules: ['A4'],
    fromSeed: 65,
    withinSeeds: 200,
  },
  {
    name: 'an end that was refused has no event',
    in: 'Batches.#durable',
    find: 'if (refused !== NOTHING_REFUSED) report.refused(batch, refused, now);',
    rules: ['G4'],
    fromSeed: 65,
    withinSeeds: 200,
  },
  {
    name: 'an end that was refused is sent again',
    in: 'Batches.#durable',
    find: 'if (refused !== NOTHING_REFUSED) report.refused(batch, refused, now);',
    replace:
      'let from = 0; for (const end of batch.ends ?? []) { if (refused.end.has(end.name)) { const { ends } = this.#ports.outbox; const at = ends.add(end.error); ends.cells.set(batch.ends.cells.subarray(from, from + 14), at); } from += 15; } if (refused !== NOTHING_REFUSED) report.refused(batch, refused, now);',
    rules: ['A6'],
    fromSeed: 65,
    withinSeeds: 200,
  },
  {
    name: 'a start whose refusal was lost on the way is taken for granted',
    in: 'isApplied',
    find: 'isShown(starts, showsStart)',
    replace: 'isShown([...starts].slice(0, 1), showsStart)',
    rules: ['A4'],
    fromSeed: 100,
    withinSeeds: 200,
  },
  {
    name: 'an end is written whatever run is current',
    in: 'ended',
    find: 'if (record.run?.runId !== end.runId || isInterrupted(record)) return undefined;',
    rules: ['A4', 'G4', 'E5', 'E4'],
    fromSeed: 65,
    withinSeeds: 200,
  },
  {
    name: 'a start is taken back whatever run is current',
    in: 'unstarted',
    find: 'if (record.run?.runId !== unstart.runId || isInterrupted(record))',
    replace: 'if (showsUnstart(record, unstart))',
    rules: ['A4', 'G4', 'E5', 'E4'],
    fromSeed: 450,
    withinSeeds: 200,
  },
  {
    name: 'an end that comes again is refused',
    in: 'ended',
    find: 'if (showsEnd(record, end)) return record;',
    rules: ['A4', 'G4'],
    fromSeed: 65,
    withinSeeds: 200,
  },
  {
    name: 'an end names another run',
    in: 'Tasks.end',
    find: 'this.#failures.write(task, cells, row);',
    replace:
      'this.#failures.write(task, cells, row); cells[row + ROW.runPlace] = cells[row + ROW.keyPlace]; cells[row + ROW.runCount] = cells[row + ROW.keyCount];',
    rules: ['A6'],
    withinSeeds: 20,
  },
];
