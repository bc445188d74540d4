/**
 * Batches into the file, on the store's thread. A batch comes in one or more messages; the first begins the transaction and the
 * last commits it:
 *
 *     idle ──first sheets──▶ writing ──last sheets──▶ idle (durable)
 *                              ├─error─▶ spoilt (rolled back) ──last sheets──▶ idle (nothing written)
 *                              └─abandoned: the rest could not be posted ──▶ idle (nothing written)
 *
 * Starts and ends are appended to the journal, many in one entry. They come in thousands, and their tasks lie scattered over the file.
 * Every other change is written to its row at once (`sqlite-rows.ts`).
 *
 * Safe because no other statements run on this connection meanwhile, and because a process that dies in `writing` leaves a
 * transaction without its commit frame, which SQLite ignores.
 */
import type { DatabaseSync } from 'node:sqlite';
import { ROW } from '../core/rows.ts';
import { ENTRY_WIDTHS, type EntryRows, INSTANCE } from './journal-entry.ts';
import type { Refusal } from './port.ts';
import type { Journal } from './sqlite-journal.ts';
import { rollBack } from './sqlite-load.ts';
import { TaskNumbers } from './sqlite-numbers.ts';
import type { Possession } from './sqlite-possession.ts';
import { writeAnswers } from './sqlite-requests.ts';
import { renewRowMark, timeZoneIn, writeTimeZone } from './sqlite-row-mark.ts';
import { Rows } from './sqlite-rows.ts';
import { Strangers } from './sqlite-strangers.ts';
import type { Sheet } from './wire.ts';
import type { RowsSheet } from './wire-rows.ts';

/** A refusal. If the record is missing, its name may be empty: then only the session knows whose number it is. */
export interface NumberedRefusal extends Refusal {
  readonly id: number;
}

/** What a batch was answered with: what is refused of it, and the numbers of the records that it put, in their order. */
export interface Written {
  readonly refused: readonly NumberedRefusal[];
  readonly ids: Float64Array<ArrayBuffer>;
  /** What holds of the tasks that something is refused of. */
  readonly records?: ReturnType<Rows['page']>;
  /** The version of the records that were put for new names. */
  readonly firstVersion?: number;
}

export class Writer {
  readonly #db: DatabaseSync;
  readonly #possession: Possession;
  readonly #journal: Journal;
  readonly #numbers: TaskNumbers;
  readonly #rows: Rows;
  readonly #strangers: Strangers;
  /** Whether this batch has made records come or go. */
  #hasRowsChanged = false;
  /** Whether it has written rows of tasks, which the journal does not show. */
  #hasWrittenRows = false;
  #state: 'idle' | 'writing' | 'spoilt' = 'idle';
  #trouble: unknown;
  /** What is refused of the batch so far, and the tasks of that. */
  #refused: NumberedRefusal[] = [];
  readonly #refusedIds = new Set<number>();
  #ids: number[] = [];
  /** Room for the rows of a sheet: it is used again and again. */
  #cells = new Float64Array();
  /** For each list of names that the main thread has, the places of its names in the journal's list. */
  readonly #lists = new Map<number, number[]>();

  constructor(db: DatabaseSync, possession: Possession, journal: Journal, keepsHistory: boolean) {
    this.#db = db;
    this.#possession = possession;
    this.#journal = journal;
    this.#numbers = new TaskNumbers(db);
    this.#rows = new Rows(db, journal, this.#numbers, keepsHistory);
    this.#strangers = new Strangers(db);
  }

  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  /** The zone of the latest `initialize` (B2). */
  get timeZone(): string | undefined {
    return timeZoneIn(this.#db);
  }

  /** Some more of the batch. Answers, and throws, only at its end, so that every batch has exactly one answer. */
  write(sheets: readonly Sheet[], last: boolean): Written {
    // Names are sent once, so they are taken over also if the batch is spoilt.
    const placesOf = new Map<Sheet, readonly number[]>();
    for (const sheet of sheets) if (sheet.kind === 'rows') placesOf.set(sheet, this.#takeNames(sheet));
    if (this.#state !== 'spoilt') this.#attempt(sheets, placesOf, last);
    if (!last) return { refused: [], ids: new Float64Array() };
    const spoilt = this.#state === 'spoilt';
    this.#state = 'idle';
    if (spoilt) throw this.#trouble;
    const names = this.#refused.filter(({ missing }) => !missing).map(({ name }) => name);
    return {
      refused: this.#refused,
      ids: Float64Array.from(this.#ids),
      firstVersion: this.#numbers.firstVersion,
      ...(names.length > 0 && { records: this.#rows.page(names) }),
    };
  }

  /** The rest of the batch will not come. */
  abandon(): void {
    if (this.#state === 'writing') this.#giveUp();
    this.#state = 'idle';
  }

  #attempt(sheets: readonly Sheet[], placesOf: ReadonlyMap<Sheet, readonly number[]>, last: boolean): void {
    try {
      if (this.#state === 'idle') {
        this.#begin();
        this.#state = 'writing';
        this.#possession.mustBeOurs();
        this.#strangers.look();
      }
      for (const sheet of sheets) {
        if (sheet.kind === 'timeZone') writeTimeZone(this.#db, sheet.timeZone);
        else this.#writeSheet(sheet, placesOf.get(sheet) ?? []);
      }
      if (!last) return;
      this.#numbers.save();
      if (this.#hasRowsChanged) this.#strangers.count();
      this.#hasRowsChanged = false;
      if (this.#hasWrittenRows) renewRowMark(this.#db);
      this.#db.exec('COMMIT');
      // What was committed into a file that is gone is not durable.
      this.#possession.mustBeInPlace();
    } catch (error) {
      const hasBegun = this.#state === 'writing';
      this.#state = 'spoilt';
      this.#trouble = error;
      if (hasBegun) this.#giveUp();
    }
  }

  #begin(): void {
    this.#refused = [];
    this.#refusedIds.clear();
    this.#ids = [];
    this.#hasRowsChanged = false;
    this.#hasWrittenRows = false;
    this.#journal.restore();
    this.#db.exec('BEGIN IMMEDIATE');
  }

  /** Nothing of the batch is in the file, so nothing of it may stay in memory. */
  #giveUp(): void {
    rollBack(this.#db);
    this.#journal.spoil();
    this.#numbers.spoil();
  }

  #writeSheet(sheet: Exclude<Sheet, { readonly kind: 'timeZone' }>, places: readonly number[]): void {
    this.#hasWrittenRows ||= sheet.kind !== 'rows' && !(sheet.kind === 'changes' && sheet.part === 'answers');
    switch (sheet.kind) {
      case 'rows':
        this.#writeRows(this.#received(sheet, places), sheet.tasks);
        break;
      case 'fresh':
        this.#hasRowsChanged = true;
        this.#put(sheet.names, this.#rows.insertFresh(sheet));
        break;
      case 'removes':
        this.#hasRowsChanged = true;
        this.#rows.remove(sheet.names);
        break;
      case 'changes':
        if (sheet.part === 'puts') {
          this.#hasRowsChanged = true;
          const names = sheet.changes.map(({ name }) => name);
          this.#put(names, this.#rows.put(sheet.changes));
        } else if (sheet.part === 'pauses') this.#rows.pause(sheet.changes);
        else if (sheet.part === 'answers') writeAnswers(this.#db, sheet.changes);
        else {
          const refused =
            sheet.part === 'configures'
              ? this.#rows.configure(sheet.changes)
              : sheet.part === 'moves'
                ? this.#rows.move(sheet.changes, this.#refusedIds)
                : this.#rows.change(sheet.part, sheet.changes, this.#refusedIds);
          for (const { refusal, id } of refused) this.#refuse(refusal, id);
        }
    }
  }

  #takeNames({ list, names }: RowsSheet): readonly number[] {
    const places = list === 0 ? [] : (this.#lists.get(list) ?? []);
    for (const name of names) places.push(this.#journal.names.place(name));
    if (list !== 0) this.#lists.set(list, places);
    return places;
  }

  /** The rows of a sheet as rows of the journal. */
  #received(sheet: RowsSheet, places: readonly number[]): EntryRows {
    const { part, count, cells: sent, width: sentWidth, tasks, errors } = sheet;
    const width = ENTRY_WIDTHS[part];
    if (this.#cells.length < count * width) this.#cells = new Float64Array(count * width);
    const cells = this.#cells;
    for (let row = 0; row < count; row++) {
      const to = row * width;
      const from = row * sentWidth;
      const instance = INSTANCE[part];
      for (let column = 0; column < instance; column++) cells[to + column] = sent[from + column];
      if (tasks !== undefined) cells[to] = this.#rows.idOf(tasks[row]) ?? Number.NaN;
      cells[to + ROW.runPlace] = places[cells[to + ROW.runPlace]];
      cells[to + ROW.keyPlace] = places[cells[to + ROW.keyPlace]];
      cells[to + instance] = sentWidth === width ? places[sent[from + instance]] : Number.NaN;
      // A start names its version last, and an end none.
      cells[to + width - 1] = part === 'starts' ? sent[from + sentWidth - 1] : Number.NaN;
    }
    return { part, count, cells, errors };
  }

  /** Applies what is granted of the rows, and appends it. */
  #writeRows(rows: EntryRows, tasks: readonly string[] | undefined): void {
    const { part, count, cells } = rows;
    const width = ENTRY_WIDTHS[part];
    let granted = 0;
    for (let row = 0; row < count; row++) {
      const at = row * width;
      const verdict = this.#apply(rows, at);
      if (verdict === 'granted') {
        if (granted < row) cells.copyWithin(granted * width, at, at + width);
        granted++;
      } else if (verdict !== 'shown') {
        const id = cells[at];
        const name = tasks?.[row] ?? this.#rows.nameOf(id) ?? '';
        const change = part === 'starts' ? 'start' : 'end';
        if (verdict === 'refused') this.#refuse({ change, name }, id);
        else this.#refused.push({ change, name, id, missing: true });
      }
    }
    this.#journal.append({ ...rows, count: granted });
  }

  /** Applies a row if it is granted; `undefined` if its task has no record. */
  #apply(rows: EntryRows, at: number): 'granted' | 'shown' | 'refused' | undefined {
    const { unfolded } = this.#journal;
    const id = rows.cells[at];
    if (!this.#strangers.hasLeft(id)) return undefined;
    if (this.#refusedIds.size > 0 && this.#refusedIds.has(id)) return 'refused';
    return rows.part === 'starts' ? unfolded.start(rows.cells, at) : unfolded.end(rows, at);
  }

  /** A name that goes and comes in one batch has another number then: what was refused of it still takes its later changes along. */
  #put(names: readonly string[], ids: readonly number[]): void {
    this.#ids.push(...ids);
    if (this.#refusedIds.size === 0) return;
    const refused = new Set(this.#refused.filter(({ missing }) => !missing).map(({ name }) => name));
    for (const [place, name] of names.entries()) if (refused.has(name)) this.#refusedIds.add(ids[place]);
  }

  #refuse(refusal: Refusal, id: number): void {
    this.#refused.push({ ...refusal, id });
    if (refusal.missing === undefined) this.#refusedIds.add(id);
  }
}
