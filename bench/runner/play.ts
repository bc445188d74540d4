/**
 * Measures a scenario. The contenders take turns (A B C, A B C, …), so that a noisy neighbour or a warm machine affects all of them
 * alike; where no figure is a time, they go together. Each turn is one or more processes that have nothing else to do. A contender that dies
 * is noted, and the others go on.
 */
import { type ChildOptions, ContenderError, runContender } from './child.ts';
import { type Environment, resultOf, type ScenarioResult } from './result.ts';
import type { Contender, Figures, Round, Scenario } from './scenario.ts';

export interface PlayOptions {
  readonly environment: Environment;
  readonly runs: number;
  readonly isQuick: boolean;
  /** Ends what runs. What was measured until then is the result. */
  readonly signal: AbortSignal;
  /** Hears of each turn. */
  readonly watcher: Watcher;
}

export interface Watcher {
  began(turn: Turn): void;
  ended(turn: Turn, outcome: Figures | ContenderError): void;
}

export interface Turn {
  readonly scenario: Scenario;
  readonly contender: Contender;
  /** From 1. */
  readonly run: number;
  readonly runs: number;
}

export async function play(scenario: Scenario, options: PlayOptions): Promise<ScenarioResult> {
  const samples = scenario.contenders.map(() => ({ figures: [] as Figures[], failures: [] as string[] }));
  for (let run = 1; run <= options.runs && !options.signal.aborted; run++) {
    const outcomes = new Map<string, Figures | ContenderError>();
    const takesTurn = async (contender: Contender, index: number): Promise<void> => {
      if (options.signal.aborted || contender.notRun !== undefined) return;
      const turn = { scenario, contender, run, runs: options.runs };
      options.watcher.began(turn);
      const outcome = await outcomeOf(contender, roundOf(outcomes), { ...options, ...scenario });
      if (outcome === undefined) return;
      options.watcher.ended(turn, outcome);
      outcomes.set(contender.name, outcome);
      if (outcome instanceof ContenderError) samples[index].failures.push(outcome.message);
      else samples[index].figures.push(outcome);
    };
    if (scenario.areTogether) await Promise.all(scenario.contenders.map(takesTurn));
    else for (const [index, contender] of scenario.contenders.entries()) await takesTurn(contender, index);
  }
  const { environment, isQuick, runs, signal } = options;
  return resultOf(scenario, samples, { environment, isQuick, runs, isInterrupted: signal.aborted });
}

/** Undefined if the run was interrupted. */
async function outcomeOf(
  contender: Contender,
  round: Round,
  options: ChildOptions,
): Promise<Figures | ContenderError | undefined> {
  try {
    return await runContender(contender, round, options);
  } catch (error) {
    if (options.signal.aborted) return undefined;
    if (error instanceof ContenderError) return error;
    throw error;
  }
}

function roundOf(outcomes: ReadonlyMap<string, Figures | ContenderError>): Round {
  return {
    figuresOf(name) {
      const outcome = outcomes.get(name);
      if (outcome === undefined) throw new Error(`no contender before this one is called ${name}`);
      if (outcome instanceof ContenderError)
        throw new ContenderError(`it repeats what ${name} has done, and that failed`);
      return outcome;
    },
  };
}
