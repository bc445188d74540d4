/**
 * A time zone as segments: stretches of time in which the offset from UTC is constant.
 *
 * Inside a segment local time is the instant plus a constant, so it never jumps. A walk over instants, segment by segment,
 * therefore never meets a skipped minute, and meets a repeated one twice (B1), without a rule for either.
 *
 * Segments are found by probing `Intl` every three days and bisecting where the offset changed; no zone of the tz database has
 * two transitions that close (the shortest distance since 1970 is 6.96 days). They are found a block at a time, about thirteen
 * months, when first asked for, and kept. A segment also ends where its block does, although the offset goes on: that cut is
 * harmless, since the offset is the same on the other side.
 */
import { offsetsOf } from './offsets.ts';
import { mendCase } from './zone-names.ts';

/**
 * A stretch of time in which the offset of a zone is constant: `offset` is what to add to an instant to get local time, in
 * milliseconds; `end` is exclusive.
 */
export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
}

/** The farthest instant that a `Date` can hold, either way. */
export const MAX_INSTANT = 8.64e15;

/** Divides the whole range of `Date`, and is whole seconds, so that no transition falls between two probes' seconds. */
const BLOCK_MS = 400 * 86_400_000;
const PROBE_MS = 3 * 86_400_000;
/** Blocks kept per zone, a power of two: five centuries. A longer walk overwrites the oldest blocks. */
const KEPT_BLOCKS = 512;

interface Block {
  readonly index: number;
  readonly segments: readonly Segment[];
}

/** A time zone: an offset from UTC for every instant. `zoneOf` makes one. */
export class Zone {
  readonly name: string;
  readonly #offsetAt: (instant: number) => number;
  #blocks: (Block | undefined)[] = new Array(KEPT_BLOCKS).fill(undefined);
  #latest: Segment;

  constructor(name: string, offsetAt: (instant: number) => number) {
    this.name = name;
    this.#offsetAt = offsetAt;
    this.#latest = { start: Number.NaN, end: Number.NaN, offset: 0 };
    if (name === 'UTC') {
      this.#latest = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY, offset: 0 };
    }
  }

  /** The same zone under another of its names; whatever segments one finds, the other has too. */
  renamed(name: string): Zone {
    const twin = new Zone(name, this.#offsetAt);
    twin.#blocks = this.#blocks;
    twin.#latest = this.#latest;
    return twin;
  }

  /** The segment that holds an instant. */
  at(instant: number): Segment {
    const latest = this.#latest;
    if (instant >= latest.start && instant < latest.end) return latest;
    const index = Math.floor(instant / BLOCK_MS) | 0;
    let block = this.#blocks[index & (KEPT_BLOCKS - 1)];
    if (block === undefined || block.index !== index) block = this.#keep(index);
    const { segments } = block;
    let position = 0;
    while (instant >= segments[position].end) position++;
    this.#latest = segments[position];
    return this.#latest;
  }

  #keep(index: number): Block {
    const block = { index, segments: this.#survey(index) };
    this.#blocks[index & (KEPT_BLOCKS - 1)] = block;
    return block;
  }

  /** Finds all segments of a block. The outermost blocks reach to infinity, where no `Date` does. */
  #survey(index: number): readonly Segment[] {
    const first = Math.max(index * BLOCK_MS, -MAX_INSTANT);
    const last = Math.min((index + 1) * BLOCK_MS, MAX_INSTANT);
    const segments: Segment[] = [];
    let start = first === -MAX_INSTANT ? Number.NEGATIVE_INFINITY : first;
    let offset = this.#offsetAt(first);
    for (let from = first; from < last; ) {
      const to = Math.min(from + PROBE_MS, last);
      if (this.#offsetAt(to) === offset) {
        from = to;
        continue;
      }
      from = this.#change(from, to, offset);
      segments.push({ start, end: from, offset });
      start = from;
      offset = this.#offsetAt(from);
    }
    segments.push({ start, end: last === MAX_INSTANT ? Number.POSITIVE_INFINITY : last, offset });
    return segments;
  }

  /** The first instant after `from` whose offset is not `offset`; `to` is known to be such. Transitions fall on whole seconds. */
  #change(from: number, to: number, offset: number): number {
    let same = from / 1000;
    let other = to / 1000;
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (this.#offsetAt(middle * 1000) === offset) same = middle;
      else other = middle;
    }
    return other * 1000;
  }
}

const zones = new Map<string, Zone>();

/** More than all the names there are; a bound against one name in very many spellings. */
const MAX_NAMES = 4096;

/**
 * The zone of an IANA name, in any letter case. It has the name that was asked for, in its right case. All names of a zone share
 * its segments, so that those are found once per process.
 */
export function zoneOf(written: string): Zone {
  const known = zones.get(written);
  if (known !== undefined) return known;
  const { canonical, offsetAt } = offsetsOf(written);
  const original = zones.get(canonical) ?? new Zone(canonical, offsetAt);
  zones.set(canonical, original);
  const name = mendCase(written, canonical);
  const zone = zones.get(name) ?? original.renamed(name);
  if (zones.size < MAX_NAMES) zones.set(name, zone).set(written, zone);
  return zone;
}
