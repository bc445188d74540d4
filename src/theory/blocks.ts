/**
 * Old time, condensed: a *block* is a span of which only all or nothing is asked, so that the order of what is in it does not
 * matter. It is laid by density, least first, and what is alike becomes one stretch.
 */
import { join, type Stretch, type Stretches } from './stretches.ts';

/** As many densities between none and one unit a millisecond, or beyond, are told apart within a block. */
const MOST_DENSITIES = 32;

/** A part of a block: so much time of a density. Without a cause it is the usual one unit a millisecond. */
export interface Part {
  readonly ms: number;
  readonly density: number;
  readonly cause: Stretch['cause'] | undefined;
}

/** What [from, to] is made of: every millisecond of it in exactly one part. */
export function partsOf(stretches: Stretches, from: number, to: number): readonly Part[] {
  const parts: Part[] = [];
  let at = from;
  for (let i = stretches.endingAfter(from); i < stretches.length; i++) {
    const stretch = stretches.at(i);
    if (stretch.from >= to) break;
    const begin = Math.max(stretch.from, from);
    const end = Math.min(stretch.to, to);
    if (begin > at) parts.push({ ms: begin - at, density: 1, cause: undefined });
    parts.push({ ms: end - begin, density: stretch.density, cause: stretch.cause });
    at = end;
  }
  if (to > at) parts.push({ ms: to - at, density: 1, cause: undefined });
  return parts;
}

/** The parts without so much of their densest time. */
export function withoutDensest(parts: readonly Part[], ms: number): readonly Part[] {
  let left = ms;
  return parts
    .toSorted((a, b) => b.density - a.density)
    .map((part) => {
      const taken = Math.min(left, part.ms);
      left -= taken;
      return { ...part, ms: part.ms - taken };
    })
    .filter((part) => part.ms > 0);
}

/** The stretches of a block that begins at an instant. */
export function laid(from: number, parts: readonly Part[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let at = from;
  for (const { ms, density, cause } of coarse(alike(parts))) {
    if (cause !== undefined) join(stretches, { from: at, to: at + ms, density, cause });
    at += ms;
  }
  return stretches;
}

/** One part for each density and cause, by density. */
function alike(parts: readonly Part[]): readonly Part[] {
  const sums = new Map<string, Part>();
  for (const part of parts) {
    const key = `${part.density} ${part.cause ?? ''}`;
    const { ms } = sums.get(key) ?? { ms: 0 };
    sums.set(key, { ...part, ms: ms + part.ms });
  }
  return [...sums.values()].sort((a, b) => a.density - b.density);
}

/** Too many densities: neighbours share the lowest among them, in favour of who has to do the work. */
function coarse(parts: readonly Part[]): readonly Part[] {
  const isOdd = ({ density }: Part): boolean => density !== 0 && density !== 1;
  const odd = parts.filter(isOdd);
  const together = Math.ceil(odd.length / MOST_DENSITIES);
  if (together <= 1) return parts;
  const lowered = odd.map((part, i) => ({ ...part, density: odd[i - (i % together)].density }));
  return alike([...parts.filter((part) => !isOdd(part)), ...lowered]);
}
