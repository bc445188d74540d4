/**
 * A store shown again and again, until Ctrl-C. On a terminal it is drawn over itself every second and when its size changes, and the cursor is
 * given back at the end; into a pipe it is printed once for every change, so that a reader sees changes and not seconds.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../../index.ts';
import { inspect, StoreMissingError } from '../../index.ts';
import type { Io } from '../args/command.ts';
import type { KnownZones } from '../config/reading.ts';
import { Reader } from '../terminal/output.ts';
import { roomOf } from '../terminal/style.ts';
import { oneDocument, printable, wrap } from '../terminal/text.ts';
import { reportOf, type StatusReport, statusDocument, statusText } from './report.ts';

/** How often a watched store is looked at. */
const REFRESH_MS = 1000;
const HOME_AND_CLEAR = '\u001b[H\u001b[J';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export async function watch(io: Io, store: Store, zones: KnownZones, form: 'json' | 'text'): Promise<number> {
  const leaving = new AbortController();
  const leave = (): void => {
    leaving.abort();
    io.stdout.abandon?.(); // a user who leaves does not wait for a reader
  };
  const isLive = io.stdout.isTTY === true && form === 'text';
  const show = isLive ? drawer(io, store) : printer(io, store, form);
  for (const signal of SIGNALS) process.once(signal, leave);
  if (isLive) io.stdout.write(HIDE_CURSOR);
  try {
    while (!leaving.signal.aborted) {
      show(await look(store, zones, io.now()));
      await turn(leaving.signal);
    }
  } finally {
    if (isLive) io.stdout.write(SHOW_CURSOR);
    for (const signal of SIGNALS) process.removeListener(signal, leave);
  }
  return 0;
}

/** Until it is time to look again: after a second, when the terminal has another size, or to leave. */
async function turn(leaving: AbortSignal): Promise<void> {
  const resized = new AbortController();
  const wake = (): void => resized.abort();
  process.once('SIGWINCH', wake);
  await delay(REFRESH_MS, undefined, { signal: AbortSignal.any([leaving, resized.signal]) }).catch(() => {});
  process.removeListener('SIGWINCH', wake);
}

type Show = (report: StatusReport | undefined) => void;

const drawer =
  (io: Io, store: Store): Show =>
  (report) => {
    const rows = io.stdout.rows || 24; // a terminal that does not know its size says 0
    const whole = textOf(io, store, report);
    const isLow = whole.split('\n').length > rows;
    io.stdout.write(HOME_AND_CLEAR + fitting(isLow ? textOf(io, store, report, 'low') : whole, rows));
  };

function printer(io: Io, store: Store, form: 'json' | 'text'): Show {
  let last = '';
  const reader = new Reader(io.stdout);
  return (report) => {
    const current = fingerprint(report);
    if (current === last) return reader.ask();
    // The blanks of the reader stand on the empty line between two texts, and before a JSON document.
    const gap = last === '' ? '' : '\n';
    last = current;
    if (form === 'text') io.stdout.write(gap + textOf(io, store, report));
    else if (report !== undefined) io.stdout.write(oneDocument(statusDocument(report)));
  };
}

/** A store that is not there yet is waited for: the scheduler that makes it may be on its way. */
async function look(store: Store, zones: KnownZones, now: number): Promise<StatusReport | undefined> {
  try {
    return reportOf(await inspect(store), zones, now);
  } catch (error) {
    if (error instanceof StoreMissingError) return undefined;
    throw error;
  }
}

const textOf = (
  io: Io,
  store: Store,
  report: StatusReport | undefined,
  form: 'whole' | 'low' = 'whole',
): string =>
  report === undefined
    ? `${wrap(`There is no store at ${printable(store.location)} yet; waiting for a scheduler to make it.`, roomOf(io.stdout))}\n`
    : statusText(io, report, form);

/** All that can change but the time. */
function fingerprint(report: StatusReport | undefined): string {
  if (report === undefined) return 'none';
  const { owner, records, damaged, requests } = report.inspection;
  return JSON.stringify([owner, records, damaged.length, requests, report.tasks.map(({ state }) => state)]);
}

/** As many lines as the terminal has; more would scroll the first ones away at every refresh. */
function fitting(text: string, rows: number): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length < rows) return text;
  const shown = lines.slice(0, Math.max(1, rows - 2));
  return `${shown.join('\n')}\n… and ${lines.length - shown.length} more lines\n`;
}
