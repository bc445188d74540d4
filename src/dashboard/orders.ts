/**
 * Which tasks a question finds, in which order, worked out once per snapshot for all who ask it. The next snapshot takes the former order, and only puts the
 * tasks that have changed into their new places: a walk over numbers, without sorting all of them.
 *
 * An order holds places in the list of a layout. It lives as long as that list.
 */
import type { Layout } from './entries.ts';
import { latenessOf } from './lateness.ts';
import type { Past } from './past.ts';
import type { Selection, Sort } from './query.ts';
import type { Snapshot } from './snapshot.ts';
import { lastEndOf, STATES, type TaskEntry } from './task-entry.ts';

/** Orders that are kept: viewers ask the same few questions again and again. */
const MOST_ORDERS = 8;
/** If more than one in so many tasks has changed, all are sorted. */
const SORTED_ANEW = 4;

/** The answer to a question. */
export interface Selected {
  readonly length: number;
  /** Some of it. */
  slice(offset: number, limit: number): TaskEntry[];
}

interface Order {
  readonly revision: number;
  /** Places in the list, in order. */
  readonly places: Uint32Array;
  /** By place: what it is sorted by. Equal ones come in the order of their names. */
  readonly keys: Float64Array;
}

export class Orders {
  readonly #past: Past;
  /** By list, then by question, the one asked last at the end. */
  readonly #known = new WeakMap<Layout['list'], Map<string, Order>>();

  constructor(past: Past) {
    this.#past = past;
  }

  of(snapshot: Snapshot, selection: Selection): Selected {
    const { list } = snapshot;
    const { places } = this.#order(snapshot, selection);
    return {
      length: places.length,
      slice: (offset, limit) => Array.from(places.subarray(offset, offset + limit), (place) => list[place]),
    };
  }

  #order(snapshot: Snapshot, selection: Selection): Order {
    const { list, revision } = snapshot;
    const orders = this.#known.get(list) ?? new Map<string, Order>();
    this.#known.set(list, orders);
    const question = JSON.stringify(selection);
    const former = orders.get(question);
    const order = former?.revision === revision ? former : this.#orderAfter(former, snapshot, selection);
    orders.delete(question);
    const [oldest] = orders.keys();
    if (orders.size >= MOST_ORDERS && oldest !== undefined) orders.delete(oldest);
    orders.set(question, order);
    return order;
  }

  #orderAfter(former: Order | undefined, snapshot: Snapshot, selection: Selection): Order {
    const { list, changedIn, revision } = snapshot;
    // Runs that are forgotten change the lateness of tasks that have not changed.
    const isLost = selection.sort === 'late' && Number.isFinite(this.#past.since);
    const changed = former === undefined || isLost ? undefined : changedAfter(changedIn, former.revision);
    const isFew = changed !== undefined && changed.length * SORTED_ANEW <= list.length;
    const keys = former !== undefined && isFew ? former.keys.slice() : new Float64Array(list.length);
    const added: number[] = [];
    for (const place of isFew ? changed : list.keys()) {
      if (!isWanted(list[place], selection)) continue;
      keys[place] = this.#keyOf(list[place], place, selection);
      added.push(place);
    }
    const places =
      former !== undefined && isFew
        ? merged(former.places, changed, sortedFew(added, keys), keys)
        : sortedAll(added, keys);
    return { revision, places, keys };
  }

  /** Those that have no such thing come last, whichever way. */
  #keyOf(entry: TaskEntry, place: number, { sort, order }: Selection): number {
    const key = sort === 'name' ? place : sortValueOf(entry, sort, this.#past);
    if (!Number.isFinite(key)) return Number.POSITIVE_INFINITY;
    return order === 'up' ? key : -key;
  }
}

/** What a task is sorted by; not finite if it has no such thing. */
function sortValueOf(entry: TaskEntry, sort: Exclude<Sort, 'name'>, past: Past): number {
  const { record, state } = entry;
  switch (sort) {
    case 'state':
      return STATES.indexOf(state);
    case 'next':
      return entry.nextStartAt ?? Number.NaN;
    case 'last':
      return lastEndOf(entry);
    case 'duration':
      return record.lastDurationMs ?? Number.NaN;
    case 'failing':
      return record.failingSince ?? Number.NaN;
    case 'late':
      return latenessOf(entry, past.of(record.name));
  }
}

function isWanted({ lower, record, state }: TaskEntry, { search, filter }: Selection): boolean {
  if (search !== '' && !lower.includes(search)) return false;
  return filter === 'all' || (filter === 'failing' ? record.failures > 0 : state === filter);
}

function changedAfter(changedIn: Uint32Array, revision: number): number[] {
  const places: number[] = [];
  for (let place = 0; place < changedIn.length; place++) if (changedIn[place] > revision) places.push(place);
  return places;
}

const sortedFew = (places: number[], keys: Float64Array): number[] =>
  places.sort((a, b) => (keys[a] === keys[b] ? a - b : keys[a] - keys[b]));

/**
 * Sorts many places, which come in their order. Numbers alone are sorted several times as fast as by a function that compares, so the keys are; then each
 * place is put where its key has gone.
 */
function sortedAll(places: readonly number[], keys: Float64Array): Uint32Array {
  const values = Float64Array.from(places, (place) => keys[place]).sort();
  const taken = new Uint32Array(values.length);
  const sorted = new Uint32Array(values.length);
  for (const place of places) {
    const first = firstNotBefore(values, keys[place]);
    sorted[first + taken[first]++] = place;
  }
  return sorted;
}

function firstNotBefore(values: Float64Array, least: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The former order without the places that have changed, and with those of them that are wanted still. */
function merged(
  former: Uint32Array,
  changed: readonly number[],
  added: readonly number[],
  keys: Float64Array,
): Uint32Array {
  const isChanged = new Uint8Array(keys.length);
  for (const place of changed) isChanged[place] = 1;
  const places = new Uint32Array(former.length + added.length);
  let [count, next] = [0, 0];
  for (const place of former) {
    if (isChanged[place] === 1) continue;
    while (next < added.length && isBefore(added[next], place, keys)) places[count++] = added[next++];
    places[count++] = place;
  }
  while (next < added.length) places[count++] = added[next++];
  return places.slice(0, count);
}

const isBefore = (a: number, b: number, keys: Float64Array): boolean =>
  keys[a] < keys[b] || (keys[a] === keys[b] && a < b);
