/**
 * Faults planted one by one into the store of a file, as it is loaded, and the test that finds each. Below the Store port no simulated
 * world reaches, so it is the store's own tests that must. What only a loss of power could show (`synchronous = OFF`, a commit
 * that is answered before its sync) is found by none of them and is not in this list: the WAL-image test cuts logs that were
 * written with every sync, and a killed process loses nothing that it handed to the operating system.
 */
export interface StoreMutant {
  readonly name: string;
  /** Below `src/store`. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** A file below `test`, and the title of the test in it that fails with the fault. */
  readonly foundBy: readonly [file: string, title: string];
}

export const STORE_MUTANTS: readonly StoreMutant[] = [
  {
    name: 'a batch is answered and not committed',
    file: 'sqlite-write.ts',
    find: "this.#db.exec('COMMIT');",
    replace: "this.#db.exec('ROLLBACK');",
    foundBy: ['store/conformance.test.ts', 'puts insert, and write over what is there'],
  },
  {
    name: 'a batch that fails is kept as far as it came',
    file: 'sqlite-write.ts',
    find: 'this.#trouble = error;\n      this.#giveUp();',
    replace: "this.#trouble = error;\n      this.#db.exec('COMMIT');",
    foundBy: ['store/conformance.test.ts', 'E5 ends of a name that is not there reject the whole batch'],
  },
  {
    name: 'what a failed batch has left in memory stays',
    file: 'sqlite-write.ts',
    find: '    this.#journal.spoil();\n',
    replace: '',
    foundBy: ['store/fold.test.ts', 'E5 a batch that fails leaves nothing behind, in the file or in memory'],
  },
  {
    name: 'an end leaves its run behind',
    file: 'unfolded.ts',
    find: 'to + AT.keyPlace, to + SLOT_WIDTH',
    replace: 'to + AT.keyPlace, to + AT.runPlace',
    foundBy: ['store/conformance.test.ts', 'A6 a success ends the run and keeps the last failure'],
  },
  {
    name: 'a failure erases the last success',
    file: 'unfolded.ts',
    find: '(isSuccess ? SUCCESS : FAILURE)',
    replace: 'SUCCESS | FAILURE',
    foundBy: ['store/conformance.test.ts', 'A6 a failure ends the run and keeps the last success'],
  },
  {
    name: 'a change of a record that is not there is passed over',
    file: 'sqlite-rows.ts',
    find: 'if (id === undefined) throw this.#missing(name, part);',
    replace: 'if (id === undefined) return 0;',
    foundBy: ['store/conformance.test.ts', 'E5 starts of a name that is not there reject the whole batch'],
  },
  {
    name: 'an end is written whatever run is current',
    file: 'unfolded.ts',
    find: 'if (isCurrent) {',
    replace: 'if (isCurrent !== undefined) {',
    foundBy: ['store/conformance.test.ts', 'A4 an end of another run is refused and changes nothing'],
  },
  {
    name: 'an end that comes again is refused',
    file: 'unfolded.ts',
    find: "return isShown ? 'shown' : 'refused';",
    replace: "return 'refused';",
    foundBy: ['store/conformance.test.ts', 'E9 an end that comes again is granted again'],
  },
  {
    name: 'an end that comes again is in the history twice',
    file: 'unfolded.ts',
    find: "return isShown ? 'shown' : 'refused';",
    replace: "return isShown ? 'granted' : 'refused';",
    foundBy: [
      'store/conformance.test.ts',
      'J1 every end leaves one row, the newest first; what is refused or repeated leaves none',
    ],
  },
  {
    name: 'what is refused of one batch is answered to the next one',
    file: 'sqlite-write.ts',
    find: '    this.#refused = [];\n',
    replace: '',
    foundBy: ['store/conformance.test.ts', 'A4 an end of another run is refused and changes nothing'],
  },
  {
    name: 'the page after the first begins one row late',
    file: 'sqlite-read.ts',
    find: '(answer.ids.at(-1) ?? null)',
    replace: '(answer.ids.at(-1) ?? 0) + 1',
    foundBy: [
      'store/inspect.test.ts',
      'E6 shows everything from another process while the owner goes on writing',
    ],
  },
  {
    name: 'rows are read from the last to the first',
    file: 'sqlite-read.ts',
    find: 'ORDER BY id LIMIT ?',
    replace: 'ORDER BY id DESC LIMIT ?',
    foundBy: [
      'store/inspect.test.ts',
      'E6 shows everything from another process while the owner goes on writing',
    ],
  },
  {
    name: 'the run of an orphan is not read',
    file: 'page.ts',
    find: 'run: running ? { runId, instanceId, startedAt, reason, cutOffAt } : null',
    replace: 'run: null',
    foundBy: ['store/conformance.test.ts', 'A4 starts write work and run alone'],
  },
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
    name: 'replaying begins one entry late',
    file: 'sqlite-journal.ts',
    find: 'entriesAfter(this.#db, this.#last)',
    replace: 'entriesAfter(this.#db, this.#last + 1)',
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
    file: 'sqlite-rows.ts',
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
    name: 'the lock is not taken',
    file: 'sqlite-file.ts',
    find: "lock.exec('BEGIN EXCLUSIVE');\n    lock.exec('PRAGMA user_version = 1');",
    replace: '',
    foundBy: ['store/ownership.test.ts', 'E6 a second path to the same file is the same store'],
  },
  {
    name: 'the log is not a write-ahead log',
    file: 'sqlite-file.ts',
    find: "'PRAGMA journal_mode = WAL').get()?.journal_mode;\n  if (mode !== 'wal')",
    replace: "'PRAGMA journal_mode = DELETE').get()?.journal_mode;\n  if (mode !== 'delete')",
    foundBy: [
      'simulation/wal.test.ts',
      'A1, A4, E5 a scheduler starts on every prefix of the log, torn and reordered, and does what is owed',
    ],
  },
];
