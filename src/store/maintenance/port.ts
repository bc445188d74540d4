/** What maintenance of a store offers, whichever store it is: a part of the Store port, without any store's code. */
import type { RecordProblem } from '../record-problem.ts';

/** Options of `maintainStore`. */
export interface MaintenanceOptions {
  /** The wall clock, in epoch milliseconds; the host's by default. */
  readonly now?: () => number;
}

/** A store in your own hands: no scheduler can run on it until you `close` it. Of a database, the copy is in tables of its own, and has no path. */
export interface StoreMaintenance {
  /** The file, as an absolute path; or where the database is. */
  readonly path: string;
  /** The names of the tasks that have a record, as far as they can be read. */
  names(): string[];
  /** Looks at every record, and at the journal. Only reads. Throws {@link StoreDamagedError} if the file itself is damaged, which no repair can undo. */
  diagnose(): Diagnosis;
  /** Copies the file into its own folder, does what `diagnose` says, and resolves to the path of the copy. */
  repair(): Promise<string>;
  /**
   * Copies the file into its own folder, removes all records of a task and its runs from the history, and resolves to the path of the copy. If the task has none, it
   * does nothing and resolves to undefined.
   */
  forget(task: string): Promise<string | undefined>;
  /** Lets go of the store. */
  close(): void | Promise<void>;
}

/** A field of a record that gets another value. */
export interface RecordRepair extends RecordProblem {
  /** What becomes of the field, in words. */
  readonly instead: string;
}

/** An entry of the journal that cannot be read. */
export interface JournalProblem {
  /** Its number. */
  readonly entry: number;
  /** How many starts or ends were in it, as far as it says so. */
  readonly runs: number;
  readonly reason: string;
}

/** What is wrong with the records of a store, and what a repair would do about it. */
export interface Diagnosis {
  /** How many records are as they should be. */
  readonly healthy: number;
  /** Fields that get a value which loses nothing that is owed. */
  readonly repairs: readonly RecordRepair[];
  /** Records that say too little to be repaired: they are removed, and their tasks come for the first time. */
  readonly removals: readonly RecordProblem[];
  /**
   * Entries of the journal that cannot be read: they are dropped. Their runs are missing from the history, and a task whose last start
   * or end was in one of them may run again.
   */
  readonly journal: readonly JournalProblem[];
  /** What is wrong with an index, if something is: it is built again from the records, which are all there. */
  readonly indexes: readonly string[];
}
