/**
 * Faults planted one by one into the store of a file, as it is loaded, and the test that finds each. Below the Store port no simulated
 * world reaches, so it is the store's own tests that must. What only a loss of power could show (a commit that is answered before its
 * sync) is found by none of them but where SQLite itself says how it syncs: the WAL-image test cuts logs that were written with every sync,
 * and a killed process loses nothing that it handed to the operating system.
 */
import type { PlantedFault } from '../faults/fault.ts';
import { JOURNAL_MUTANTS } from './journal-mutants.ts';
import { OWNERSHIP_MUTANTS } from './ownership-mutants.ts';
import { UPKEEP_MUTANTS } from './upkeep-mutants.ts';

export const STORE_MUTANTS: readonly PlantedFault[] = [
  {
    name: 'E6 whoever gave up waiting for a store in memory keeps the place in the line',
    in: 'MemoryStore.#letGoWithin',
    find: 'this.#waiting.splice(this.#waiting.indexOf(granted), 1);',
    foundBy: [
      'store/memory-waiting.test.ts',
      'E6 whoever gave up waiting has no place in the line: the next close leaves the store open to all',
    ],
  },
  {
    name: 'a batch is answered and not committed',
    in: 'Writer.#attempt',
    find: "'COMMIT'",
    replace: "'ROLLBACK'",
    foundBy: ['store/conformance.test.ts', 'puts insert, and write over what is there'],
  },
  {
    name: 'a batch that fails is kept as far as it came',
    in: 'Writer.#attempt',
    find: 'if (hasBegun) this.#giveUp();',
    replace: "this.#db.exec('COMMIT');",
    foundBy: [
      'store/conformance.test.ts',
      'E5 configures of a name that is not there reject the whole batch',
    ],
  },
  {
    name: 'what a failed batch has left in memory stays',
    in: 'Writer.#giveUp',
    find: 'this.#journal.spoil();',
    foundBy: ['store/fold.test.ts', 'E5 a batch that fails leaves nothing behind, in the file or in memory'],
  },
  {
    name: 'records go before their runs end',
    in: 'sheetsOf',
    find: "yield* rowSheets('ends', batch.ends, limit, enrolled); yield* objects('unstarts', batch.unstarts); for (const names of pieces(batch.removes, limit)) yield { kind: 'removes', count: names.length, names }; yield* putSheets(batch.puts, limit);",
    replace:
      "for (const names of pieces(batch.removes, limit)) yield { kind: 'removes', count: names.length, names }; yield* putSheets(batch.puts, limit); yield* rowSheets('ends', batch.ends, limit, enrolled); yield* objects('unstarts', batch.unstarts);",
    foundBy: [
      'store/conformance.test.ts',
      'J1 a run that ends leaves its row, also if its record goes or is written over in the same batch',
    ],
  },
  {
    name: 'a task that goes and comes in one batch is free of what was refused',
    in: 'Writer.#put',
    find: 'if (refused.has(name)) this.#refusedIds.add(ids[place]);',
    replace: 'void refused, void place, void name;',
    foundBy: [
      'store/conformance.test.ts',
      'any batches leave what the model leaves, and are refused what it refuses',
    ],
  },
  {
    name: 'an end leaves its run behind',
    in: 'Unfolded.#end',
    find: 'cell <= to + AT.cutOffAt',
    replace: 'cell < to + AT.runPlace',
    foundBy: ['store/conformance.test.ts', 'A6 a success ends the run and keeps the last failure'],
  },
  {
    name: 'a failure erases the last success',
    in: 'Unfolded.#end',
    find: '(isSuccess ? SUCCESS : isInterrupted ? 0 : FAILURE)',
    replace: 'SUCCESS | FAILURE',
    foundBy: ['store/conformance.test.ts', 'A6 a failure ends the run and keeps the last success'],
  },
  {
    name: 'a change of a record that is not there is passed over',
    in: 'Writer.#writeRows',
    find: 'else this.#refused.push({ change, name, id, missing: true });',
    foundBy: [
      'store/conformance.test.ts',
      'A4 a change of a run whose record is not there is refused as missing, and the rest takes effect',
    ],
  },
  {
    name: 'a start whose record another program has deleted is granted',
    in: 'Strangers.look',
    find: 'this.#isSuspicious = true',
    foundBy: [
      'store/strangers.test.ts',
      'A4 a start of a record that another program has deleted is refused as missing, and granted when it was put again',
    ],
  },
  {
    name: 'a start is granted whatever version its record has',
    in: 'Unfolded.start',
    find: 'version === cells[at + VERSION_AT.starts]',
    replace: 'version >= 0',
    foundBy: ['store/conformance.test.ts', 'K2 a start by another version is refused and changes nothing'],
  },
  {
    name: 'an end is written whatever run is current',
    in: 'Unfolded.end',
    find: 'if (this.#shows(slot, cells, at)) {',
    replace: 'if (slot >= 0) {',
    foundBy: ['store/conformance.test.ts', 'A4 an end of another run is refused and changes nothing'],
  },
  {
    name: 'an end that comes again is refused',
    in: 'Unfolded.end',
    find: "isShown ? 'shown' :",
    foundBy: ['store/conformance.test.ts', 'E9 an end that comes again is granted again'],
  },
  {
    name: 'an end that comes again is in the history twice',
    in: 'Unfolded.end',
    find: "isShown ? 'shown' : 'refused'",
    replace: "isShown ? 'granted' : 'refused'",
    foundBy: [
      'store/conformance.test.ts',
      'J1 every end leaves one row, the newest first; what is refused or repeated leaves none',
    ],
  },
  {
    name: 'what is refused of one batch is answered to the next one',
    in: 'Writer.#begin',
    find: 'this.#refused = [];',
    foundBy: ['store/conformance.test.ts', 'A4 an end of another run is refused and changes nothing'],
  },
  {
    name: 'the page after the first begins one row late',
    in: 'Reader.pageAfter',
    find: '(answer.ids.at(-1) ?? null)',
    replace: '(answer.ids.at(-1) ?? 0) + 1',
    foundBy: ['store/conformance.test.ts', 'large batches are batches like any other'],
  },
  {
    name: 'for who looks, the page after the first begins one row late',
    in: 'changedAfter',
    find: '(ids.at(-1) ?? null)',
    replace: '(ids.at(-1) ?? 0) + 1',
    foundBy: [
      'store/inspect.test.ts',
      'E6 shows everything from another process while the owner goes on writing',
    ],
  },
  {
    name: 'rows are read from the last to the first',
    in: 'AFTER',
    find: 'ORDER BY id LIMIT ?',
    replace: 'ORDER BY id DESC LIMIT ?',
    foundBy: [
      'store/inspect.test.ts',
      'E6 shows everything from another process while the owner goes on writing',
    ],
  },
  {
    name: 'the run of an orphan is not read',
    in: 'recordAt',
    find: 'runAt(cells, row)',
    replace: 'null',
    foundBy: ['store/conformance.test.ts', 'A4 starts write work and run alone'],
  },
  {
    name: 'the lock is not taken',
    in: 'tryToLock',
    find: "db.exec('BEGIN EXCLUSIVE'); db.exec('PRAGMA user_version = 1');",
    foundBy: ['store/ownership.test.ts', 'E6 a second path to the same file is the same store'],
  },
  {
    name: 'the log is not a write-ahead log',
    in: 'prepareConnection',
    find: "'PRAGMA journal_mode = WAL').get()?.journal_mode; if (mode !== 'wal')",
    replace: "'PRAGMA journal_mode = DELETE').get()?.journal_mode; if (mode !== 'delete')",
    foundBy: [
      'simulation/wal.test.ts',
      'A1, A4, E5 a scheduler starts on every prefix of the log, torn and reordered, and does what is owed',
    ],
  },
  ...JOURNAL_MUTANTS,
  ...OWNERSHIP_MUTANTS,
  ...UPKEEP_MUTANTS,
];
