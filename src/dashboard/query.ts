/** What the address of a request asks for, read with bounds: nothing in it can make an answer long. */
import { STATES } from './task-entry.ts';

/** A request that makes no sense; it is answered with 400 and this text. */
export class BadQuery extends Error {}

/** Longer than any sensible search; names may be longer. */
const LONGEST_SEARCH = 200;
const LONGEST_NAME = 10_000;
const MOST_ROWS = 200;

const SORTS = ['name', 'state', 'next', 'last', 'duration', 'failing', 'late'] as const;
export type Sort = (typeof SORTS)[number];
const FILTERS = ['all', 'failing', ...STATES] as const;
export type Filter = (typeof FILTERS)[number];

/** Which tasks, in which order. */
export interface Selection {
  readonly search: string;
  readonly filter: Filter;
  readonly sort: Sort;
  readonly order: 'up' | 'down';
}

/** Which of them. */
export interface Slice {
  readonly offset: number;
  readonly limit: number;
}

export const selectionOf = (query: URLSearchParams): Selection => ({
  search: text(query, 'search', LONGEST_SEARCH).trim().toLowerCase(),
  filter: oneOf(query, 'state', FILTERS, 'all'),
  sort: oneOf(query, 'sort', SORTS, 'name'),
  order: oneOf(query, 'order', ['up', 'down'], 'up'),
});

export const sliceOf = (query: URLSearchParams, usual: number): Slice => ({
  offset: whole(query, 'offset', 0, 0, 100_000_000),
  limit: whole(query, 'limit', usual, 1, MOST_ROWS),
});

export function nameOf(query: URLSearchParams): string {
  const name = text(query, 'name', LONGEST_NAME);
  if (name === '') throw new BadQuery('name is missing: the name of a task');
  return name;
}

function text(query: URLSearchParams, key: string, longest: number): string {
  const value = query.get(key) ?? '';
  if (value.length > longest) throw new BadQuery(`${key} has more than ${longest} characters`);
  return value;
}

export function oneOf<Word extends string>(
  query: URLSearchParams,
  key: string,
  words: readonly Word[],
  usual: Word,
): Word {
  const value = query.get(key);
  if (value === null || value === '') return usual;
  const found = words.find((word) => word === value);
  if (found === undefined) throw new BadQuery(`${key} must be one of ${words.join(', ')}`);
  return found;
}

export function whole(
  query: URLSearchParams,
  key: string,
  usual: number,
  least: number,
  most: number,
): number {
  const value = query.get(key);
  if (value === null || value === '') return usual;
  const count = /^-?\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (!(count >= least && count <= most))
    throw new BadQuery(`${key} must be a whole number from ${least} to ${most}`);
  return count;
}

/** A span of time that is asked for, in epoch milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const LONGEST_SPAN_MS = 70 * 86_400_000;
const FARTHEST = 8e15;

export function spanOf(query: URLSearchParams, usual: Span): Span {
  const from = whole(query, 'from', usual.from, -FARTHEST, FARTHEST);
  const to = whole(query, 'to', usual.to, -FARTHEST, FARTHEST);
  if (to <= from || to - from > LONGEST_SPAN_MS)
    throw new BadQuery('to must be after from, and at most 70 days after it');
  return { from, to };
}
