/**
 * Folds the journal into the rows of the tasks, and prunes it, in small steps on the store's thread. Each step is a transaction of some
 * milliseconds, and steps are taken only between batches.
 *
 *     resting ──begin──▶ folding: rows of tasks in the order of their numbers
 *                           ──all written──▶ the marker moves ──▶ releasing: what rows now say is dropped from memory
 *                           ──all dropped──▶ pruning (`sqlite-prune.ts`) ──▶ resting
 *
 * The marker moves last, so that after a crash the entries are replayed (`sqlite-journal.ts` says why that is harmless). Batches that
 * come meanwhile are after the new marker; a task that one of them touches stays in memory until the next time.
 *
 * A step does not wait for the disk (`synchronous = NORMAL`). If the machine loses it, it loses a fold and nothing else: the log keeps
 * its order, so that no later commit survives without it, and the entries are there until a step that follows it has deleted them.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Retention } from '../core/history.ts';
import { CHECKPOINT_PAGES } from './sqlite-file.ts';
import { Journal } from './sqlite-journal.ts';
import { rollBack } from './sqlite-load.ts';
import { Pruner } from './sqlite-prune.ts';
import type { Unfolded } from './unfolded.ts';
import { STATE_COLUMNS, type Value, VERSION } from './unfolded-slot.ts';

/** How long a step may take. A batch that comes meanwhile waits for so long. */
const STEP_MS = 4;
/** The clock is read once per so many rows. */
const ROWS_PER_LOOK = 16;
/**
 * The commit of a step that fills the log copies it into the file, and a batch waits for that too. So it is done often, and takes a few
 * milliseconds each time. Nothing is copied twice for it: steps go from row to row.
 */
const STEP_CHECKPOINT_PAGES = 250;

type Phase =
  | { readonly name: 'resting' | 'pruning' }
  | {
      readonly name: 'folding' | 'releasing';
      readonly through: number;
      readonly entries: number;
      next: number;
    };

const FIRST = Number.MIN_SAFE_INTEGER;

export class Folder {
  readonly #db: DatabaseSync;
  readonly #mayWrite: () => void;
  readonly #journal: Journal;
  readonly #pruner: Pruner;
  readonly #updates = new Map<
    number,
    { readonly statement: StatementSync; readonly columns: typeof STATE_COLUMNS }
  >();
  #phase: Phase = { name: 'resting' };
  /** What the phase is about. If a batch fails, it is made again from the journal, and folding begins from the start. */
  #unfolded: Unfolded | undefined;

  /** `mayWrite` throws if the file is not ours any more. */
  constructor(
    db: DatabaseSync,
    journal: Journal,
    history: Retention | false,
    mayWrite: () => void = () => {},
  ) {
    this.#db = db;
    this.#mayWrite = mayWrite;
    this.#journal = journal;
    this.#pruner = new Pruner(db, journal, history);
  }

  /** How many rows of entries wait to be folded. */
  get waiting(): number {
    return this.#journal.waiting;
  }

  get isResting(): boolean {
    return this.#phase.name === 'resting' && this.waiting === 0;
  }

  get isWorking(): boolean {
    return this.#phase.name !== 'resting';
  }

  /** One step. */
  step(): void {
    this.#db.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${STEP_CHECKPOINT_PAGES}`);
    try {
      this.#step();
    } catch (error) {
      this.#phase = { name: 'resting' };
      throw error;
    } finally {
      this.#db.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    }
  }

  #step(): void {
    const { unfolded } = this.#journal;
    if (unfolded !== this.#unfolded) this.#phase = { name: 'resting' };
    this.#unfolded = unfolded;
    const phase = this.#phase;
    switch (phase.name) {
      case 'resting':
        this.#phase = { name: 'folding', through: this.#journal.last, entries: this.waiting, next: FIRST };
        break;
      case 'folding': {
        const isDone = this.#inTransaction(() => this.#fold(phase));
        if (isDone) this.#phase = { ...phase, name: 'releasing', next: FIRST };
        break;
      }
      case 'releasing':
        if (!this.#release(phase)) break;
        unfolded.entries -= phase.entries;
        this.#pruner.begin(phase.through);
        this.#phase = { name: 'pruning' };
        break;
      case 'pruning': {
        const isDone = this.#inTransaction(() => this.#pruner.step());
        if (isDone) this.#phase = { name: 'resting' };
      }
    }
  }

  #fold(phase: { readonly through: number; next: number }): boolean {
    const { unfolded } = this.#journal;
    const deadline = performance.now() + STEP_MS;
    for (let rows = 1; ; rows++) {
      const id = unfolded.nextId(phase.next);
      if (id === undefined) {
        this.#journal.moveMarker(phase.through);
        return true;
      }
      phase.next = id + 1;
      if (unfolded.isDirty(id)) this.#foldRow(id);
      if (rows % ROWS_PER_LOOK === 0 && performance.now() >= deadline) return false;
    }
  }

  #foldRow(id: number): void {
    const { unfolded } = this.#journal;
    const { statement, columns } = this.#updateOf(unfolded.known(id));
    const values: Value[] = [];
    for (const [, , kind, at] of columns) values.push(unfolded.value(id, kind, at));
    statement.run(...values, id);
    unfolded.markFolded(id);
  }

  #updateOf(known: number): { readonly statement: StatementSync; readonly columns: typeof STATE_COLUMNS } {
    let update = this.#updates.get(known);
    if (update === undefined) {
      const columns = STATE_COLUMNS.filter(([, group]) => (known & group) !== 0);
      // A row may have been written since the entry was: its version only grows.
      const sets = columns
        .map(([column, group]) => (group === VERSION ? `${column} = max(${column}, ?)` : `${column} = ?`))
        .join(', ');
      update = { statement: this.#db.prepare(`UPDATE task SET ${sets} WHERE id = ?`), columns };
      this.#updates.set(known, update);
    }
    return update;
  }

  /** Drops what the rows say. */
  #release(phase: { next: number }): boolean {
    const { unfolded } = this.#journal;
    const deadline = performance.now() + STEP_MS;
    for (let rows = 1; ; rows++) {
      const id = unfolded.nextId(phase.next);
      if (id === undefined) return true;
      phase.next = id + 1;
      if (!unfolded.isDirty(id)) unfolded.drop(id);
      if (rows % ROWS_PER_LOOK === 0 && performance.now() >= deadline) return false;
    }
  }

  #inTransaction(work: () => boolean): boolean {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      this.#mayWrite();
      const isDone = work();
      this.#db.exec('COMMIT');
      return isDone;
    } catch (error) {
      rollBack(this.#db);
      this.#journal.spoil();
      throw error;
    }
  }
}

/** Folds everything, for those who go on to work on the rows. */
export function foldAll(db: DatabaseSync, path: string): void {
  const journal = new Journal(db, path);
  journal.restore();
  const folder = new Folder(db, journal, KEEP_ALL);
  while (!folder.isResting) folder.step();
}

const KEEP_ALL: Retention = { keepDays: Number.POSITIVE_INFINITY, keepRuns: Number.POSITIVE_INFINITY };
