/** `obbligato history`: the runs of the past, from any process, while a scheduler runs on the store or not. */
import { type HistoryQuery, history, inspect, type Outcome, type PastRun, type Store } from '../../index.ts';
import { nearest } from '../../text/nearest.ts';
import type { Arguments, Command, Io } from '../args/command.ts';
import { countOf, isGiven, readSpan, textOf } from '../args/values.ts';
import { type KnownZones, type Reading, readingOf } from '../config/reading.ts';
import { visibleFromHere } from '../config/store.ts';
import { findTarget } from '../config/target.ts';
import { CliError, FAILED, OK } from '../errors.ts';
import { historyText, runDocument } from '../history/report.ts';
import { oneDocument, printable } from '../terminal/text.ts';
import { readMoment } from '../words.ts';

/** Every way in which a run can end. The compiler holds the list complete. */
const OUTCOMES: Readonly<Record<Outcome, string>> = {
  success: 'the callback returned',
  failure: 'the callback threw or rejected, or the program ended with another code than 0; it is tried again',
  'gave up': 'the same, at the last attempt that its policy allows; it is not tried again before it is due',
  'timed out': 'it took longer than its policy allows',
  cancelled: 'somebody asked for that; it is not tried again before it is due',
  'cut off': 'its process died; the next scheduler found that out, and started it again',
  interrupted:
    'a stop of the scheduler ended it, which is no failure; it starts again with the next scheduler',
};

const FAILURES: readonly Outcome[] = ['failure', 'gave up', 'timed out'];

const outcomeLines = (): string =>
  Object.entries(OUTCOMES)
    .map(([outcome, meaning]) => `  ${outcome.padEnd(11)}${meaning}\n`)
    .join('');

const HELP = `
Shows the runs of the past, the newest first: when each was due and ended, how long it took, how it ended, and what it threw. Only
looks: a scheduler that runs on the store is not disturbed.

${outcomeLines()}
A run that timed out as the last attempt that its policy allows has "gave up", and what it threw says that it timed out.

A store keeps the runs of 30 days and at most a million, unless the scheduler's option "history" says otherwise.

Options
  -n, --limit <n>    how many (20)
  --since <time>     only runs that ended since: 90s, 15m, 2h or 3d ago, 2027-03-28, or 2027-03-28T02:30
  --outcome <how>    only runs that ended so: "gave up", or several with commas between them: failure,"timed out"
  --failed           only runs that failed: failure, gave up, timed out. Not what was cut off or cancelled: a crash is no fault of
                     the task, and somebody asked for the other
  --errors           what each failed run threw, with its stack and causes
  --store <file>     the store; that of the configuration, or obbligato.db here, by default
  --config <file>    the configuration that knows the store; obbligato.config.ts, here or above, by default
  --tz <zone>        the zone in which times are shown, instead of the store's
  --json             one JSON document per run and line

Exits with 0, or with 1 if there is no store, or no task of that name in it or in its history.

Examples
  obbligato history
  obbligato history report --failed --errors -n 3
  obbligato history --since 2h --json | jq -r 'select(.outcome != "success") | .task' | sort | uniq -c
`;

export const historyCommand: Command = {
  name: 'history',
  summary: 'The runs of the past: when, how long, how they ended, what they threw',
  help: HELP,
  options: {
    limit: { type: 'string', short: 'n' },
    since: { type: 'string' },
    outcome: { type: 'string' },
    failed: { type: 'boolean' },
    errors: { type: 'boolean' },
    store: { type: 'string' },
    config: { type: 'string' },
    tz: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'task' }],
  async run(io, args) {
    const { store, ...configured } = await findTarget(
      io,
      args,
      textOf(args, 'store'),
      'take the default store',
    );
    visibleFromHere(store);
    const { zone } = await readingIn(store, { asked: textOf(args, 'tz'), configured });
    const query = queryOf(io, args, zone);
    if (isGiven(args, 'json')) {
      let count = 0;
      for await (const run of history(store, query)) {
        io.stdout.write(oneDocument(runDocument(run)));
        count++;
      }
      return count === 0 ? isKnown(io, store, query) : OK;
    }
    const runs: PastRun[] = [];
    for await (const run of history(store, query)) runs.push(run);
    if (runs.length === 0) return isKnown(io, store, query);
    io.stdout.write(historyText(io, runs, { zone, task: query.task, isWhole: isGiven(args, 'errors') }));
    return OK;
  },
};

/** The zone that the store says counts, unless another one was asked for (B2). */
const readingIn = async (store: Store, zones: KnownZones): Promise<Reading> =>
  readingOf(
    zones.asked === undefined && store.inspect !== undefined ? await inspect(store) : undefined,
    zones,
  );

function queryOf(io: Io, args: Arguments, zone: Parameters<typeof readMoment>[1]): HistoryQuery {
  const [task] = args.positionals;
  const since = textOf(args, 'since');
  const outcome = outcomeOf(args);
  return {
    limit: countOf(args, { option: 'limit', fallback: 20, min: 1, max: 999_999_999 }),
    ...(task === undefined ? {} : { task }),
    ...(since === undefined ? {} : { since: sinceOf(since, zone, io.now()) }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

function outcomeOf(args: Arguments): readonly Outcome[] | undefined {
  const text = textOf(args, 'outcome');
  if (isGiven(args, 'failed')) {
    if (text === undefined) return FAILURES;
    throw new CliError(
      'usage',
      `--failed is the same as --outcome ${optionText(FAILURES)}; give one of the two`,
    );
  }
  return text?.split(',').map((word) => readOutcome(word));
}

function readOutcome(text: string): Outcome {
  const wanted = text.trim().replace(/[-_]/g, ' ');
  const known = Object.keys(OUTCOMES) as Outcome[];
  const found = known.find((outcome) => outcome === wanted);
  if (found !== undefined) return found;
  throw new CliError('usage', `--outcome takes ${listedWords(known)}; got "${printable(text)}"`);
}

/** As it is typed in a shell. */
const quoted = (outcome: Outcome): string => (outcome.includes(' ') ? `"${outcome}"` : outcome);
const optionText = (outcomes: readonly Outcome[]): string => outcomes.map(quoted).join(',');
const listedWords = (outcomes: readonly Outcome[]): string =>
  `${outcomes.slice(0, -1).map(quoted).join(', ')} or ${quoted(outcomes[outcomes.length - 1])}`;

/** "2h" is two hours before now; everything else is a date or a time. */
function sinceOf(text: string, zone: Parameters<typeof readMoment>[1], now: number): number {
  const span = readSpan(text);
  return span === undefined ? readMoment(text, zone) : now - span;
}

/** Nothing was found: says so, and whether that is because of the name. Answers the exit code. */
async function isKnown(io: Io, store: Store, query: HistoryQuery): Promise<number> {
  const { task, since, outcome } = query;
  const { records } = await inspect(store);
  const path = printable(store.location);
  if (task === undefined || records.some(({ name }) => name === task)) {
    const which = since === undefined && outcome === undefined ? 'run' : 'such run';
    const whose = task === undefined ? '' : ` of "${printable(task)}"`;
    io.stderr.write(`No ${which}${whose} is in the history of ${path}.\n`);
    return OK;
  }
  const meant = nearest(
    task,
    records.map(({ name }) => name),
  );
  const suggestion = meant === undefined ? '' : `: did you mean "${printable(meant)}"?`;
  io.stderr.write(`${path} knows no task "${printable(task)}"${suggestion}\n`);
  return FAILED;
}
