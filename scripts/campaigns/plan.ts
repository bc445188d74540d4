/** What a run plays: exactly the seeds or names that it is asked for, else what earlier runs of the same code have left. */
import { randomInt } from 'node:crypto';
import type { Campaign } from './campaign.ts';
import type { Entry } from './ledger.ts';
import { type Order, UsageError } from './order.ts';

export interface Plan {
  /** The portions that it goes on from. */
  readonly known: readonly Entry[];
  /** The first seed of the series; undefined where units have names. */
  readonly series?: number;
  readonly total: number;
  /** So many units, from a place on. */
  units(place: number, count: number): readonly string[];
}

type Wish = Pick<Order, 'seed' | 'count' | 'words'>;

export const planOf = (campaign: Campaign, wish: Wish, before: readonly Entry[]): Plan =>
  typeof campaign.whole === 'number'
    ? ofSeeds(campaign.whole, wish, before)
    : ofNames(campaign, wish, before);

/** The names of the units that the words choose. */
export function namesOf({ name, whole }: Campaign, words: readonly string[]): readonly string[] {
  const names = typeof whole === 'number' ? [] : whole(words);
  if (names.length === 0 && words.length > 0)
    throw new UsageError(`${name} has nothing named "${words.join('", "')}"; --help shows the names`);
  return names;
}

function ofSeeds(whole: number, { seed, count }: Wish, before: readonly Entry[]): Plan {
  const known = seed === undefined ? longest(before) : [];
  const series = seed ?? known[0]?.series ?? randomInt(1, 900_000_000);
  const next = reach(known) ?? series;
  return {
    known,
    series,
    total: count ?? Math.max(0, series + whole - next),
    units: (place, length) => Array.from({ length }, (_, index) => String(next + place + index)),
  };
}

/** A look at single seeds does not divert a run from the series that is being played. */
function longest(entries: readonly Entry[]): readonly Entry[] {
  const all = [...Map.groupBy(entries, ({ series }) => series).values()];
  const length = (series: readonly Entry[]): number => (reach(series) ?? 0) - (series[0].series ?? 0);
  return all.reduce((best, one) => (best.length > 0 && length(best) > length(one) ? best : one), []);
}

/** The first seed that was not played. */
function reach(entries: readonly Entry[]): number | undefined {
  return entries.length === 0 ? undefined : Math.max(...entries.map(({ last }) => Number(last) + 1));
}

function ofNames(campaign: Campaign, { seed, count, words }: Wish, before: readonly Entry[]): Plan {
  if (seed !== undefined) throw new UsageError(`${campaign.name} draws nothing, so it takes no seed`);
  const names = namesOf(campaign, words);
  const known = words.length === 0 ? before : [];
  const played = new Set(known.flatMap((entry) => entry.names ?? []));
  const left = names.filter((name) => !played.has(name)).slice(0, count);
  return {
    known,
    total: left.length,
    units: (place, length) => left.slice(place, place + length),
  };
}
