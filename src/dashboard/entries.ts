/**
 * The entries of all tasks, in the order of their names, brought up to date at each look.
 *
 *     laid out ──the same names come──▶ laid out: entries whose record or state is another one are replaced in place
 *        └──other names come──▶ laid out anew: all are sorted
 *
 * So a look that finds little changed does little: one comparison of objects and one of numbers per task. The list and the map are shared by all who
 * look, and are never half of one layout and half of another: a new layout is a new list and a new map.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TaskRecord } from '../index.ts';
import { type EntryContext, entryOf, lastEndOf, STATES, type State, type TaskEntry } from './task-entry.ts';

/** For so long the event loop waits at most. */
const TURN_MS = 8;
/** Records between two looks at the clock. */
const RECORDS_PER_LOOK = 250;

export type Counts = Readonly<Record<State | 'all' | 'failing', number>>;

/** What a look has found. */
export interface Change {
  /** The names of the tasks that show something else than before. */
  readonly names: readonly string[];
  /** Whether there are other tasks than before. */
  readonly isNewLayout: boolean;
  /** Whether a run may have ended. */
  readonly hasEnds: boolean;
}

/** Entries that belong together. */
export interface Layout {
  /** In the order of the names. */
  readonly list: readonly TaskEntry[];
  readonly byName: ReadonlyMap<string, TaskEntry>;
  /** The revision in which each entry of the list has changed last. */
  readonly changedIn: Uint32Array;
}

interface Laid extends Layout {
  readonly list: TaskEntry[];
  readonly byName: Map<string, TaskEntry>;
  /** Where the record of each is in what the store answers. */
  readonly places: Uint32Array;
  /** From which instant on each shows something else if nothing happens to it. */
  readonly changesAt: Float64Array;
}

/** One task of a look. */
interface Place {
  readonly laid: Laid;
  readonly index: number;
  readonly record: TaskRecord;
  readonly revision: number;
}

/** What a look has found so far. */
interface Found extends Change {
  readonly names: string[];
  hasEnds: boolean;
}

const NOTHING: Laid = {
  list: [],
  byName: new Map(),
  changedIn: new Uint32Array(),
  places: new Uint32Array(),
  changesAt: new Float64Array(),
};

export class Entries {
  #laid = NOTHING;
  #records: readonly TaskRecord[] | undefined;
  #owner: EntryContext['owner'] = 'unknown';
  #timeZone = '';
  #at = 0;
  #counts: Record<keyof Counts, number> = noCounts();

  get layout(): Layout {
    return this.#laid;
  }

  get counts(): Counts {
    return { ...this.#counts };
  }

  /** Brings everything up to date; what changes belongs to this revision. */
  async update(records: readonly TaskRecord[], context: EntryContext, revision: number): Promise<Change> {
    const isNewLayout = !this.#fits(records);
    const laid = isNewLayout ? newLayout(records) : this.#laid;
    if (isNewLayout) this.#counts = noCounts();
    // Time that goes on changes what some tasks show. Another owner or zone, or a clock that was set back, may change every state.
    const isOther =
      isNewLayout ||
      context.owner !== this.#owner ||
      context.timeZone !== this.#timeZone ||
      context.at < this.#at;
    const before = this.#records ?? [];
    const change: Found = { names: [], isNewLayout, hasEnds: false };
    let begun = performance.now();
    for (let index = 0; index < laid.places.length; index++) {
      const place = laid.places[index];
      if (isOther || before[place] !== records[place] || laid.changesAt[index] < context.at)
        this.#renew({ laid, index, record: records[place], revision }, context, change);
      if (index % RECORDS_PER_LOOK === 0 && performance.now() - begun > TURN_MS) {
        await nextTurn();
        begun = performance.now();
      }
    }
    this.#laid = laid;
    this.#records = records;
    this.#owner = context.owner;
    this.#timeZone = context.timeZone;
    this.#at = context.at;
    return change;
  }

  #renew({ laid, index, record, revision }: Place, context: EntryContext, change: Found): void {
    const former = change.isNewLayout ? this.#laid.byName.get(record.name) : laid.list[index];
    const entry = entryOf(record, former, context);
    laid.changesAt[index] = entry.changesAt;
    if (entry !== former) {
      change.names.push(record.name);
      change.hasEnds ||= former === undefined || isOver(former, entry);
    } else if (!change.isNewLayout) return;
    laid.list[index] = entry;
    laid.byName.set(record.name, entry);
    laid.changedIn[index] = revision;
    if (former !== undefined && !change.isNewLayout) this.#count(former, -1);
    this.#count(entry, 1);
  }

  #count({ state, record }: TaskEntry, by: 1 | -1): void {
    this.#counts.all += by;
    this.#counts[state] += by;
    if (record.failures > 0) this.#counts.failing += by;
  }

  /** Whether the records are of the same tasks, in the same order. Most are the same objects. */
  #fits(records: readonly TaskRecord[]): boolean {
    const former = this.#records;
    if (former === undefined || records.length !== former.length) return false;
    for (let place = 0; place < records.length; place++)
      if (records[place] !== former[place] && records[place].name !== former[place].name) return false;
    return true;
  }
}

/** Whether a run has ended between two looks. The end of one that was cut off is in no record of the task, only in the history. */
const isOver = (former: TaskEntry, entry: TaskEntry): boolean =>
  lastEndOf(former) !== lastEndOf(entry) ||
  (former.record.run !== null && former.record.run.runId !== entry.record.run?.runId);

export const noCounts = (): Record<keyof Counts, number> => ({
  all: 0,
  failing: 0,
  ...(Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>),
});

function newLayout(records: readonly TaskRecord[]): Laid {
  const places = Uint32Array.from(records, (_, place) => place);
  places.sort((a, b) => (records[a].name < records[b].name ? -1 : 1));
  return {
    list: [],
    byName: new Map(),
    changedIn: new Uint32Array(records.length),
    places,
    changesAt: new Float64Array(records.length),
  };
}
