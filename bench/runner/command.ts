/** The command `npm run bench`: runs what was chosen, prints it, and writes what belongs into the documents. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { json } from '../../src/cli/terminal/text.ts';
import { type Arguments, type Benchmarks, HELP, readArguments, UsageError } from './arguments.ts';
import { chartOf } from './charts.ts';
import { storedResult, withFigures } from './page.ts';
import { play } from './play.ts';
import { type ProgramResult, runProgram } from './program.ts';
import { Progress } from './progress.ts';
import { type Environment, environmentLine, environmentOf, type ScenarioResult } from './result.ts';
import type { Scenario } from './scenario.ts';
import { textTable } from './tables.ts';

/** Where results belong. */
export interface Documents {
  /** The folder of results and charts. */
  readonly folder: string;
  /** Pages with figures in them; they are written again when results in `folder` are. */
  readonly pages: readonly string[];
}

interface Results {
  readonly environment: Environment;
  readonly scenarios: readonly ScenarioResult[];
  readonly programs: readonly ProgramResult[];
  readonly isInterrupted: boolean;
}

/** Calls `prepare` before anything is measured. Returns the exit code. */
export async function benchCommand(
  words: readonly string[],
  all: Benchmarks,
  documents: Documents,
  prepare: () => void = () => {},
): Promise<number> {
  try {
    const given = readArguments(words, all, documents.folder);
    if (given.wants === 'help') process.stdout.write(HELP);
    else if (given.wants === 'list') process.stdout.write(listOf(given.chosen));
    else if (given.wants === 'redraw') redraw(given.chosen, documents);
    else {
      prepare();
      return await runChosen(given, documents);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`error: ${error.message}\n"npm run bench -- --help" says what can be written\n`);
    return 2;
  }
}

function listOf({ scenarios, programs }: Benchmarks): string {
  const all = [...scenarios, ...programs];
  const width = Math.max(...all.map(({ name }) => name.length));
  return all.map(({ name, title }) => `${name.padEnd(width)}  ${title}\n`).join('');
}

async function runChosen(given: Arguments, documents: Documents): Promise<number> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort(new Error('interrupted'));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    const results = await measure(given, documents, interruption.signal);
    if (given.isJson) process.stdout.write(json(results));
    if (results.isInterrupted) {
      process.stderr.write(
        '\ninterrupted: what is above was measured until then; the last scenario is not complete and was not written\n',
      );
      return 130;
    }
    return isWell(results) ? 0 : 1;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

const isWell = ({ scenarios, programs }: Results): boolean =>
  programs.every(({ exitCode }) => exitCode === 0) &&
  scenarios.every(
    ({ contenders, bounds }) =>
      contenders.every(({ failures }) => failures.length === 0) && bounds.every(({ isMet }) => isMet),
  );

/** A page that shows others as failed, because this machine was busy, would be unfair. */
const isComplete = ({ contenders }: ScenarioResult): boolean =>
  contenders.every(({ figures, notRun }) => notRun !== undefined || Object.keys(figures).length > 0);

const turnsOf = ({ contenders }: Scenario): number =>
  contenders.filter(({ notRun }) => notRun === undefined).length;

async function measure(given: Arguments, documents: Documents, signal: AbortSignal): Promise<Results> {
  const { chosen, isQuick, isJson, out } = given;
  const runsOf = (scenario: Scenario): number => given.runs ?? scenario.runs;
  const turns = chosen.scenarios.reduce((sum, each) => sum + runsOf(each) * turnsOf(each), 0);
  const environment = environmentOf(new Date());
  const results = { scenarios: [] as ScenarioResult[], programs: [] as ProgramResult[] };
  const print = (text: string): void => {
    progress.clear();
    (isJson ? process.stderr : process.stdout).write(text);
  };
  const progress = new Progress(turns + chosen.programs.length);
  print(
    `${environmentLine(environment)}${isQuick ? '\nquick: nothing waits for the beginning of a minute' : ''}\n`,
  );
  for (const scenario of chosen.scenarios) {
    if (signal.aborted) break;
    const options = { environment, runs: runsOf(scenario), isQuick, signal, watcher: progress };
    const result = await play(scenario, options);
    results.scenarios.push(result);
    print(`\n${textTable(result)}`);
    if (out === undefined || signal.aborted) continue;
    if (isComplete(result)) writeResult(result, out, documents);
    else print('  not written, because a contender has no figures\n');
  }
  for (const program of chosen.programs) {
    if (signal.aborted) break;
    progress.doing(program.name);
    print(`\n${program.name}: ${program.title}\n`);
    const result = await runProgram(program, signal, print);
    if (result !== undefined) results.programs.push(result);
    progress.didOne();
  }
  progress.end();
  return { environment, ...results, isInterrupted: signal.aborted };
}

/** Charts and pages, from what is stored. */
function redraw({ scenarios }: Benchmarks, documents: Documents): void {
  for (const { name } of scenarios) {
    const result = storedResult(documents.folder, name);
    process.stdout.write(`${name}: ${result === undefined ? 'not measured yet' : 'drawn again'}\n`);
    if (result !== undefined) writeFileSync(join(documents.folder, `${name}.svg`), chartOf(result));
  }
  writePages(documents);
}

/** The result and its chart. The pages show what is in the folder of the documents. */
function writeResult(result: ScenarioResult, out: string, documents: Documents): void {
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, `${result.name}.json`), json(result));
  writeFileSync(join(out, `${result.name}.svg`), chartOf(result));
  if (out === documents.folder) writePages(documents);
}

function writePages({ folder, pages }: Documents): void {
  for (const page of pages)
    writeFileSync(page, withFigures(readFileSync(page, 'utf8'), folder, relative(dirname(page), folder)));
}
