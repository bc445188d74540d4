/** A store as a table for people, or as one JSON document for programs. */
import type { Inspection } from '../../store/inspect.ts';
import type { Zone } from '../../time/zone.ts';
import type { Io } from '../command.ts';
import { distanceText, isoDate, localMinuteAt, localText } from '../moment.ts';
import { problemOf } from '../repair/problem.ts';
import { roomOf, textRoomOf } from '../room.ts';
import { type Colours, styleFor } from '../style.ts';
import { table, withoutSpare } from '../table.ts';
import { counted, printable, wrap } from '../text.ts';
import { wholeDuration } from '../when.ts';
import { type State, statusOf, type TaskStatus } from './task-status.ts';

export interface StatusReport {
  readonly inspection: Inspection;
  readonly zone: Zone;
  readonly now: number;
  readonly tasks: readonly TaskStatus[];
}

export function reportOf(inspection: Inspection, zone: Zone, now: number): StatusReport {
  const tasks = inspection.records
    .map((record) => statusOf(record, inspection.owner, zone, now))
    .sort((a, b) => (a.record.name < b.record.name ? -1 : 1));
  return { inspection, zone, now, tasks };
}

const OWNERS: Readonly<Record<Inspection['owner'], string>> = {
  held: 'a scheduler runs on it',
  free: 'no scheduler runs on it',
  unknown: 'whether a scheduler runs on it cannot be told',
};

/** What a narrow terminal can do without, the first first: the expression, the last start, the last end. */
const SPARE = [5, 3, 4];

export function statusText(io: Io, { inspection, zone, now, tasks }: StatusReport): string {
  const colour = styleFor(io.stdout, io.env);
  const width = roomOf(io.stdout);
  const { location, owner, damaged } = inspection;
  const lines = [
    `${colour.bold(printable(location))}: ${OWNERS[owner]}, ${counted(tasks.length, 'task')}  ${colour.dim(zone.name)}`,
  ];
  if (tasks.length > 0) {
    const head = ['TASK', 'STATE', 'NEXT', 'LAST START', 'LAST END', 'CRON'].map(colour.dim);
    const rows = tasks.map((task) => rowOf(task, zone, now, colour));
    lines.push('', ...table(withoutSpare([head, ...rows], width, SPARE), width));
  }
  if (damaged.length > 0) {
    lines.push('', colour.red(`${counted(damaged.length, 'damaged record')}:`));
    for (const { value, error } of damaged) {
      const { task, field, reason } = problemOf(value, error);
      lines.push(wrap(`${printable(task)}: ${field}: ${printable(reason)}`, textRoomOf(io.stdout), '  '));
    }
    lines.push('A scheduler refuses to start on it. Run "obbligato repair" to mend it.');
  }
  return `${lines.join('\n')}\n`;
}

function rowOf(task: TaskStatus, zone: Zone, now: number, colour: Colours): string[] {
  const { record, state, nextDueAt } = task;
  const paint: Readonly<Record<State, (text: string) => string>> = {
    running: colour.green,
    'cut off': colour.red,
    retry: colour.yellow,
    owed: colour.yellow,
    waiting: colour.dim,
  };
  return [
    printable(record.name),
    paint[state](state),
    nextText(task, now),
    record.lastAttemptAt === null && record.run === null
      ? colour.dim('never')
      : shortTime(zone, record.run?.startedAt ?? record.lastAttemptAt ?? now, now),
    endText(task, now, colour),
    `${printable(record.cron)}${nextDueAt === null ? colour.red(' (never due)') : ''}`,
  ];
}

/** What comes next for a task: a retry, a due instant, or what is already owed. */
function nextText({ record, state, nextDueAt }: TaskStatus, now: number): string {
  if (state === 'running') return `for ${wholeDuration(now - (record.run?.startedAt ?? now))}`;
  if (state === 'cut off') return 'at the next start';
  const retry = record.pendingRetryUntil;
  if (state === 'owed' && nextDueAt !== null) return `since ${wholeDuration(now - nextDueAt)}`;
  const at = Math.min(retry ?? Number.POSITIVE_INFINITY, nextDueAt ?? Number.POSITIVE_INFINITY);
  return at === Number.POSITIVE_INFINITY ? '' : distanceText(at - now);
}

function endText({ record, lastOutcome }: TaskStatus, now: number, colour: Colours): string {
  if (lastOutcome === null) return colour.dim('none');
  if (lastOutcome === 'success') {
    return colour.green(`ok ${distanceText((record.lastSuccessAt ?? now) - now)}`);
  }
  const attempt = record.work === null ? '' : `, attempt ${record.work.attempt}`;
  return colour.red(`failed ${distanceText((record.lastFailureAt ?? now) - now)}${attempt}`);
}

/** The time of day for today, the date too for other days. */
function shortTime(zone: Zone, at: number, now: number): string {
  const text = localText(zone, at);
  const isToday = isoDate(localMinuteAt(zone, at)) === isoDate(localMinuteAt(zone, now));
  return isToday ? text.slice(15, 20) : text.slice(4, 20);
}

const iso = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString();

export function statusDocument({ inspection, zone, now, tasks }: StatusReport): object {
  const { location, version, owner, damaged } = inspection;
  return {
    location,
    version,
    owner,
    timeZone: zone.name,
    at: iso(now),
    tasks: tasks.map(({ record, state, nextDueAt, lastOutcome }) => ({
      name: record.name,
      state,
      cron: record.cron,
      retryDelayMs: record.retryDelayMs,
      nextDueAt: iso(nextDueAt),
      retryAt: iso(record.pendingRetryUntil),
      lastOutcome,
      firstSeenAt: iso(record.firstSeenAt),
      servedThrough: iso(record.servedThrough),
      lastAttemptAt: iso(record.lastAttemptAt),
      lastSuccessAt: iso(record.lastSuccessAt),
      lastFailureAt: iso(record.lastFailureAt),
      run: record.run === null ? null : { ...record.run, startedAt: iso(record.run.startedAt) },
      work: record.work === null ? null : { ...record.work, scheduledFor: iso(record.work.scheduledFor) },
    })),
    damaged: damaged.map(({ value, error }) => problemOf(value, error)),
  };
}
