/** From the entries of a crontab to tasks of ours, with everything that could not be carried over, by line. */

import { rewriteCrontab, zoneOf } from '../../cron/index.ts';
import { UnknownTimeZoneError } from '../../errors.ts';
import { counted } from '../terminal/text.ts';
import type { Entry, Job } from './entries.ts';

import { idiomNote } from './idioms.ts';
import { nameOf, UniqueNames } from './names.ts';
import { NOTHING_SET, type Surroundings, set } from './variables.ts';

export interface ImportedTask {
  readonly kind: 'task';
  readonly line: number;
  readonly name: string;
  readonly cron: string;
  readonly command: string;
  readonly stdin: string | undefined;
  readonly user: string | undefined;
  readonly surroundings: Surroundings;
  /** Its own zone; undefined for that of the scheduler. */
  readonly timeZone: string | undefined;
}

/** A job that has no place in the configuration; it stays in it as a comment. */
export interface LeftOut {
  readonly kind: 'left out';
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

export type Item =
  | ImportedTask
  | LeftOut
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'blank' };

export interface Note {
  /** 0 for what concerns all of it. */
  readonly line: number;
  readonly text: string;
}

export interface Conversion {
  readonly items: readonly Item[];
  readonly tasks: readonly ImportedTask[];
  readonly leftOut: readonly LeftOut[];
  /** The zone of the scheduler; undefined for the host's. */
  readonly timeZone: string | undefined;
  readonly notes: readonly Note[];
}

export function convert(entries: readonly Entry[]): Conversion {
  const notes: Note[] = [];
  const items: Item[] = [];
  const names = new UniqueNames();
  const placed = place(entries, notes);
  const timeZone = commonZone(placed);
  for (const { entry, surroundings } of placed) {
    if (entry.kind === 'blank') items.push({ kind: 'blank' });
    else if (entry.kind === 'comment') items.push({ kind: 'comment', text: entry.text });
    else if (entry.kind === 'unreadable') {
      items.push({ kind: 'left out', line: entry.line, text: entry.text, reason: entry.reason });
    } else if (entry.kind === 'job') items.push(convertJob(entry, surroundings, timeZone, names, notes));
  }
  const tasks = items.filter((item) => item.kind === 'task');
  const leftOut = items.filter((item) => item.kind === 'left out');
  noteUsers(tasks, notes);
  notes.push(...leftOut.map(({ line, reason }) => ({ line, text: `left out: ${reason}` })));
  notes.sort((a, b) => a.line - b.line);
  return { items, tasks, leftOut, timeZone, notes };
}

interface Placed {
  readonly entry: Entry;
  readonly surroundings: Surroundings;
}

/** Every entry with the variables that are set where it stands. */
function place(entries: readonly Entry[], notes: Note[]): Placed[] {
  let surroundings = NOTHING_SET;
  return entries.map((entry) => {
    if (entry.kind === 'variable') {
      const setting = set(surroundings, entry.name, entry.value);
      surroundings = setting.surroundings;
      if (setting.note !== undefined) notes.push({ line: entry.line, text: setting.note });
    }
    return { entry, surroundings };
  });
}

/**
 * The zone that most jobs have; the others say their own. If some jobs are in the host's zone, that is the zone of the scheduler, since there
 * is no name for it.
 */
function commonZone(placed: readonly Placed[]): string | undefined {
  const counts = new Map<string | undefined, number>();
  for (const { entry, surroundings } of placed) {
    const { timeZone } = surroundings;
    if (entry.kind === 'job' && problemOfZone(timeZone) === undefined)
      counts.set(timeZone, (counts.get(timeZone) ?? 0) + 1);
  }
  return counts.has(undefined) ? undefined : [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

function problemOfZone(timeZone: string | undefined): string | undefined {
  if (timeZone === undefined) return undefined;
  try {
    zoneOf(timeZone);
    return undefined;
  } catch (error) {
    if (error instanceof UnknownTimeZoneError) return error.message;
    throw error;
  }
}

function convertJob(
  job: Job,
  surroundings: Surroundings,
  timeZone: string | undefined,
  names: UniqueNames,
  notes: Note[],
): Item {
  const { line, time, command, stdin, user } = job;
  const leftOut = (reason: string): LeftOut => ({
    kind: 'left out',
    line,
    text: `${time} ${command}`,
    reason,
  });
  const problem = problemOfZone(surroundings.timeZone);
  if (problem !== undefined) return leftOut(problem);
  const translation = rewriteCrontab(time);
  if (translation.posix === undefined) return leftOut(translation.reason);
  if (translation.caution !== undefined) notes.push({ line, text: translation.caution });
  const idiom = idiomNote(command);
  if (idiom !== undefined) notes.push({ line, text: idiom });
  const own = surroundings.timeZone === timeZone ? undefined : surroundings.timeZone;
  return {
    kind: 'task',
    line,
    name: names.take(nameOf(command)),
    cron: translation.posix,
    command,
    stdin,
    user,
    surroundings,
    timeZone: own,
  };
}

/** At most so many line numbers are listed. */
const MOST_LINES = 20;

function noteUsers(tasks: readonly ImportedTask[], notes: Note[]): void {
  const users = new Map<string, number[]>();
  for (const { user, line } of tasks) {
    if (user === undefined) continue;
    const lines = users.get(user);
    if (lines === undefined) users.set(user, [line]);
    else lines.push(line);
  }
  for (const [user, lines] of users) {
    const shown = lines.slice(0, MOST_LINES).join(', ');
    const more = lines.length > MOST_LINES ? ` and ${counted(lines.length - MOST_LINES, 'more line')}` : '';
    const which = lines.length === 1 ? 'this line' : `lines ${shown}${more}`;
    notes.push({
      line: lines[0],
      text: `${which} ran as ${user}; commands run as the user of the scheduler`,
    });
  }
}

/** Where system crontabs lie. */
const PLACE = /^\/etc\/(?:crontab$|cron\.d\/)/;
/** Users that own jobs on many machines. None of them is a program that anybody starts by that name. */
const USERS = new Set([
  ...['root', 'www-data', 'nobody', 'daemon', 'apache', 'httpd', 'nginx', 'wwwrun', 'debian', 'ubuntu'],
  ...['ec2-user', 'admin', 'centos', 'vagrant', 'deploy', 'postgres', 'mysql', 'redis', 'smmsp', 'amavis'],
]);

/**
 * What to say if a crontab that was read as a user's looks like a system's: its users would be taken for programs, and every job
 * would fail.
 */
export function systemDoubt(path: string, tasks: readonly ImportedTask[]): string | undefined {
  const firstWords = tasks.map(({ command }) => /^(\S+)\s+\S/.exec(command)?.[1] ?? '');
  const isLikely = PLACE.test(path) || (tasks.length > 0 && firstWords.every((word) => USERS.has(word)));
  if (!isLikely) return undefined;
  const example = firstWords.find((word) => word !== '');
  const taken = example === undefined ? '' : ` ("${example}" was taken for a program)`;
  return `this looks like a system crontab, which has a user before each command${taken}: if it is one, import it with --system`;
}
