/**
 * The files of one trace: `trace.jsonl` is being written, `trace.jsonl.1`, `.2`, … were, the highest number last. A number, once
 * given, stays: rotating is one rename, however many files there are, and a reader at the same time is never misled.
 */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The numbers of the rotated files, oldest first. */
export function rotatedNumbers(path: string): number[] {
  const prefix = `${basename(path)}.`;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^[1-9]\d{0,14}$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .sort((a, b) => a - b);
}

export const rotatedPath = (path: string, number: number): string =>
  join(dirname(path), `${basename(path)}.${number}`);
