/** Faults planted into the journal of a file, its fold and its packing. */
import type { PlantedFault } from '../faults/fault.ts';

const saysTheSame = [
  'store/fold.test.ts',
  'E5, J1 after every batch and every step the file says the same, from outside and from inside',
] as const;

export const JOURNAL_MUTANTS: readonly PlantedFault[] = [
  {
    name: 'a start is not in the journal',
    in: 'Writer.#writeRows',
    find: 'count: granted',
    replace: "count: part === 'starts' ? 0 : granted",
    foundBy: saysTheSame,
  },
  {
    name: 'an end is not in the history',
    in: 'Writer.#writeRows',
    find: 'count: granted',
    replace: "count: part === 'ends' ? 0 : granted",
    foundBy: saysTheSame,
  },
  {
    name: 'who looks again does not learn of a pause',
    in: 'Writer.#attempt',
    find: 'if (this.#hasWrittenRows) renewRowMark(this.#db);',
    foundBy: ['store/changes.test.ts', 'is what the journal says, while nothing else was written'],
  },
  {
    name: 'who looks again does not learn of entries that were pruned meanwhile',
    in: 'idsAfter',
    find: 'seq < journal.marker ||',
    foundBy: [
      'store/changes.test.ts',
      'is not known after a fold that may have pruned entries, nor when another scheduler has come',
    ],
  },
  {
    name: 'who looks again goes on with a journal that was folded meanwhile',
    in: 'Journal.resume',
    find: '|| markerIn(db) !== this.#marker',
    foundBy: [
      'store/changes.test.ts',
      'with what was known before is what a first look finds, whatever batches and folds come between',
    ],
  },
  {
    name: 'replaying begins one entry late',
    in: 'Journal.#replay',
    find: 'this.#replayAfter(this.#last, unfolded)',
    replace: 'this.#replayAfter(this.#last + 1, unfolded)',
    foundBy: saysTheSame,
  },
  {
    name: 'the marker moves before the rows are written',
    in: 'Folder.#step',
    find: "case 'resting':",
    replace: "case 'resting': this.#journal.moveMarker(this.#journal.last);",
    foundBy: saysTheSame,
  },
  {
    name: 'a row is folded without its run',
    in: 'Folder.#updateOf',
    find: 'known & group',
    replace: 'known & group & ~16',
    foundBy: saysTheSame,
  },
  {
    name: 'what is not folded is dropped from memory',
    in: 'Folder.#release',
    find: 'if (!unfolded.isDirty(id))',
    foundBy: saysTheSame,
  },
  {
    name: 'an entry that is not folded is pruned',
    in: 'Pruner.#deleteFolded',
    find: 'this.#marker',
    replace: 'this.#marker + 1000',
    foundBy: saysTheSame,
  },
  {
    name: 'a row that is written directly is not reset in the journal',
    in: 'Rows.#reset',
    find: 'this.#journal.append',
    replace: 'if (ids.length < 0) this.#journal.append',
    foundBy: saysTheSame,
  },
  {
    name: 'a reset is left out if nothing of the task is in memory',
    in: 'Rows.#reset',
    find: 'for (const id of ids) this.#journal.unfolded.drop(id);',
    replace:
      'if (ids.every((id) => this.#journal.unfolded.known(id) === 0)) return; for (const id of ids) this.#journal.unfolded.drop(id);',
    foundBy: saysTheSame,
  },
  {
    name: 'entries that are put together change places',
    in: 'Pruner.#mergeSmall',
    find: '!follows ||',
    foundBy: ['store/fold.test.ts', 'J1 a large entry between small ones keeps its place'],
  },
  {
    name: 'entries of different days are put together, so that none is ever too old',
    in: 'Pruner.#mergeSmall',
    find: '|| !isOfSpan',
    foundBy: [
      'store/fold.test.ts',
      'J2 runs of many days go by their age, however few there are a day, and those of one day become one entry',
    ],
  },
  {
    name: 'errors of entries that are put together are mixed up',
    in: 'joined',
    find: 'cells[cell] += errorsBefore',
    replace: 'cells[cell] += 0',
    foundBy: ['store/fold.test.ts', 'J1 many small entries become few, and the history stays the same'],
  },
  {
    name: 'the newest runs go instead of the oldest',
    in: 'Pruner.#deleteOld',
    find: 'runs, at FROM journal WHERE seq <= ? ORDER BY seq LIMIT',
    replace: 'runs, at FROM journal WHERE seq <= ? ORDER BY seq DESC LIMIT',
    foundBy: [
      'store/fold.test.ts',
      'J2 what is beyond the bounds goes, the oldest first; the names of removed tasks go with it',
    ],
  },
  {
    name: 'numbers of removed tasks are given again',
    in: 'TaskNumbers.#known',
    find: 'SELECT max(next_id, (',
    replace: 'SELECT max(1, (',
    foundBy: ['store/fold.test.ts', 'a number is never given to another name, nor to another entry'],
  },
  {
    name: 'a column is read with the wrong base',
    in: 'decodeColumn',
    find: 'first + difference',
    replace: 'base + difference',
    foundBy: ['store/journal-codec.test.ts', 'gives back the very numbers that it was given'],
  },
  {
    name: 'the largest difference of a column does not fit',
    in: 'bytesFor',
    find: 'range <= 0xff',
    replace: 'range <= 0x1ff',
    foundBy: [
      'store/journal-codec.test.ts',
      'the largest difference of each width fits, and the next one is wider',
    ],
  },
  {
    name: 'starts that wait count as runs of the history',
    in: 'Pruner.#deleteOld',
    find: "AS newest FROM journal WHERE part IN ('ends', 'cutOffs')",
    replace: 'AS newest FROM journal',
    foundBy: [
      'store/fold.test.ts',
      'J2 what is beyond the bounds goes, the oldest first; the names of removed tasks go with it',
    ],
  },
];
