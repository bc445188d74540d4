/**
 * What the journal says of tasks and their rows do not yet: per task, the fields that an entry after the marker has assigned. It lives
 * in the store's thread. A row and what is here of its task are together the record.
 *
 * A field that no entry has assigned is as in the row. Fields come in groups, which entries assign together. A start must know the version of the
 * record, an end the current run. If only the row knows it, the row is read. Versions are remembered for every task (`versions.ts`), so that
 * this is rare.
 *
 * Of the version in a row and the one in an entry the higher one counts: it only grows, and both may be written first.
 *
 * Tasks are known by number. `#slots` leads from the number to a slot, which is a stretch of numbers in a slab.
 */
import { OUTCOMES, ROW, RUN_REASONS } from '../core/rows.ts';
import type { RunNames } from '../core/run-names.ts';
import { ENTRY_WIDTHS, type EntryRows, INSTANCE, putName, VERSION as VERSION_AT } from './journal-entry.ts';
import { SlotsById } from './slots.ts';
import {
  ALL,
  AT,
  ATTEMPT,
  CURSOR,
  ERROR,
  FAILURE,
  type Kind,
  RUN,
  SLOT_WIDTH,
  STATE_COLUMNS,
  SUCCESS,
  type Value,
  VERSION,
} from './unfolded-slot.ts';
import { Versions } from './versions.ts';

const SLAB_BITS = 11;
const SLAB_SLOTS = 2 ** SLAB_BITS;

/** Reads the state columns of a row; `undefined` if there is none. */
export type LoadRow = (id: number) => readonly unknown[] | undefined;

export class Unfolded {
  /** How many rows of entries it is made of. */
  entries = 0;
  readonly #names: RunNames;
  readonly #load: LoadRow;
  readonly #versions = new Versions();
  readonly #slots = new SlotsById();
  readonly #slabs: Float64Array[] = [];
  /** JSON texts of last errors, by slot. */
  readonly #errors = new Map<number, string>();

  constructor(names: RunNames, load: LoadRow) {
    this.#names = names;
    this.#load = load;
  }

  /** The tasks that something is known of, by number, from `id` on; `undefined` after the last. */
  nextId(id: number): number | undefined {
    return this.#slots.next(id);
  }

  get isEmpty(): boolean {
    return this.#slots.size === 0;
  }

  /** What earlier entries say of a task is over. */
  drop(id: number): void {
    const slot = this.#slots.remove(id);
    if (slot === undefined) return;
    this.#errors.delete(slot);
    this.#slabOf(slot).fill(Number.NaN, offsetOf(slot), offsetOf(slot) + SLOT_WIDTH);
    if (this.#slots.size === 0) this.#slabs.length = 0;
  }

  /** Applies entries that were granted when they were written. */
  replay(rows: EntryRows): void {
    const width = ENTRY_WIDTHS[rows.part];
    for (let at = 0; at < rows.count * width; at += width) {
      if (rows.part === 'resets') this.drop(rows.cells[at]);
      else if (rows.part === 'starts') this.#start(rows.cells, at, this.#touch(rows.cells[at]));
      else if (rows.part === 'ends') this.#end(rows, at, this.#touch(rows.cells[at]));
    }
  }

  /** The version of a record; `NaN` if there is none. */
  version(id: number): number {
    const known = this.#versions.get(id);
    if (!Number.isNaN(known) || !this.#know(id)) return known;
    const slot = this.#slots.get(id) ?? 0;
    return this.#slabOf(slot)[offsetOf(slot) + AT.version];
  }

  /** The row of a task has this version, and with the row all that is known of it. */
  learn(id: number, version: number): void {
    this.#versions.set(id, version);
    const slot = this.#slots.get(id);
    if (slot !== undefined) this.#slabOf(slot)[offsetOf(slot) + AT.version] = version;
  }

  /** A start, as the port says; `undefined` if there is no such record. */
  start(cells: Float64Array, at: number): 'granted' | 'shown' | 'refused' | undefined {
    const id = cells[at];
    const version = this.version(id);
    if (version === cells[at + VERSION_AT.starts]) {
      this.#start(cells, at, this.#touch(id));
      this.#versions.set(id, version + 1);
      return 'granted';
    }
    if (!this.#know(id)) return undefined;
    const slot = this.#slots.get(id) ?? 0;
    const isCurrent = Number.isNaN(this.#slabOf(slot)[offsetOf(slot) + AT.cutOffAt]);
    return isCurrent && this.#shows(slot, cells, at) ? 'shown' : 'refused';
  }

  /** Whether the run in a slot is that of a row. */
  #shows(slot: number, cells: Float64Array, at: number): boolean {
    const slab = this.#slabOf(slot);
    const from = offsetOf(slot);
    return (
      slab[from + AT.runPlace] === cells[at + ROW.runPlace] &&
      slab[from + AT.runCount] === cells[at + ROW.runCount]
    );
  }

  #start(cells: Float64Array, at: number, slot: number): void {
    const slab = this.#slabOf(slot);
    const to = offsetOf(slot);
    slab[to + AT.known] |= RUN;
    slab[to + AT.runPlace] = cells[at + ROW.runPlace];
    slab[to + AT.runCount] = cells[at + ROW.runCount];
    slab[to + AT.instance] = cells[at + INSTANCE.starts];
    slab[to + AT.startedAt] = cells[at + ROW.startedAt];
    slab[to + AT.reason] = cells[at + ROW.reason];
    slab[to + AT.cutOffAt] = Number.NaN;
    copyWork(cells, at, slab, to);
    this.#raise(slot, cells[at + VERSION_AT.starts]);
  }

  /** `before` is `NaN` in entries of older files. */
  #raise(slot: number, before: number): void {
    if (Number.isNaN(before)) return;
    const slab = this.#slabOf(slot);
    slab[offsetOf(slot) + AT.known] |= VERSION;
    slab[offsetOf(slot) + AT.version] = before + 1;
  }

  /** An end, as the port says; `undefined` if there is no such record. */
  end(rows: EntryRows, at: number): 'granted' | 'shown' | 'refused' | undefined {
    const { cells } = rows;
    const id = cells[at];
    let slot = this.#slots.get(id);
    if (slot === undefined || (this.#slabOf(slot)[offsetOf(slot) + AT.known] & RUN) === 0) {
      if (!this.#know(id)) return undefined;
      slot = this.#slots.get(id) ?? 0;
    }
    const slab = this.#slabOf(slot);
    const from = offsetOf(slot);
    if (this.#shows(slot, cells, at)) {
      // A run that a stop has interrupted has ended, and stays in the record (A13).
      if (slab[from + AT.reason] === INTERRUPTED.reason) {
        const isSame = slab[from + AT.cutOffAt] === cells[at + ROW.endedAt];
        return isSame && cells[at + ROW.outcome] === INTERRUPTED.outcome ? 'shown' : 'refused';
      }
      const version = this.version(id);
      cells[at + VERSION_AT.ends] = version;
      this.#versions.set(id, version + 1);
      slab[from + AT.dirty] = 1;
      this.entries++;
      this.#end(rows, at, slot);
      return 'granted';
    }
    this.#know(id);
    const ended = cells[at + ROW.outcome] === 0 ? AT.lastSuccessAt : AT.lastFailureAt;
    const isShown =
      cells[at + ROW.outcome] !== INTERRUPTED.outcome &&
      slab[from + AT.lastAttemptAt] === cells[at + ROW.calledAt] &&
      slab[from + ended] === cells[at + ROW.endedAt];
    return isShown ? 'shown' : 'refused';
  }

  #end(rows: EntryRows, at: number, slot: number): void {
    const { cells, errors } = rows;
    const slab = this.#slabOf(slot);
    const to = offsetOf(slot);
    const isSuccess = cells[at + ROW.outcome] === 0;
    const isInterrupted = cells[at + ROW.outcome] === INTERRUPTED.outcome;
    const calledAt = cells[at + ROW.calledAt];
    const servedThrough = cells[at + ROW.servedThrough];
    const endedAt = cells[at + ROW.endedAt];
    const retryAt = cells[at + ROW.retryAt];
    slab[to + AT.known] |= CURSOR | ATTEMPT | RUN | (isSuccess ? SUCCESS : isInterrupted ? 0 : FAILURE);
    slab[to + AT.servedThrough] = Number.isNaN(servedThrough) ? calledAt : servedThrough;
    slab[to + AT.lastAttemptAt] = calledAt;
    if (!isInterrupted) slab[to + (isSuccess ? AT.lastSuccessAt : AT.lastFailureAt)] = endedAt;
    slab[to + AT.pendingRetryUntil] = retryAt;
    slab[to + AT.failures] = cells[at + ROW.failures];
    slab[to + AT.failingSince] = cells[at + ROW.failingSince];
    slab[to + AT.lastDurationMs] = Math.max(endedAt - calledAt, 0);
    // A loop: `fill` leaves optimized code, which takes longer than ten stores do.
    for (let cell = to + AT.keyPlace; cell <= to + AT.cutOffAt; cell++) slab[cell] = Number.NaN;
    this.#raise(slot, cells[at + VERSION_AT.ends]);
    if (isInterrupted) leaveByStop(rows, at, slab, to);
    else if (!Number.isNaN(retryAt)) copyWork(cells, at, slab, to);
    const error = cells[at + ROW.error];
    if (error === 0) return;
    const { name, message } = errors[error - 1];
    slab[to + AT.known] |= ERROR;
    this.#errors.set(slot, JSON.stringify({ name, message }));
  }

  /** Reads what is not known of a task from its row. Answers whether there is one. */
  #know(id: number): boolean {
    const values = this.#load(id);
    if (values === undefined) return false;
    const slot = this.#slots.get(id) ?? this.#add(id);
    const slab = this.#slabOf(slot);
    const to = offsetOf(slot);
    const version = (slab[to + AT.known] & VERSION) === 0 ? 0 : slab[to + AT.version];
    for (const [index, [, group, kind, at]] of STATE_COLUMNS.entries()) {
      if ((slab[to + AT.known] & group) === 0 || group === VERSION) this.#take(values[index], kind, slot, at);
    }
    slab[to + AT.known] = ALL;
    slab[to + AT.version] = Math.max(slab[to + AT.version], version);
    this.#versions.set(id, slab[to + AT.version]);
    return true;
  }

  /** Takes a value of a row over. */
  #take(value: unknown, kind: Kind, slot: number, at: number): void {
    const slab = this.#slabOf(slot);
    const to = offsetOf(slot) + at;
    if (kind === 'error') {
      if (typeof value === 'string') this.#errors.set(slot, value);
    } else if (typeof value !== 'string') slab[to] = typeof value === 'number' ? value : Number.NaN;
    else if (kind === 'name') putName(slab, to, value, this.#names);
    else if (kind === 'instance') slab[to] = this.#names.place(value);
    else slab[to] = kind === 'reason' ? (RUN_REASONS as readonly string[]).indexOf(value) : Number.NaN;
  }

  /** The groups of a task that are known; 0 for none. */
  known(id: number): number {
    const slot = this.#slots.get(id);
    return slot === undefined ? 0 : this.#slabOf(slot)[offsetOf(slot) + AT.known];
  }

  /** The value of a column whose group is known. */
  value(id: number, kind: Kind, at: number): Value {
    const slot = this.#slots.get(id) ?? 0;
    if (kind === 'error') return this.#errors.get(slot) ?? null;
    const slab = this.#slabOf(slot);
    const from = offsetOf(slot);
    const number = slab[from + at];
    if (kind === 'instance' && Number.isNaN(number)) {
      const run = slab[from + AT.runPlace];
      return Number.isNaN(run) ? null : this.#names.text(run, 0);
    }
    if (Number.isNaN(number)) return null;
    if (kind === 'number') return number;
    if (kind === 'reason') return RUN_REASONS[number] ?? null;
    return this.#names.text(number, kind === 'name' ? slab[from + at + 1] : 0);
  }

  /** The row of a task is about to say all that is here. */
  markFolded(id: number): void {
    const slot = this.#slots.get(id);
    if (slot !== undefined) this.#slabOf(slot)[offsetOf(slot) + AT.dirty] = 0;
  }

  isDirty(id: number): boolean {
    const slot = this.#slots.get(id);
    return slot !== undefined && this.#slabOf(slot)[offsetOf(slot) + AT.dirty] === 1;
  }

  #touch(id: number): number {
    const slot = this.#slots.get(id) ?? this.#add(id);
    this.#slabOf(slot)[offsetOf(slot) + AT.dirty] = 1;
    this.entries++;
    return slot;
  }

  /** A slot that is free holds nothing but NaN: a start finds one ready. */
  #add(id: number): number {
    const slot = this.#slots.add(id);
    if (slot >= this.#slabs.length * SLAB_SLOTS)
      this.#slabs.push(new Float64Array(SLAB_SLOTS * SLOT_WIDTH).fill(Number.NaN));
    const slab = this.#slabOf(slot);
    slab[offsetOf(slot) + AT.known] = 0;
    slab[offsetOf(slot) + AT.dirty] = 0;
    return slot;
  }

  #slabOf(slot: number): Float64Array {
    return this.#slabs[slot >> SLAB_BITS];
  }
}

/** The number that marks an interrupted run in rows and slots. */
const INTERRUPTED = {
  outcome: OUTCOMES.indexOf('interrupted'),
  reason: RUN_REASONS.indexOf('interrupted'),
} as const;

const offsetOf = (slot: number): number => (slot & (SLAB_SLOTS - 1)) * SLOT_WIDTH;

function copyWork(cells: Float64Array, at: number, slab: Float64Array, to: number): void {
  slab[to + AT.keyPlace] = cells[at + ROW.keyPlace];
  slab[to + AT.keyCount] = cells[at + ROW.keyCount];
  slab[to + AT.scheduledFor] = cells[at + ROW.scheduledFor];
  slab[to + AT.attempt] = cells[at + ROW.attempt];
}

/** A13: the same as `leftByStop` of the core, as numbers. */
function leaveByStop({ cells }: EntryRows, at: number, slab: Float64Array, to: number): void {
  copyWork(cells, at, slab, to);
  slab[to + AT.attempt]--;
  slab[to + AT.runPlace] = cells[at + ROW.runPlace];
  slab[to + AT.runCount] = cells[at + ROW.runCount];
  slab[to + AT.instance] = cells[at + INSTANCE.ends];
  slab[to + AT.startedAt] = cells[at + ROW.calledAt];
  slab[to + AT.reason] = INTERRUPTED.reason;
  slab[to + AT.cutOffAt] = cells[at + ROW.endedAt];
}
