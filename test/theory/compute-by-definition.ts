/** `compute(S)` and `F_comp!` as they are defined: millisecond by millisecond, from all that was ever said. */
import { bitOf, type Cause } from '../../src/theory/delays/compute.ts';

export interface Word {
  readonly from: number;
  readonly to: number;
  readonly density: number;
  readonly cause: Cause;
}

export class ByDefinition {
  readonly #words: Word[] = [];

  set(word: Word): void {
    this.#words.push(word);
  }

  /** What was said last of each millisecond. */
  #of(from: number, to: number): readonly (Word | undefined)[] {
    return Array.from({ length: Math.max(0, to - from) }, (_, i) =>
      this.#words.findLast((word) => word.from <= from + i && from + i < word.to),
    );
  }

  /** What is left of the compute when the densest `lagMs` are not counted. */
  spent(from: number, to: number, lagMs: number): number {
    return this.#of(from, to)
      .map((word) => word?.density ?? 1)
      .sort((a, b) => b - a)
      .slice(lagMs)
      .reduce((sum, density) => sum + density, 0);
  }

  lagOf(from: number, to: number): number {
    return this.#of(from, to).filter((word) => word?.density !== 0).length;
  }

  causes(from: number, to: number): number {
    return this.#of(from, to).reduce(
      (causes, word) => (word !== undefined && word.density < 1 ? causes | bitOf[word.cause] : causes),
      0,
    );
  }
}
