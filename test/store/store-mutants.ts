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
  /** Below `test`: a file of tests that fails with it. */
  readonly foundBy: string;
}

export const STORE_MUTANTS: readonly StoreMutant[] = [
  {
    name: 'a batch is answered and not committed',
    file: 'sqlite-write.ts',
    find: "if (last) this.#db.exec('COMMIT');",
    replace: "if (last) this.#db.exec('ROLLBACK');",
    foundBy: 'store/conformance.test.ts',
  },
  {
    name: 'a batch that fails is kept as far as it came',
    file: 'sqlite-write.ts',
    find: 'this.#trouble = error;\n      rollBack(this.#db);',
    replace: "this.#trouble = error;\n      this.#db.exec('COMMIT');",
    foundBy: 'store/conformance.test.ts',
  },
  {
    name: 'an end leaves its run behind',
    file: 'sqlite-write.ts',
    find: "if (part === 'ends') sets.push(",
    replace: "if (part === 'ends') [].push(",
    foundBy: 'store/conformance.test.ts',
  },
  {
    name: 'a failure erases the last success',
    file: 'sqlite-write.ts',
    find: 'keepsIfNull.has(column) ?',
    replace: 'false ?',
    foundBy: 'store/conformance.test.ts',
  },
  {
    name: 'a change of a record that is not there is passed over',
    file: 'sqlite-write.ts',
    find: 'if (found === undefined) throw',
    replace: 'if (found === undefined) continue; if (found === null) throw',
    foundBy: 'store/conformance.test.ts',
  },
  {
    name: 'a change is written whatever run is current',
    file: 'sqlite-write.ts',
    find: 'isCompared(value) ? [`',
    replace: 'value === undefined ? [`',
    foundBy: 'store/conformance.test.ts',
  },
  {
    name: 'a change that comes again is refused',
    file: 'sqlite-write.ts',
    find: 'if (isBuiltOnRefused || found.shown !== 1)',
    replace: 'if (found !== undefined)',
    foundBy: 'store/conformance.test.ts',
  },
  {
    name: 'what is refused of one batch is answered to the next one',
    file: 'sqlite-write.ts',
    find: '    this.#refused = [];\n',
    replace: '',
    foundBy: 'store/conformance.test.ts',
  },
  {
    name: 'the page after the first begins one row late',
    file: 'sqlite-read.ts',
    find: 'Number(last) };',
    replace: 'Number(last) + 1 };',
    foundBy: 'store/inspect.test.ts',
  },
  {
    name: 'rows are read from the last to the first',
    file: 'sqlite-read.ts',
    find: 'ORDER BY id LIMIT ?',
    replace: 'ORDER BY id DESC LIMIT ?',
    foundBy: 'store/inspect.test.ts',
  },
  {
    name: 'the run of an orphan is not read',
    file: 'page.ts',
    find: 'run: running ? { runId, instanceId, startedAt } : null',
    replace: 'run: null',
    foundBy: 'store/conformance.test.ts',
  },
  {
    name: 'the lock is not taken',
    file: 'sqlite-file.ts',
    find: "lock.exec('BEGIN EXCLUSIVE');\n    lock.exec('PRAGMA user_version = 1');",
    replace: '',
    foundBy: 'store/ownership.test.ts',
  },
  {
    name: 'the log is not a write-ahead log',
    file: 'sqlite-file.ts',
    find: "'PRAGMA journal_mode = WAL').get()?.journal_mode;\n  if (mode !== 'wal')",
    replace: "'PRAGMA journal_mode = DELETE').get()?.journal_mode;\n  if (mode !== 'delete')",
    foundBy: 'simulation/wal.test.ts',
  },
];
