/** The policies and due instants of tasks as a scheduler sees them. Many tasks share few of them, so each is made once and kept. */
import type { Calendar } from '../cron/calendar.ts';
import { dueInstants } from './facts.ts';
import { policyOfText, type StoredPolicy } from './policy.ts';

/** A task of a configuration, or a record of a store, whose policy is a text. */
export interface Scheduled {
  readonly name: string;
  readonly cron: string;
  readonly policy?: StoredPolicy | string | null;
}

/** When a task is due, and what else holds for it. */
export interface Timetable {
  readonly policy: StoredPolicy;
  /** Undefined for what is no expression or no policy: a damaged record may have one, and is no reason to show nothing. */
  readonly calendar: Calendar | undefined;
}

const timetables = new Map<string, Timetable>();
/** Tasks with a jitter have a calendar each, and there may be a million of them. */
const MOST_TIMETABLES = 10_000;

/** `timeZone` is the scheduler's, for a task that has none of its own. */
export function timetableFor(task: Scheduled, timeZone: string): Timetable {
  const key = `${timeZone} ${calendarKey(task)}`;
  let found = timetables.get(key);
  if (found === undefined) {
    if (timetables.size >= MOST_TIMETABLES) timetables.clear();
    found = make(task, timeZone);
    timetables.set(key, found);
  }
  return found;
}

const MINUTE_MS = 60_000;
const MOST_ANSWERS = 1000;

/** By calendar: the first due after a minute. Many tasks share calendars, and are served in the same minute. */
const answers = new WeakMap<Calendar, Map<number, number>>();

/** The first due instant after an instant; `Infinity` if there is none, and for what is no expression: the scheduler will refuse it, and say why. */
export function nextDue({ policy, calendar }: Timetable, after: number): number {
  if (calendar === undefined) return Number.POSITIVE_INFINITY;
  if (policy.jitterMs !== undefined) return calendar.next(after);
  // Without jitter a due instant begins a minute: within a minute the answer is the same.
  const known = answers.get(calendar) ?? new Map<number, number>();
  answers.set(calendar, known);
  const minute = Math.floor(after / MINUTE_MS);
  let due = known.get(minute);
  if (due === undefined || due <= after) {
    due = calendar.next(after);
    if (known.size >= MOST_ANSWERS) known.clear();
    known.set(minute, due);
  }
  return due;
}

/** Undefined for what is no expression or no policy. */
export const calendarFor = (task: Scheduled, timeZone: string): Calendar | undefined =>
  timetableFor(task, timeZone).calendar;

/** The same for tasks that are always due together. */
export function calendarKey({ name, cron, policy }: Scheduled): string {
  const text = policyText(policy);
  if (text === '') return cron;
  return text.includes('"jitterMs"') ? `${cron} ${text} ${name}` : `${cron} ${text}`;
}

/** Equal policies of a configuration are one object, so each is written once. */
const texts = new WeakMap<StoredPolicy, string>();

function policyText(policy: Scheduled['policy']): string {
  if (policy === undefined || policy === null) return '';
  if (typeof policy === 'string') return policy;
  let text = texts.get(policy);
  if (text === undefined) {
    text = Object.keys(policy).length === 0 ? '' : JSON.stringify(policy);
    texts.set(policy, text);
  }
  return text;
}

function make({ name, cron, policy = null }: Scheduled, timeZone: string): Timetable {
  const stored = typeof policy === 'string' || policy === null ? policyOfText(policy).stored : policy;
  try {
    return { policy: stored, calendar: dueInstants({ name, cron, policy }, timeZone) };
  } catch {
    return { policy: stored, calendar: undefined };
  }
}
