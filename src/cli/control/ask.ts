/** Asks the scheduler of a store for something, and says what became of it and when: `trigger`, `pause`, `resume`, `cancel` (I1). */
import { type ControlKind, type ControlResult, control, type Inspection, inspect } from '../../index.ts';
import { nearest } from '../../text/nearest.ts';
import type { Arguments, Io } from '../args/command.ts';
import { confirm } from '../args/confirm.ts';
import { isGiven, readZone, spanOf, textOf } from '../args/values.ts';
import { visibleFromHere } from '../config/store.ts';
import { findTarget, type Target } from '../config/target.ts';
import { CliError, FAILED, OK, UNANSWERED } from '../errors.ts';
import { styleFor } from '../terminal/style.ts';
import { json, printable } from '../terminal/text.ts';
import { clock, duration } from '../words.ts';

export interface Request {
  readonly kind: ControlKind;
  /** What is asked on a terminal before anything is done; undefined if it need not be asked. */
  readonly question?: (task: string) => string;
}

export async function askFor({ kind, question }: Request, io: Io, args: Arguments): Promise<number> {
  const [task] = args.positionals;
  const waitMs = spanOf(args, { option: 'wait', fallback: '5s' });
  const target = await findTarget(io, args, textOf(args, 'store'), 'take the default store');
  const { store } = target;
  visibleFromHere(store);
  const { owner } = await checkName(target, task);
  if (kind === 'cancel' && owner === 'free') return nothingRuns(io, args, store.location, task);
  if (question !== undefined && !(await confirm(io, args, question(printable(task))))) {
    io.stderr.write('Nothing was asked for.\n');
    return FAILED;
  }
  const askedAt = io.now();
  const operator = control(store);
  const result = await operator[kind](task, { wait: waitMs, catchUp: isGiven(args, 'catch-up') });
  if (isGiven(args, 'json')) io.stdout.write(json(documentOf(store.location, result)));
  else io.stdout.write(textFor(io, result, askedAt, readZone(textOf(args, 'tz') ?? target.timeZone)));
  return { applied: OK, refused: FAILED, waiting: UNANSWERED }[result.state];
}

/** A name that neither the store nor the configuration has was misspelt: the request would wait for a scheduler, which would refuse it. */
async function checkName({ store, tasks = [] }: Target, task: string): Promise<Inspection> {
  const inspection = await inspect(store);
  const names = new Set([...inspection.records.map(({ name }) => name), ...tasks]);
  if (names.has(task)) return inspection;
  const meant = nearest(task, [...names]);
  const suggestion = meant === undefined ? '' : `: did you mean "${printable(meant)}"?`;
  throw new CliError(
    'failure',
    `${printable(store.location)} knows no task "${printable(task)}"${suggestion}`,
  );
}

/** Where no scheduler runs, no run can be cancelled. A request would wait for the next scheduler, and then be about another run, or none. */
function nothingRuns(io: Io, args: Arguments, location: string, task: string): number {
  const text = 'no scheduler runs on the store, so there is no run to cancel';
  const { red, symbols } = styleFor(io.stdout, io.env);
  const refused = { location, id: null, kind: 'cancel', task, state: 'refused', at: null, text };
  io.stdout.write(
    isGiven(args, 'json') ? json(refused) : `${red(symbols.failed)} ${printable(task)}: refused: ${text}\n`,
  );
  return FAILED;
}

function textFor(io: Io, result: ControlResult, askedAt: number, zone: ReturnType<typeof readZone>): string {
  const { green, red, yellow, symbols } = styleFor(io.stdout, io.env);
  const { task, state, at, text } = result;
  // The instant is of the answer. After the text it would be read as when a run ends, or was paused.
  const when = at === null ? '' : ` at ${clock(at, zone)}${soon(at - askedAt)}`;
  const mark = { applied: green(symbols.ok), refused: red(symbols.failed), waiting: yellow(symbols.waiting) };
  const said = { applied: `${when.trimStart()}: ${text}`, refused: `refused${when}: ${text}`, waiting: text };
  return `${mark[state]} ${printable(task)}: ${printable(said[state])}\n`;
}

/** The clock of the scheduler may be another one, so a difference that makes no sense is left out. */
const soon = (ms: number): string => (ms >= 0 && ms < 600_000 ? `, after ${duration(ms)}` : '');

const documentOf = (location: string, { id, kind, task, state, at, text }: ControlResult): object => ({
  location,
  id,
  kind,
  task,
  state,
  at: at === null ? null : new Date(at).toISOString(),
  text,
});
