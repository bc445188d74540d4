/**
 * A campaign looks for one class of fault at length. Its units are numbered by seeds, or have names: the worlds of the seeds 1 to
 * 100,000, the bounds of a model. The frame (frame.ts) plays them in portions, and remembers which portions were played.
 */
import type { Outcome } from '../../test/outcome.ts';

export interface Campaign {
  /** One word, or two: `npm run campaign -- attack` plays all campaigns whose first word is that. */
  readonly name: string;
  /** What it looks for. */
  readonly what: string;
  /** What is counted, as "worlds". */
  readonly unit: string;
  /** How many units are the whole, each with a seed; or the names of units, given the words on the command line. */
  readonly whole: number | ((words: readonly string[]) => readonly string[]);
  /** How many units are played at a time. A killed run loses at most so many. */
  readonly portion: number;
  /** How long the whole takes, as "an hour". */
  readonly takes: string;
  /** Why this machine cannot play it, if so. */
  readonly missing?: () => string | undefined;
  play(portion: Portion): Promise<Played>;
}

export interface Portion {
  /** Seeds that follow each other, or names. */
  readonly units: readonly string[];
  /** Aborted when the portion is to end early. A campaign that then rejects has played nothing of it. */
  readonly signal: AbortSignal;
  /** Units that are done; a part of one, too. */
  advance(by?: number): void;
  /** A line for whoever watches. */
  say(line: string): void;
}

export interface Played extends Outcome {
  /** How many units were played, from the first one on. */
  readonly done: number;
}

/** The names that contain one of the words; all of them without words. */
export const named =
  (names: readonly string[]) =>
  (words: readonly string[]): readonly string[] =>
    names.filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
