/**
 * Numbers, instants and names of a state, as characters. One schema (`codec.ts`) serves three passes: it is *measured*, to rank the instants,
 * then *written*; and it is *read*. What no decision can tell apart has one form, so that it is one state:
 *
 * - instants keep their order and what is equal, and nothing else; the present is always the same number;
 * - runs are numbered per instance in the order in which the schema meets them;
 * - the requests of an instance are numbered in their order;
 * - versions of a name keep their order and what is equal; the highest is always the same number;
 * - leases are whole ticks from now, and one that is over is over; of an epoch only whether it is the last one.
 */
import { idOf, TICK_MS } from './world.ts';

/** The present, in every state that was read. */
export const NOW = 1_000_000;
const LAST_EPOCH = 10;
/** The highest version of each name, in every state that was read. */
export const HIGHEST = 1000;
const FUTURE = 128;
const FUTURE_MS = TICK_MS / 2;

export class Coder {
  now = NOW;
  epoch = LAST_EPOCH;
  #mode: 'measure' | 'write' | 'read' = 'measure';
  #codes: number[] = [];
  #text = '';
  #at = 0;
  readonly #instants = new Set<number>();
  readonly #ranks = new Map<number, number>();
  readonly #sent = new Map<string, number[]>();
  readonly #versions = new Map<string, number[]>();
  readonly #runs = new Map<string, number>();
  readonly #runCounts = new Map<string, number>();

  write(now: number, epoch: number, schema: () => void): string {
    this.now = now;
    this.epoch = epoch;
    this.#instants.clear();
    this.#sent.clear();
    this.#versions.clear();
    this.#mode = 'measure';
    schema();
    this.#rank();
    this.#mode = 'write';
    this.#codes = [];
    this.#runs.clear();
    this.#runCounts.clear();
    schema();
    return String.fromCharCode(...this.#codes);
  }

  read<T>(text: string, schema: () => T): T {
    this.now = NOW;
    this.epoch = LAST_EPOCH;
    this.#mode = 'read';
    this.#text = text;
    this.#at = 0;
    return schema();
  }

  int(value = 0): number {
    if (this.#mode === 'read') return this.#text.charCodeAt(this.#at++);
    if (this.#mode === 'write') this.#codes.push(value);
    return value;
  }

  /** One of a table. */
  of<T>(table: readonly T[], value: T | undefined): T {
    return table[this.int(value === undefined ? 0 : table.indexOf(value))];
  }

  orNull<T>(value: T | null | undefined, code: (value: T | undefined) => T): T | null {
    return this.int(value == null ? 0 : 1) === 1 ? code(value ?? undefined) : null;
  }

  list<T>(values: Iterable<T> | undefined, code: (value: T | undefined) => T): T[] {
    const given: readonly T[] = Array.isArray(values) ? values : [...(values ?? [])];
    const length = this.int(given.length);
    const all: T[] = [];
    for (let index = 0; index < length; index++) all.push(code(given[index]));
    return all;
  }

  instant(value = 0): number {
    if (this.#mode === 'measure') this.#instants.add(value);
    if (this.#mode !== 'read') return this.int(this.#ranks.get(value));
    const rank = this.int();
    return rank < FUTURE ? NOW - rank : NOW + FUTURE_MS + rank - FUTURE;
  }

  /** An instant as whole ticks from now, between bounds. */
  ticks(value: number | undefined, least: number, most: number): number {
    const ticks = Math.round(((value ?? this.now) - this.now) / TICK_MS);
    const kept = this.int(Math.min(Math.max(ticks, least), most) - least) + least;
    return this.#mode === 'read' ? NOW + kept * TICK_MS : this.now + kept * TICK_MS;
  }

  /** The number of a request of an instance. */
  sent(id: string, value = 0): number {
    const known = this.#sent.get(id) ?? [];
    if (this.#mode === 'measure' && !known.includes(value)) this.#sent.set(id, [...known, value]);
    return this.int(this.#mode === 'write' ? known.filter((other) => other < value).length : 0);
  }

  /** A version of a name. */
  version(name: string, value = 0): number {
    const known = this.#versions.get(name) ?? [];
    if (this.#mode === 'measure' && !known.includes(value)) this.#versions.set(name, [...known, value]);
    return HIGHEST - this.int(this.#mode === 'write' ? known.filter((other) => other > value).length : 0);
  }

  epochOf(value = 0): number {
    return this.int(value === this.epoch ? 1 : 0) === 1 ? this.epoch : this.epoch - 1;
  }

  id(value = 'a0'): string {
    const code = this.int((value.charCodeAt(0) - 97) * 16 + Number(value.slice(1)));
    return this.#mode === 'read' ? idOf(code >> 4, code % 16) : value;
  }

  /** A run's id, `a1.2`: by which instance, and a number. */
  runId(value = 'a0.0'): string {
    const id = this.id(value.slice(0, value.indexOf('.')));
    const number = this.int(this.#mode === 'write' ? this.#numberOf(id, value) : 0);
    return this.#mode === 'read' ? `${id}.${number}` : value;
  }

  #numberOf(id: string, runId: string): number {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const number = (this.#runCounts.get(id) ?? 0) + 1;
    this.#runCounts.set(id, number);
    this.#runs.set(runId, number);
    return number;
  }

  /** The present is 0, what is past counts from 1 backwards, what is to come from `FUTURE` onwards. */
  #rank(): void {
    this.#ranks.clear();
    const sorted = [...this.#instants].sort((a, b) => a - b);
    let past = sorted.filter((instant) => instant < this.now).length;
    let future = FUTURE;
    for (const instant of sorted) {
      if (instant < this.now) this.#ranks.set(instant, past--);
      else this.#ranks.set(instant, instant === this.now ? 0 : future++);
    }
  }
}
