/**
 * Traces of the schedulers that need a server. They are recorded with real servers by `--record`, and kept next to this file, so that they can be
 * judged again on a machine that has none.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a recording was made with. */
export interface About {
  /** The day, as 2026-11-17. */
  readonly date: string;
  readonly node: string;
  /** The version of the scheduler. */
  readonly version: string;
  /** "PostgreSQL 18.4". */
  readonly server?: string;
  /** Why nothing was recorded. */
  readonly notRun?: string;
}

const folder = join(import.meta.dirname, 'recorded');

export const tracePath = (scheduler: string, scenario: string): string =>
  join(folder, scheduler, `${scenario}.jsonl`);

export function keepTrace(scheduler: string, scenario: string, traceFile: string): void {
  mkdirSync(join(folder, scheduler), { recursive: true });
  copyFileSync(traceFile, tracePath(scheduler, scenario));
}

const aboutPath = (scheduler: string): string => join(folder, scheduler, 'about.json');

export function aboutOf(scheduler: string): Partial<About> {
  const path = aboutPath(scheduler);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { notRun: 'no trace was recorded' };
}

/** Without the traces of an earlier recording, if nothing can be recorded now. */
export function keepAbout(scheduler: string, about: About): void {
  if (about.notRun !== undefined) rmSync(join(folder, scheduler), { recursive: true, force: true });
  mkdirSync(join(folder, scheduler), { recursive: true });
  writeFileSync(aboutPath(scheduler), `${JSON.stringify(about, undefined, 2)}\n`);
}
