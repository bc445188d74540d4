/** From what is known to the lines of a screen: a pure function of the view, the size of the terminal, and the time. */
import type { Zone } from '../../cron/index.ts';
import { type Description, listed } from '../run/describe-event.ts';
import type { Style } from '../terminal/style.ts';
import { fill, oneLine, printable, truncate, widthOf } from '../terminal/text.ts';
import { clock } from '../words.ts';
import { orderedRows } from './choose.ts';
import type { Surroundings } from './columns.ts';
import { keysScreen, type Past, taskScreen } from './details.ts';
import { HANDS_OFF, type Hands, isChosen } from './hands.ts';
import type { LogLine, Row, View } from './model.ts';
import { taskLines } from './task-list.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface RenderOptions {
  readonly now: number;
  readonly zone: Zone;
  readonly style: Style;
  nextDue(row: Row, now: number): number | undefined;
  /** The first due after an instant of the past. */
  dueAfter(row: Row, served: number): number | undefined;
  /** What was chosen by keys; nothing by default. */
  readonly hands?: Hands;
  /** The past of the selected task, for its own screen. */
  readonly past?: Past;
}

/** A start is on its way for a moment; only what takes longer is said to be owed. */
const OWED_AFTER_MS = 1000;

/** At most as many lines as the terminal has rows, none wider than its columns less one, so that the terminal does not break a line. */
export function render(view: View, size: Size, options: RenderOptions): string[] {
  const width = Math.max(1, size.columns - 1);
  const { style } = options;
  const head = [
    title(view, width, options),
    ...troubleLine(view, width, style),
    ...monitorLine(view, width, style),
  ];
  const { hands = HANDS_OFF } = options;
  const foot = [footer(view, hands, width, style)];
  const space = size.rows - head.length - foot.length;
  const body = bodyLines(view, hands, Math.max(0, space), width, options);
  const gap = Array.from({ length: Math.max(0, space - body.length) }, () => '');
  return [...head, ...body.slice(0, Math.max(0, space)), ...gap, ...foot].slice(0, size.rows);
}

/** What stands between the title and the footer: the tasks and the log, one task, or the keys. */
function bodyLines(view: View, hands: Hands, space: number, width: number, options: RenderOptions): string[] {
  const around = surroundings(view, options);
  const row = view.rows.find(({ name }) => name === hands.selected);
  const { screen } = hands;
  const { kind } = screen.kind === 'question' ? screen.from : screen;
  if (kind === 'keys') return keysScreen(space, width, around);
  if (kind === 'task' && row !== undefined) {
    const details = { row, past: options.past, log: view.log, timeZone: view.facts.timeZone };
    return taskScreen(details, space, width, around);
  }
  // The log keeps some lines even if there are more tasks than fit, as far as the terminal is not tiny.
  const leastLog = space >= 14 ? 6 : space >= 8 ? 3 : 0;
  const tasks = space >= 2 ? taskLines(view.rows, space - leastLog, width, around, hands) : [];
  const room = space - tasks.length - 1;
  const log = room > 0 ? view.log.slice(-room).map((line) => logLine(line, width, options)) : [];
  // The log begins under the tasks, with an empty line between; the footer is at the bottom.
  return space > tasks.length ? [...tasks, '', ...log] : tasks;
}

/** The names of the tasks as they are listed, all of them, also those for which there is no room. */
export const orderOf = (view: View, options: RenderOptions): string[] =>
  orderedRows(view.rows, options.hands ?? HANDS_OFF, surroundings(view, options)).map(({ name }) => name);

/** What stays on the terminal when the view is gone: the tasks as they were. */
export function lastWords(view: View, size: Size, options: RenderOptions): string[] {
  const width = Math.max(1, size.columns - 1);
  return taskLines(view.rows, Math.max(3, size.rows - 4), width, surroundings(view, options), HANDS_OFF);
}

function surroundings(view: View, { now, zone, style, nextDue, dueAfter }: RenderOptions): Surroundings {
  const isOver = view.phase === 'stopping' || view.phase === 'stopped'; // nothing more is started
  const owedSince = (row: Row): number | undefined => {
    const { state, servedThrough, pausedAt } = row;
    if (isOver || state.kind === 'running' || servedThrough === undefined || pausedAt !== undefined)
      return undefined;
    // Most have nothing due between what was served and now, and that takes no search to see.
    if (Math.max(servedThrough, view.begunAt) > now - OWED_AFTER_MS) return undefined;
    const due = dueAfter(row, servedThrough) ?? Number.POSITIVE_INFINITY;
    return due <= now - OWED_AFTER_MS ? due : undefined;
  };
  const nextOf = (row: Row): number | undefined => {
    if (isOver || row.pausedAt !== undefined) return undefined;
    const due = owedSince(row) ?? nextDue(row, now);
    return row.state.kind === 'retry' ? Math.min(row.state.at, due ?? Number.POSITIVE_INFINITY) : due;
  };
  return { now, zone, style, nextOf, owedSince };
}

function title({ facts, rows }: View, width: number, { now, zone, style }: RenderOptions): string {
  const time = clock(now, zone);
  const count = `${rows.length} ${rows.length === 1 ? 'task' : 'tasks'}`;
  const name = 'obbligato';
  if (width <= name.length + time.length) return truncate(`${count} ${time}`, width);
  const about = aboutWords(facts, count, width - name.length - time.length - 1);
  return `${fill(`${style.bold(name)}${about}`, width - time.length)}${style.dim(time)}`;
}

/** The process goes last when there is little room: a user who has to end it by hand must find it. */
function aboutWords({ pid, store, timeZone }: View['facts'], count: string, room: number): string {
  const both = ` ${count} · pid ${pid}`;
  const lead = widthOf(both) <= room ? both : truncate(` pid ${pid}`, room);
  const left = room - widthOf(lead);
  // A single column would hold nothing but "…", right behind a number that is whole.
  return left > 1 && lead === both ? `${lead}${truncate(` · ${store} · ${timeZone}`, left)}` : lead;
}

function troubleLine({ trouble }: View, width: number, { red, symbols }: Style): string[] {
  return trouble === undefined
    ? []
    : [red(truncate(`${symbols.late} the store fails, starts wait: ${trouble}`, width))];
}

function monitorLine({ monitor }: View, width: number, style: Style): string[] {
  return monitor === undefined ? [] : [paintOf(monitor, style)(truncate(oneLine(monitor.text), width))];
}

const paintOf = ({ tone }: Description, { green, red, yellow }: Style): ((text: string) => string) =>
  ({ plain: (text: string) => text, good: green, bad: red, warn: yellow })[tone];

function footer({ phase, rows }: View, hands: Hands, width: number, { dim, yellow }: Style): string {
  const { screen } = hands;
  if (screen.kind === 'question') return yellow(truncate(screen.text, width));
  if (screen.kind === 'filter')
    return yellow(truncate(`/${oneLine(hands.filter)}▏ Enter keeps it, Esc shows all`, width));
  if (phase === 'starting') return dim(truncate('Starting…', width));
  if (phase === 'running') return dim(truncate(wayWords(hands), width));
  const running = rows.filter(({ state }) => state.kind === 'running').map(({ name }) => name);
  if (running.length === 0) return yellow(truncate('Stopping', width));
  const way = 'Ctrl-C again leaves at once';
  const text = `Stopping: waiting for ${listed(running)}`;
  // The way out is worth more than the whole list.
  const room = width - widthOf(way) - 3;
  return yellow(room > 24 ? `${truncate(text, room)} · ${way}` : truncate(text, width));
}

/** What can be done where one is. */
function wayWords(hands: Hands): string {
  if (hands.screen.kind === 'keys') return 'Any key goes back';
  if (hands.screen.kind === 'task') return 'Esc goes back · ↑ ↓ another task · r run · p pause · c cancel';
  if (isChosen(hands)) return 'Enter shows the task · r run · p pause · c cancel · Esc back · ? all keys';
  return 'Ctrl-C stops, after what runs has ended · ? keys';
}

function logLine(line: LogLine, width: number, { zone, style }: RenderOptions): string {
  const { at, task, text, isOutput } = line;
  const { dim, bold, symbols } = style;
  const time = clock(at, zone);
  const who = printable(task ?? 'obbligato');
  const bar = isOutput ? `${symbols.bar} ` : '';
  const room = width - time.length - 2;
  if (room < 12) return truncate(`${who} ${oneLine(text)}`, width);
  const whoShown = truncate(who, Math.max(4, Math.floor(room * 0.4)));
  const rest = truncate(`${bar}${oneLine(text)}`, room - widthOf(whoShown) - 2);
  const whoPainted = task === undefined ? dim(whoShown) : bold(whoShown);
  return `${dim(time)}  ${whoPainted}  ${isOutput ? rest : paintOf(line, style)(rest)}`;
}
