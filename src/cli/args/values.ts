/** Options as they were typed, read as what a command wants of them. What makes no sense is a `UsageError` with an example. */
import type { Zone } from '../../time/zone.ts';
import { UsageError } from '../errors.ts';
import { printable } from '../terminal/text.ts';
import { readMoment } from '../words.ts';
import type { Arguments, Io } from './command.ts';

/** The text of an option, or undefined if it was not given. */
export function textOf({ values }: Arguments, option: string): string | undefined {
  const value = values[option];
  return typeof value === 'string' ? value : undefined;
}

/** Whether a switch was given. */
export const isGiven = ({ values }: Arguments, option: string): boolean => values[option] === true;

/** The instant that `--from` names, read in a zone; now if it is not given. */
export function momentOf(io: Io, { values: { from } }: Arguments, zone: Zone): number {
  return typeof from === 'string' ? readMoment(from, zone) : io.now();
}

interface Count {
  readonly option: string;
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

/** A whole number in a range. */
export function countOf(args: Arguments, { option, fallback, min, max }: Count): number {
  const text = textOf(args, option);
  if (text === undefined) return fallback;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count >= min && count <= max)) {
    throw new UsageError(
      `--${option} takes a whole number from ${min} to ${max}, such as --${option} ${fallback}; got "${printable(text)}"`,
    );
  }
  return count;
}

interface Amount {
  readonly option: string;
  readonly fallback: number;
}

/** A number of 0 or more, with a fraction if need be. */
export function amountOf(args: Arguments, { option, fallback }: Amount): number {
  const text = textOf(args, option);
  if (text === undefined) return fallback;
  if (!/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) {
    throw new UsageError(
      `--${option} takes a number of 0 or more, such as --${option} 1.5; got "${printable(text)}"`,
    );
  }
  return Number(text);
}
