/** What an attack is: something that the world does to real processes on real files, and what must hold all the same. */
import type { Ground } from './ground.ts';

export interface Attack {
  /** What `npm run attack -- <name>` takes. */
  readonly name: string;
  /** What is done, and what must hold. */
  readonly what: string;
  /** What is counted: kills, files, races. */
  readonly unit: string;
  /** How many of them `npm test` plays; undefined if the attack is left to `npm run attack`. */
  readonly short: number | undefined;
  /** How many of them `npm run attack` plays. */
  readonly long: number;
  /** Why this machine cannot play it, if so: it lacks root, mounts or a compiler. */
  readonly missing?: () => string | undefined;
  play(ground: Ground, count: number): Promise<Outcome>;
}

export interface Outcome {
  /** What must not be; none if the attack was withstood. */
  readonly violations: readonly string[];
  /** What was counted and measured. */
  readonly figures: Readonly<Record<string, number | string>>;
}

/** "12 kills, 340 starts". */
export const figuresInWords = ({ figures }: Outcome): string =>
  Object.entries(figures)
    .map(([what, figure]) => `${what} ${figure}`)
    .join(', ');
