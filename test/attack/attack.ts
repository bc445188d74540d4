/** What an attack is: something that the world does to real processes on real files, and what must hold all the same. */
import type { Outcome } from '../outcome.ts';
import type { Ground } from './ground.ts';

export interface Attack {
  /** What `npm run campaign -- attack <name>` takes. */
  readonly name: string;
  /** What is done, and what must hold. */
  readonly what: string;
  /** What is counted: kills, files, races. */
  readonly unit: string;
  /** How many of them `npm test` plays; undefined if the attack is left to the campaign. */
  readonly short: number | undefined;
  /** How many of them the campaign plays. */
  readonly long: number;
  /** Why this machine cannot play it, if so: it lacks root, mounts or a compiler. */
  readonly missing?: () => string | undefined;
  play(ground: Ground, count: number): Promise<Outcome>;
}
