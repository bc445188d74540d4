/** A store as a table for people, or as one JSON document for programs. */
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { timetableFor } from '../../config.ts';
import type { Zone } from '../../cron/index.ts';
import {
  type ControlRequest,
  type Inspection,
  type OwnedBy,
  type TaskRecord,
  type TaskState,
  type TaskStatus,
  taskStatus,
} from '../../index.ts';
import type { Io } from '../args/command.ts';
import { type KnownZones, type Reading, readingOf } from '../config/reading.ts';
import { daysText } from '../schedule/when.ts';
import { type Colours, roomOf, styleFor, textRoomOf } from '../terminal/style.ts';
import { table, withoutSpare } from '../terminal/table.ts';
import { counted, printable, truncate, widthOf, wrap } from '../terminal/text.ts';
import { distanceText, shortTime, wholeDuration } from '../words.ts';

export interface StatusReport extends Reading {
  readonly inspection: Inspection;
  readonly now: number;
  readonly tasks: readonly TaskStatus[];
}

export function reportOf(inspection: Inspection, known: KnownZones, now: number): StatusReport {
  const reading = readingOf(inspection, known);
  const tasks = inspection.records
    .map((record) => taskStatus(record, { owner: inspection.owner, timeZone: reading.zone.name, now }))
    .sort((a, b) => (a.record.name < b.record.name ? -1 : 1));
  return { ...reading, inspection, now, tasks };
}

const OWNERS: Readonly<Record<Inspection['owner'], string>> = {
  held: 'a scheduler runs on it',
  free: 'no scheduler runs on it',
  unknown: 'it cannot be seen whether a scheduler runs on it',
};

/** What a narrow terminal can do without, the first first: the expression, the last start, the last end. */
const SPARE = [5, 3, 4];

/** `low` is for a screen of few lines: a heading of one, and no line without a word. */
export function statusText(io: Io, report: StatusReport, form: 'whole' | 'low' = 'whole'): string {
  const { inspection, zone, now, tasks } = report;
  const colour = styleFor(io.stdout, io.env);
  const width = roomOf(io.stdout);
  const { damaged } = inspection;
  const gap = form === 'low' ? [] : [''];
  const lines = [form === 'low' ? lowHeading(report, width) : heading(report, width, colour)];
  if (tasks.length > 0) {
    const head = ['TASK', 'STATE', 'NEXT', 'LAST START', 'LAST END', 'CRON'].map(colour.dim);
    const rows = tasks.map((task) => rowOf(task, zone, now, colour));
    lines.push(...gap, ...table(withoutSpare([head, ...rows], width, SPARE), width));
  }
  const asked = requestLines(inspection, now);
  if (asked.length > 0) lines.push(...gap, ...asked.map((line) => colour.yellow(truncate(line, width))));
  if (damaged.length > 0) {
    lines.push(...gap, colour.red(`${counted(damaged.length, 'damaged record')}:`));
    for (const { task, field, reason } of damaged) {
      lines.push(wrap(`${printable(task)}: ${field}: ${printable(reason)}`, textRoomOf(io.stdout), '  '));
    }
    const way = 'A scheduler refuses to start on it. Run "obbligato repair".';
    lines.push(wrap(way, textRoomOf(io.stdout)));
  }
  return `${lines.join('\n')}\n`;
}

/** What operators have asked for and nobody has answered (I1). */
function requestLines({ owner, requests = [] }: Inspection, now: number): string[] {
  if (requests.length === 0) return [];
  const waits = requests.length === 1 ? 'waits' : 'wait';
  const forWhat = owner === 'free' ? 'the next scheduler' : 'an answer';
  return [
    `${counted(requests.length, 'request')} ${waits} for ${forWhat}:`,
    ...requests.map((request) => `  ${requestText(request)}, asked ${distanceText(request.askedAt - now)}`),
  ];
}

/** "pause backup", by the name of the command that asks for it. */
export const requestText = ({ kind, task }: ControlRequest): string =>
  `${kind === 'run' ? 'trigger' : kind} ${printable(task)}`;

/** A path that is wider than the terminal keeps its end, by which it differs from others. */
const endOf = (path: string, width: number): string =>
  widthOf(path) < width ? path : `…${path.slice(-Math.max(1, width - 2))}`;

function heading(
  { inspection, tasks, zone, zoneFrom, now }: StatusReport,
  width: number,
  colour: Colours,
): string {
  const { location, ownedBy, members = [] } = inspection;
  const known = members.length > 0 ? members : ownedBy === undefined ? [] : [ownedBy];
  const who = known.map((each) => whoText(each, zone, now)).join('; ');
  const words = `${ownersText(inspection)}${who === '' ? '' : ` (${who})`}, ${counted(tasks.length, 'task')}`;
  const hint = zoneFrom === 'host' ? " (the host's; give the configuration to read its zone)" : '';
  const where = `${colour.bold(endOf(printable(location), width))}:`;
  return wrap(`${where} ${words}  ${colour.dim(zone.name)}${colour.dim(hint)}`, width);
}

/** Several instances may share one store (K1). */
const ownersText = ({ owner, members = [] }: Inspection): string =>
  members.length > 1 ? `${members.length} schedulers share it` : OWNERS[owner];

/** "pid 4711, since 12:03"; the host only if it is another one. */
function whoText({ pid, host, since }: OwnedBy, zone: Zone, now: number): string {
  const where = host === hostname() ? '' : ` on ${printable(host)}`;
  return `pid ${pid}${where}, since ${shortTime(zone, since, now)}`;
}

/** The same in one line, without what it can be without. */
function lowHeading({ inspection, tasks, zone }: StatusReport, width: number): string {
  const { location } = inspection;
  const words = `${ownersText(inspection)}, ${counted(tasks.length, 'task')}`;
  const path = printable(location);
  const forms = [
    `${path}: ${words}  ${zone.name}`,
    `${path}: ${words}`,
    `${basename(path)}: ${words}`,
    words,
  ];
  return truncate(forms.find((text) => widthOf(text) <= width) ?? words, width);
}

/** "running, paused": what runs goes on, and nothing follows it. */
export function stateText({ state, record }: TaskStatus, colour: Colours): string {
  const paint: Readonly<Record<TaskState, (text: string) => string>> = {
    running: colour.green,
    'cut off': colour.red,
    interrupted: colour.yellow,
    paused: colour.yellow,
    retry: colour.yellow,
    owed: colour.yellow,
    waiting: colour.dim,
  };
  const isAlsoPaused = state === 'running' && record.pausedAt !== null;
  return `${paint[state](state)}${isAlsoPaused ? colour.yellow(', paused') : ''}`;
}

function rowOf(task: TaskStatus, zone: Zone, now: number, colour: Colours): string[] {
  const { record, nextDueAt, lastStartAt } = task;
  return [
    printable(record.name),
    stateText(task, colour),
    nextText(task, now),
    lastStartAt === null ? colour.dim('never') : shortTime(zone, lastStartAt, now),
    endText(task, now, colour),
    `${printable(record.cron)}${daysOf(record)}${nextDueAt === null && record.pausedAt === null ? colour.red(' (never due)') : ''}`,
  ];
}

/** ", only on the last day of the month": an expression alone would say that it is due more often. */
function daysOf(record: TaskRecord): string {
  if (record.policy?.includes('"days"') !== true) return '';
  const { days } = timetableFor(record, 'UTC').policy;
  return days === undefined ? '' : `, only ${daysText(days)}`;
}

/** What comes next for a task: a retry, a due instant, or what is already owed. */
function nextText(task: TaskStatus, now: number): string {
  const { record, state, lateSince, nextStartAt } = task;
  if (state === 'running') return runningText(task, now);
  if (state === 'cut off' || state === 'interrupted') return 'at the next start';
  if (state === 'paused') return `for ${wholeDuration(now - (record.pausedAt ?? now))}`;
  if (state === 'owed' && lateSince !== null) return `for ${wholeDuration(now - lateSince)}`;
  return nextStartAt === null ? '' : distanceText(nextStartAt - now);
}

/** A run that takes many times as long as the last one may hang. */
const LONG = 3;
const LONG_FROM_MS = 60_000;

/** For how long it runs; of a run that may hang, how long the one before took, and since when the next one waits for it. */
function runningText({ record, runningSince, lateSince }: TaskStatus, now: number): string {
  const ms = Math.max(0, now - (runningSince ?? now));
  const before = record.lastDurationMs;
  const isLong = before !== null && ms > Math.max(LONG * before, LONG_FROM_MS);
  const took = isLong ? `, the last one took ${wholeDuration(before)}` : '';
  const next = lateSince === null ? '' : `, due again since ${wholeDuration(now - lateSince)}`;
  return `for ${wholeDuration(ms)}${took}${next}`;
}

/** How the last run ended; of a task that fails, since when, how often, and what it threw. */
export function endText({ record, lastOutcome }: TaskStatus, now: number, colour: Colours): string {
  if (lastOutcome === null) return colour.dim('none');
  if (lastOutcome === 'success') {
    return colour.green(`ok ${distanceText((record.lastSuccessAt ?? now) - now)}`);
  }
  const { failures, failingSince, lastError } = record;
  const ago = distanceText((record.lastFailureAt ?? now) - now);
  const often =
    failures > 1 && failingSince !== null
      ? `, ${failures} times in ${wholeDuration(Math.max(0, now - failingSince))}`
      : '';
  const what = lastError === null ? '' : `: ${printable(lastError.message || lastError.name)}`;
  return colour.red(`failed ${ago}${often}${what}`);
}

const iso = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString();

const taskDocument = ({ record, state, phase, lastOutcome, ...outlook }: TaskStatus): object => ({
  name: record.name,
  state,
  phase,
  cron: record.cron,
  retryDelayMs: record.retryDelayMs,
  policy: record.policy === null ? null : JSON.parse(record.policy),
  pausedAt: iso(record.pausedAt),
  nextDueAt: iso(outlook.nextDueAt),
  nextStartAt: iso(outlook.nextStartAt),
  lateSince: iso(outlook.lateSince),
  runningSince: iso(outlook.runningSince),
  retryAt: iso(record.pendingRetryUntil),
  lastOutcome,
  firstSeenAt: iso(record.firstSeenAt),
  servedThrough: iso(record.servedThrough),
  lastAttemptAt: iso(outlook.lastStartAt),
  lastSuccessAt: iso(record.lastSuccessAt),
  lastFailureAt: iso(record.lastFailureAt),
  failures: record.failures,
  failingSince: iso(record.failingSince),
  lastError: record.lastError,
  lastDurationMs: record.lastDurationMs,
  run:
    record.run === null
      ? null
      : { ...record.run, startedAt: iso(record.run.startedAt), cutOffAt: iso(record.run.cutOffAt) },
  work: record.work === null ? null : { ...record.work, scheduledFor: iso(record.work.scheduledFor) },
});

export function statusDocument({ inspection, zone, zoneFrom, now, tasks }: StatusReport): object {
  const { location, version, owner, ownedBy, members, requests, damaged } = inspection;
  return {
    location,
    version,
    owner,
    ownedBy: ownedBy === undefined ? null : { ...ownedBy, since: iso(ownedBy.since) },
    ...(members && { members: members.map((each) => ({ ...each, since: iso(each.since) })) }),
    timeZone: zone.name,
    timeZoneFrom: zoneFrom,
    at: iso(now),
    tasks: tasks.map(taskDocument),
    ...(requests && { requests: requests.map((each) => ({ ...each, askedAt: iso(each.askedAt) })) }),
    damaged: damaged.map(({ task, field, reason }) => ({ task, field, reason })),
  };
}
