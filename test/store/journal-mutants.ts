/** Faults planted into the journal of a file, its fold and its packing. */
import type { PlantedFault } from '../planted-fault.ts';

export const JOURNAL_MUTANTS: readonly PlantedFault[] = [
  {
    name: 'a start is not in the journal',
    file: 'sqlite-write.ts',
    find: 'count: granted });',
    replace: "count: part === 'starts' ? 0 : granted });",
    foundBy: [
      'store/fold.test.ts',
      'E5, J1 after every batch and every step the file says the same, from outside and from inside',
    ],
  },
  {
    name: 'an end is not in the history',
    file: 'sqlite-write.ts',
    find: 'count: granted });',
    replace: "count: part === 'ends' ? 0 : granted });",
    foundBy: [
      'store/fold.test.ts',
      'E5, J1 after every batch and every step the file says the same, from outside and from inside',
    ],
  },
  {
    name: 'who looks again does not learn of a pause',
    file: 'sqlite-write.ts',
    find: 'if (this.#hasWrittenRows) renewRowMark(this.#db);',
    replace: '',
    foundBy: ['store/changes.test.ts', 'is what the journal says, while nothing else was written'],
  },
  {
    name: 'who looks again does not learn of entries that were pruned meanwhile',
    file: 'sqlite-changes.ts',
    find: 'seq < journal.marker || ',
    replace: '',
    foundBy: [
      'store/changes.test.ts',
      'is not known after a fold that may have pruned entries, nor when another scheduler has come',
    ],
  },
  {
    name: 'who looks again goes on with a journal that was folded meanwhile',
    file: 'sqlite-journal.ts',
    find: ' || markerIn(db) !== this.#marker',
    replace: '',
    foundBy: [
      'store/changes.test.ts',
      'with what was known before is what a first look finds, whatever batches and folds come between',
    ],
  },
  {
    name: 'replaying begins one entry late',
    file: 'sqlite-journal.ts',
    find: 'this.#last = this.#marker;\n    this.#replayAfter(this.#last, unfolded);',
    replace: 'this.#last = this.#marker;\n    this.#replayAfter(this.#last + 1, unfolded);',
    foundBy: [
      'store/fold.test.ts',
      'E5, J1 after every batch and every step the file says the same, from outside and from inside',
    ],
  },
  {
    name: 'the marker moves before the rows are written',
    file: 'sqlite-fold.ts',
    find: "      case 'resting':\n",
    replace: "      case 'resting':\n        this.#journal.moveMarker(this.#journal.last);\n",
    foundBy: [
      'store/fold.test.ts',
      'E5, J1 after every batch and every step the file says the same, from outside and from inside',
    ],
  },
  {
    name: 'a row is folded without its run',
    file: 'sqlite-fold.ts',
    find: '(known & group) !== 0)',
    replace: '(known & group & ~16) !== 0)',
    foundBy: [
      'store/fold.test.ts',
      'E5, J1 after every batch and every step the file says the same, from outside and from inside',
    ],
  },
  {
    name: 'what is not folded is dropped from memory',
    file: 'sqlite-fold.ts',
    find: 'if (!unfolded.isDirty(id)) unfolded.drop(id);',
    replace: 'unfolded.drop(id);',
    foundBy: [
      'store/fold.test.ts',
      'E5, J1 after every batch and every step the file says the same, from outside and from inside',
    ],
  },
  {
    name: 'an entry that is not folded is pruned',
    file: 'sqlite-prune.ts',
    find: '.run(this.#marker, ENTRIES_PER_STEP)',
    replace: '.run(this.#marker + 1000, ENTRIES_PER_STEP)',
    foundBy: [
      'store/fold.test.ts',
      'E5, J1 after every batch and every step the file says the same, from outside and from inside',
    ],
  },
  {
    name: 'a row that is written directly is not reset in the journal',
    file: 'sqlite-rows.ts',
    find: "    this.#journal.append({ part: 'resets'",
    replace: "    if (ids.length < 0) this.#journal.append({ part: 'resets'",
    foundBy: [
      'store/fold.test.ts',
      'E5, J1 after every batch and every step the file says the same, from outside and from inside',
    ],
  },
  {
    name: 'a reset is left out if nothing of the task is in memory',
    file: 'sqlite-rows.ts',
    find: '    for (const id of ids) this.#journal.unfolded.drop(id);\n',
    replace:
      '    if (ids.every((id) => this.#journal.unfolded.known(id) === 0)) return;\n    for (const id of ids) this.#journal.unfolded.drop(id);\n',
    foundBy: [
      'store/fold.test.ts',
      'E5, J1 after every batch and every step the file says the same, from outside and from inside',
    ],
  },
  {
    name: 'entries that are put together change places',
    file: 'sqlite-prune.ts',
    find: 'if (!follows ||',
    replace: 'if (',
    foundBy: ['store/fold.test.ts', 'J1 a large entry between small ones keeps its place'],
  },
  {
    name: 'errors of entries that are put together are mixed up',
    file: 'sqlite-prune.ts',
    find: 'cells[cell] += errorsBefore',
    replace: 'cells[cell] += 0',
    foundBy: ['store/fold.test.ts', 'J1 many small entries become few, and the history stays the same'],
  },
  {
    name: 'the newest runs go instead of the oldest',
    file: 'sqlite-prune.ts',
    find: 'runs, at FROM journal WHERE seq <= ? ORDER BY seq LIMIT',
    replace: 'runs, at FROM journal WHERE seq <= ? ORDER BY seq DESC LIMIT',
    foundBy: [
      'store/fold.test.ts',
      'J2 what is beyond the bounds goes, the oldest first; the names of removed tasks go with it',
    ],
  },
  {
    name: 'numbers of removed tasks are given again',
    file: 'sqlite-numbers.ts',
    find: 'SELECT max(next_id, (',
    replace: 'SELECT max(1, (',
    foundBy: ['store/fold.test.ts', 'a number is never given to another name, nor to another entry'],
  },
  {
    name: 'a column is read with the wrong base',
    file: 'journal-codec.ts',
    find: 'Number.NaN : first + difference',
    replace: 'Number.NaN : base + difference',
    foundBy: ['store/journal-codec.test.ts', 'gives back the very numbers that it was given'],
  },
  {
    name: 'the largest difference of a column does not fit',
    file: 'journal-codec.ts',
    find: 'range <= 0xff ?',
    replace: 'range <= 0x1ff ?',
    foundBy: [
      'store/journal-codec.test.ts',
      'the largest difference of each width fits, and the next one is wider',
    ],
  },
  {
    name: 'starts that wait count as runs of the history',
    file: 'sqlite-prune.ts',
    find: "AS newest FROM journal WHERE part IN ('ends', 'cutOffs')",
    replace: 'AS newest FROM journal',
    foundBy: [
      'store/fold.test.ts',
      'J2 what is beyond the bounds goes, the oldest first; the names of removed tasks go with it',
    ],
  },
];
