/** `obbligato check`: the oracle's verdict on recorded traces. */
import { existsSync, globSync } from 'node:fs';
import { resolve } from 'node:path';
import { TraceFileError } from '../../index.ts';
import { printableLines } from '../../text/printable.ts';
import type { MonitorOptions } from '../../theory/index.ts';
import type { Arguments, Command, Io } from '../args/command.ts';
import { amountOf, isGiven } from '../args/values.ts';
import {
  isOfCluster,
  type Judgeable,
  type Judged,
  judgeTrace,
  mergedTrace,
  oneTrace,
} from '../check/judge-trace.ts';
import { verdictText } from '../check/verdict-text.ts';
import { AT_FAULT, ENVIRONMENT, FORCED, isCliError, MISUSED, OK } from '../errors.ts';
import { ReadingProgress } from '../terminal/progress.ts';
import { styleFor } from '../terminal/style.ts';
import { json } from '../terminal/text.ts';

const HELP = `
Judges traces by the theory of what a scheduler has to do: whether every axiom holds, and what broke, when, for which task, and whose
fault it was. A trace is what "obbligato run --trace" or traceFile() has written, of this scheduler, or of any other; the rotated files of a
trace are read with it. "-" reads standard input. A name with "*" stands for all files that it fits.

Several traces of instances that share one database are judged as one scheduler; give all of them. Other traces are judged one after the
other, each by itself.

An axiom holds (it was put to the test), is violated, undecided (something is owed and not yet late, or no finite trace can decide it), or
vacuous (nothing in the trace put it to the test).

Options
  --lag <seconds>    what is owed is done within this time in which the environment let it work (60)
  --a <units>        and within so much compute for each bit of the list of tasks and of the instant (0)
  --b <units>        and so much in any case (0)
  --each             judge every trace by itself, also those of instances that share a database
  --all              the informative parts too: assumptions, theorems, and the properties of the polling specification
  --json             one JSON document

Exit codes
  0    conformant
  1    a scheduler is at fault, or something happened outside the model
  2    a file is missing, cannot be read, or is no trace
  3    no scheduler is at fault, but an environment: a clock, a machine, a store, a recorder
  130  left at Ctrl-C
  With several traces, the first of 1, 2, 3 and 0 that is true of one of them.

Examples
  obbligato check trace.jsonl
  obbligato check --lag 1 trace.jsonl
  obbligato check host-a.jsonl host-b.jsonl
  obbligato check --json *.jsonl | jq '.traces[] | select(.conformant | not) | .trace'
  zcat old.jsonl.gz | obbligato check -
`;

export const checkCommand: Command = {
  name: 'check',
  summary: 'Judge recorded traces: what broke, and whose fault it was',
  help: HELP,
  options: {
    lag: { type: 'string' },
    a: { type: 'string' },
    b: { type: 'string' },
    all: { type: 'boolean' },
    each: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'trace', required: true, repeated: true }],
  async run(io, args) {
    const options = optionsOf(args);
    const leaving = new AbortController();
    // Listened to, so that a half drawn line is taken away before the process leaves.
    const leave = (): void => leaving.abort();
    process.once('SIGINT', leave);
    const found: Finding[] = [];
    try {
      for (const judgeable of await tracesOf(io, args)) {
        const finding = await look(io, judgeable, options, leaving.signal);
        if (finding === undefined) return FORCED;
        if (!isGiven(args, 'json')) say(io, finding, found.length > 0 ? '\n' : '');
        found.push(finding);
      }
    } finally {
      process.off('SIGINT', leave);
    }
    if (isGiven(args, 'json')) io.stdout.write(json({ traces: found.map(documentOf) }));
    return [AT_FAULT, MISUSED, ENVIRONMENT].find((code) => found.some((one) => codeOf(one) === code)) ?? OK;
  },
};

function optionsOf(args: Arguments): MonitorOptions {
  const witnesses = {
    a: amountOf(args, { option: 'a', fallback: 0 }),
    b: amountOf(args, { option: 'b', fallback: 0 }),
    lagMs: amountOf(args, { option: 'lag', fallback: 60 }) * 1000,
  };
  const informative = ['assumptions', 'theorems', 'polling'] as const;
  return {
    witnesses,
    theory: ['scheduler', 'environment', ...(isGiven(args, 'all') ? informative : [])],
  };
}

/** What came of one trace: a verdict, or why there is none. */
type Finding = { readonly trace: string } & (
  | { readonly judged: Judged }
  | { readonly judged?: undefined; readonly error: Error }
);

/** What is to be judged: every trace, or all of a cluster as one (K9). */
async function tracesOf(io: Io, args: Arguments): Promise<readonly Named[]> {
  const names = args.positionals.flatMap((name) => filesOf(io, name));
  const ofCluster: string[] = [];
  if (!isGiven(args, 'each') && names.length > 1)
    for (const name of names) if (await sharesItsStore(resolve(io.cwd, name))) ofCluster.push(name);
  const alone = ofCluster.length > 1 ? names.filter((name) => !ofCluster.includes(name)) : names;
  const files = ofCluster.map((name) => resolve(io.cwd, name));
  const together = { name: ofCluster.join(' + '), judge: () => mergedTrace(ofCluster[0], files, io.cwd) };
  return [
    ...(ofCluster.length > 1 ? [together] : []),
    ...alone.map((name) => ({
      name,
      judge: () => oneTrace(name, name === '-' ? io.stdin : resolve(io.cwd, name)),
    })),
  ];
}

/** What is to be judged, under a name. It is opened when its turn comes. */
interface Named {
  readonly name: string;
  judge(): Judgeable;
}

/** A shell replaces "*" itself, unless it was quoted; some do not. Rotated files are read with the one that is being written. */
function filesOf({ cwd }: Io, name: string): readonly string[] {
  if (!/[*?[]/.test(name) || existsSync(resolve(cwd, name))) return [name];
  const found = globSync(name, { cwd }).sort();
  const files = found.filter(
    (file) => !file.endsWith('.lock') && !(/\.\d+$/.test(file) && found.includes(file.replace(/\.\d+$/, ''))),
  );
  return files.length === 0 ? [name] : files;
}

/** What cannot be read is reported when its turn comes. */
const sharesItsStore = (file: string): Promise<boolean> => isOfCluster(file).catch(() => false);

async function look(
  io: Io,
  { name, judge }: Named,
  options: MonitorOptions,
  leaving: AbortSignal,
): Promise<Finding | undefined> {
  const progress = new ReadingProgress(io, name);
  try {
    const judged = await judgeTrace(judge(), options, {
      read: (bytesRead, bytesTotal) => progress.read(bytesRead, bytesTotal),
      leaving,
    });
    return judged === undefined ? undefined : { trace: name, judged };
  } catch (error) {
    if (!(error instanceof TraceFileError || isCliError(error, 'no trace'))) throw error;
    return { trace: name, error };
  } finally {
    progress.end();
  }
}

function say(io: Io, finding: Finding, gap: string): void {
  if (finding.judged === undefined) {
    io.stderr.write(
      `${styleFor(io.stderr, io.env).red('error:')} ${printableLines(finding.error.message)}\n`,
    );
    return;
  }
  io.stdout.write(gap + verdictText(io, finding.trace, finding.judged));
}

function documentOf(finding: Finding): object {
  const { trace } = finding;
  if (finding.judged === undefined) return { trace, error: finding.error.message };
  const { zone, beginsWith } = finding.judged;
  const { of: _, ...verdict } = finding.judged.verdict;
  const whole = beginsWith === undefined ? {} : { beginsInTheMiddle: true };
  return { trace, timeZone: zone.name, ...whole, ...verdict };
}

function codeOf({ judged }: Finding): number {
  if (judged === undefined) return MISUSED;
  const { conformant, blame } = judged.verdict;
  if (!conformant) return AT_FAULT;
  return blame === 'environment' ? ENVIRONMENT : OK;
}
