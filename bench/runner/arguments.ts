/** The words behind `npm run bench --`. */
import { parseArgs } from 'node:util';
import { nearest } from '../../src/text/nearest.ts';
import type { Scenario } from './scenario.ts';

/** A benchmark that measures within its own process, and prints what it finds. */
export interface Program {
  readonly name: string;
  readonly title: string;
  /** The path of its file. */
  readonly file: string;
}

export interface Benchmarks {
  readonly scenarios: readonly Scenario[];
  readonly programs: readonly Program[];
}

export interface Arguments {
  readonly wants: 'run' | 'help' | 'list' | 'redraw';
  readonly chosen: Benchmarks;
  /** How many rounds; undefined for what each scenario has by default. */
  readonly runs: number | undefined;
  readonly isQuick: boolean;
  readonly isJson: boolean;
  /** Where results and charts are written; undefined for nowhere. */
  readonly out: string | undefined;
}

/** The words make no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const HELP = `npm run bench [-- [options] [names]]

Runs the benchmarks of those names, or all. A name also stands for the names that begin with it: "scheduler" for
"scheduler-peers" and the others. The contenders of a scenario take turns, each in processes of its own.

  --only <name>   the same as a name; may be given several times
  --runs <n>      how often each contender is measured
  --quick         one run, and nothing waits for the beginning of a minute
  --json          the results as one JSON document on the standard output, everything else on the error output
  --out <folder>  where results and charts are written: docs/benchmarks by default, nowhere in a quick run
  --redraw        measures nothing, and writes charts and pages again from the stored results
  --list          the names, and what each of them measures
  --help          this text

Exits with 0, with 1 if a bound was missed or a contender failed, with 2 if a word is wrong, with 130 after Ctrl-C.
`;

export function readArguments(words: readonly string[], all: Benchmarks, folder: string): Arguments {
  const { values, positionals } = parsed(words);
  const names = [...positionals, ...(values.only ?? [])];
  const isQuick = values.quick === true;
  return {
    wants: (['help', 'list', 'redraw'] as const).find((name) => values[name] === true) ?? 'run',
    chosen: chosenOf(all, names),
    runs: values.runs === undefined ? (isQuick ? 1 : undefined) : runsOf(values.runs),
    isQuick,
    isJson: values.json === true,
    out: values.out ?? (isQuick ? undefined : folder),
  };
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        only: { type: 'string', multiple: true },
        runs: { type: 'string' },
        quick: { type: 'boolean' },
        json: { type: 'boolean' },
        out: { type: 'string' },
        list: { type: 'boolean' },
        redraw: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function runsOf(text: string): number {
  const runs = Number(text);
  if (!/^\d+$/.test(text) || runs < 1 || runs > 1000)
    throw new UsageError(`--runs takes a whole number from 1 to 1000, not "${text}"`);
  return runs;
}

/** Refuses a name that stands for nothing. */
function chosenOf({ scenarios, programs }: Benchmarks, names: readonly string[]): Benchmarks {
  const known = [...scenarios, ...programs].map(({ name }) => name);
  const isMeant = (name: string, word: string): boolean => name === word || name.startsWith(`${word}-`);
  for (const word of names) {
    if (known.some((name) => isMeant(name, word))) continue;
    const meant = nearest(word, [...new Set(known.map((name) => name.split('-')[0])), ...known]);
    const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
    throw new UsageError(`No benchmark is called "${word}".${advice} There are: ${known.join(', ')}`);
  }
  const isChosen = ({ name }: { readonly name: string }): boolean =>
    names.length === 0 || names.some((word) => isMeant(name, word));
  return { scenarios: scenarios.filter(isChosen), programs: programs.filter(isChosen) };
}
