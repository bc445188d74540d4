/** Options as they were typed, read as what a command wants. A value that makes no sense is a usage error with an example. */

import { hostZoneName, type Zone, zoneOf } from '../../cron/index.ts';
import { HostTimeZoneError, UnknownTimeZoneError } from '../../errors.ts';
import { CliError } from '../errors.ts';
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
    throw new CliError(
      'usage',
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
    throw new CliError(
      'usage',
      `--${option} takes a number of 0 or more, such as --${option} 1.5; got "${printable(text)}"`,
    );
  }
  return Number(text);
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A length of time as it is typed, "90s", "15m", "2h" or "3d", in milliseconds; undefined for anything else. */
export function readSpan(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS[unit];
}

/** A length of time, in milliseconds. */
export function spanOf(args: Arguments, { option, fallback }: { option: string; fallback: string }): number {
  const text = textOf(args, option) ?? fallback;
  const span = readSpan(text);
  if (span !== undefined) return span;
  throw new CliError(
    'usage',
    `--${option} takes a time such as 90s, 15m, 2h or 3d; got "${printable(text)}"`,
  );
}

/** The zone in which a schedule runs: the one that was asked for, else the host's (B2). Throws a usage error for what is no zone. */
export function readZone(name: string | undefined): Zone {
  try {
    return zoneOf(name ?? hostZoneName());
  } catch (error) {
    if (error instanceof UnknownTimeZoneError) throw new CliError('usage', printable(error.message));
    if (!(error instanceof HostTimeZoneError)) throw error;
    throw new CliError(
      'usage',
      `The host's TZ="${printable(error.setting)}" names no IANA zone; set it to one, such as TZ=Europe/Stockholm`,
    );
  }
}
