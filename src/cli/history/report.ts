/** Runs of the past as a table for people, or as JSON documents for programs. */
import type { Zone } from '../../cron/index.ts';
import type { PastRun } from '../../index.ts';
import type { Io } from '../args/command.ts';
import { type Colours, roomOf, styleFor } from '../terminal/style.ts';
import { table, withoutSpare } from '../terminal/table.ts';
import { printable } from '../terminal/text.ts';
import { duration, localText, shortTime } from '../words.ts';

export interface HistoryForm {
  readonly zone: Zone;
  /** The task that was asked for: its name is not repeated in every line. */
  readonly task: string | undefined;
  /** Whether what a run threw is shown whole, below its line. */
  readonly isWhole: boolean;
}

/** What a narrow terminal can do without, the first first: the reason, the due instant. */
const SPARE = [4, 3];

export function historyText(io: Io, runs: readonly PastRun[], form: HistoryForm): string {
  const colour = styleFor(io.stdout, io.env);
  const width = roomOf(io.stdout);
  const head = [
    'ENDED',
    'OUTCOME',
    'TOOK',
    'DUE',
    'REASON',
    ...(form.task === undefined ? ['TASK'] : []),
    'ERROR',
  ];
  const rows = [head.map(colour.dim), ...runs.map((run) => rowOf(run, form, colour))];
  const lines = table(withoutSpare(rows, width, SPARE), width, [0]);
  if (!form.isWhole) return `${lines.join('\n')}\n`;
  const [first, ...others] = lines;
  return `${[first, ...others.flatMap((line, place) => [line, ...errorLines(runs[place])])].join('\n')}\n`;
}

const PAINTS: Readonly<Record<PastRun['outcome'], (colour: Colours) => Colours['red']>> = {
  success: ({ green }) => green,
  failure: ({ red }) => red,
  'gave up': ({ red }) => red,
  'timed out': ({ red }) => red,
  'cut off': ({ yellow }) => yellow,
  interrupted: ({ yellow }) => yellow,
  cancelled: ({ yellow }) => yellow,
};

function rowOf(run: PastRun, { zone, task }: HistoryForm, colour: Colours): string[] {
  const { outcome, calledAt, endedAt, scheduledFor, attempt, reason, error } = run;
  const paint = PAINTS[outcome](colour);
  return [
    localText(zone, endedAt).slice(4),
    paint(outcome),
    outcome === 'cut off' ? '' : duration(endedAt - calledAt),
    shortTime(zone, scheduledFor, endedAt),
    attempt === 1 ? reason : `${reason}, attempt ${attempt}`,
    ...(task === undefined ? [printable(run.task)] : []),
    error === null ? '' : printable(error.message === '' ? error.name : `${error.name}: ${error.message}`),
  ];
}

/** What a run threw, as it was stored: printable already, but a store is a file that others may write. */
const errorLines = ({ error }: PastRun): readonly string[] =>
  error === null || error.text === '' ? [] : error.text.split('\n').map((line) => `    ${printable(line)}`);

const iso = (instant: number): string => new Date(instant).toISOString();

export function runDocument(run: PastRun): object {
  const { scheduledFor, calledAt, endedAt, ...rest } = run;
  return {
    ...rest,
    scheduledFor: iso(scheduledFor),
    calledAt: iso(calledAt),
    endedAt: iso(endedAt),
    durationMs: Math.max(0, endedAt - calledAt),
  };
}
