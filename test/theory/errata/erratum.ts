/** The forms that an erratum takes, and how each is shown. */
import assert from 'node:assert/strict';
import type { Position } from '../reference/position.ts';
import { broken, type Theory, waysOn } from './happenings.ts';

/** Nobody can go on from the prefix by the one theory; by the other somebody can, in this way among others. */
export interface Contradiction {
  readonly title: string;
  readonly prefix: readonly Position[];
  /** The scheduler's moves, each with what the environment answers. */
  readonly moves: Readonly<Record<string, readonly Position[]>>;
  readonly length: number;
  readonly way: readonly string[];
}

/** Two theories say two things of one trace: which axioms it breaks. */
export interface Dispute {
  readonly title: string;
  readonly trace: readonly Position[];
  readonly wrongly: readonly string[];
  readonly rightly: readonly string[];
}

export type Erratum = Contradiction | Dispute;

/** Fails unless the erratum shows what it says: that `wrong` is wrong where `right` is right. */
export function show(erratum: Erratum, wrong: Theory, right: Theory): void {
  if ('prefix' in erratum) {
    const { prefix, moves, length, way } = erratum;
    assert.deepEqual(waysOn(wrong, prefix, moves, length), [], `by ${wrong.name} nobody can go on`);
    const ways = waysOn(right, prefix, moves, length).map((one) => one.join());
    assert.ok(ways.includes(way.join()), `by ${right.name} one can go on with ${way.join()}, not ${ways}`);
  } else {
    assert.deepEqual(broken(wrong, erratum.trace), erratum.wrongly, `what ${wrong.name} says`);
    assert.deepEqual(broken(right, erratum.trace), erratum.rightly, `what ${right.name} says`);
  }
}
