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
