/** Worlds by the thousand on all cores, until there are no more seeds, the time is up, or somebody says stop. */
import type { Worker } from 'node:worker_threads';
import { addCounts, createCounts, type FaultCounts } from '../../simulation/index.ts';
import type { Kind, ShownScenario } from './kinds.ts';
import { startPlayer, startShrinking } from './player.ts';
import { type Failure, type Message, type Played, Seeds } from './seeds.ts';

export interface CampaignOptions {
  readonly kind: Kind;
  readonly firstSeed: number;
  readonly seeds: number;
  readonly threads: number;
  /** Infinity for no limit. */
  readonly limitMs: number;
  /** Aborted when no further world is to be begun. */
  readonly stopping: AbortSignal;
  /** One more world has been played, and this was wrong with it. */
  played(failure: Failure | undefined): void;
}

/** Why it is over. */
export type Outcome = 'all seeds were played' | 'the time was up' | 'it was interrupted';

export interface Tally {
  readonly outcome: Outcome;
  readonly worlds: number;
  readonly wallMs: number;
  readonly counts: FaultCounts;
  readonly starts: number;
  readonly events: number;
  readonly simulatedMs: number;
  readonly failures: number;
  /** The lowest of them. */
  readonly failingSeeds: readonly number[];
  /** That of the lowest seed, which is the same however many threads there are, if all seeds were played. */
  readonly firstFailure: Failure | undefined;
}

export async function playCampaign(options: CampaignOptions): Promise<Tally> {
  const { kind, firstSeed, seeds: count, threads, limitMs, stopping } = options;
  const startedAt = performance.now();
  const seeds = new Seeds(kind, firstSeed, count);
  const sum = new Sum();
  const end = (outcome: Outcome): void => {
    sum.outcome = outcome;
    seeds.end();
  };
  const interrupt = (): void => end('it was interrupted');
  if (stopping.aborted) interrupt();
  stopping.addEventListener('abort', interrupt, { once: true });
  const timer = Number.isFinite(limitMs) ? setTimeout(() => end('the time was up'), limitMs) : undefined;
  const add = (played: Played): void => {
    sum.add(played);
    options.played(played.failure);
  };
  await Promise.all(Array.from({ length: Math.min(threads, count) }, () => watchPlayer(seeds, add)));
  clearTimeout(timer);
  stopping.removeEventListener('abort', interrupt);
  return sum.tally(count, performance.now() - startedAt);
}

/**
 * One thread after the other until the seeds are used up: a bug may reach the thread itself and end it (F1). That is a failure of
 * the world that it played, and the next thread goes on with the next seed.
 */
async function watchPlayer(seeds: Seeds, add: (played: Played) => void): Promise<void> {
  for (;;) {
    const player = startPlayer(seeds);
    let seed: number | undefined;
    player.on('message', (message: Message) => {
      if ('played' in message) add(message.played);
      else ({ seed } = message);
    });
    const error = await endOf(player);
    if (error === undefined) return;
    if (seed === undefined) throw error;
    add(diedIn(seed, error));
  }
}

/** How a thread ended: undefined if in order. All that it said before has been heard by then. */
const endOf = (thread: Worker): Promise<Error | undefined> =>
  new Promise((resolve) => {
    let failure: Error | undefined;
    thread.once('error', (error) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    thread.once('exit', () => resolve(failure));
  });

const diedIn = (seed: number, error: Error): Played => ({
  counts: createCounts(),
  starts: 0,
  events: 0,
  simulatedMs: 0,
  failure: {
    seed,
    violation: { rule: DIED, at: 0, because: `an error reached the process: ${error.message}` },
  },
});

/** F1: nothing that happens in a callback, and nothing of the scheduler's own, reaches the process. */
const DIED = 'F1';

/** At most so many failing seeds are listed. */
export const MOST_SEEDS = 100;

class Sum {
  outcome: Outcome = 'all seeds were played';
  readonly #counts = createCounts();
  #worlds = 0;
  #starts = 0;
  #events = 0;
  #simulatedMs = 0;
  readonly #failing: number[] = [];
  #firstFailure: Failure | undefined;

  add({ counts, starts, events, simulatedMs, failure }: Played): void {
    addCounts(this.#counts, counts);
    this.#worlds++;
    this.#starts += starts;
    this.#events += events;
    this.#simulatedMs += simulatedMs;
    if (failure === undefined) return;
    this.#failing.push(failure.seed);
    if (this.#firstFailure === undefined || failure.seed < this.#firstFailure.seed)
      this.#firstFailure = failure;
  }

  tally(seeds: number, wallMs: number): Tally {
    return {
      // A stop that came while the last world was being played has stopped nothing.
      outcome: this.#worlds >= seeds ? 'all seeds were played' : this.outcome,
      worlds: this.#worlds,
      wallMs,
      counts: this.#counts,
      starts: this.#starts,
      events: this.#events,
      simulatedMs: this.#simulatedMs,
      failures: this.#failing.length,
      failingSeeds: this.#failing.toSorted((a, b) => a - b).slice(0, MOST_SEEDS),
      firstFailure: this.#firstFailure,
    };
  }
}

/**
 * The scenario of a failure, cut down in a thread of its own; undefined if it cannot be, since it ends that one too, or if somebody
 * says stop meanwhile.
 */
export async function shrunk(
  kind: Kind,
  failure: Failure,
  stopping: AbortSignal,
): Promise<ShownScenario | undefined> {
  const thread = startShrinking(kind, failure);
  const leave = (): void => void thread.terminate();
  stopping.addEventListener('abort', leave, { once: true });
  let scenario: ShownScenario | undefined;
  thread.once('message', (smallest: ShownScenario) => {
    scenario = smallest;
  });
  await endOf(thread);
  stopping.removeEventListener('abort', leave);
  return scenario;
}
