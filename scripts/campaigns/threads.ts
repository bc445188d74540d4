/**
 * Units that are examined in threads, each in one go, while the main thread hears Ctrl-C and draws the progress. The threads run the
 * file that calls `inThreads`: there the call serves, and everywhere else it returns how a portion is played.
 */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Outcome, summed } from '../../test/outcome.ts';
import type { Campaign } from './campaign.ts';

/** `at` tells which part of the unit is done. */
export type Examine = (unit: string, at: (part: number) => void) => Outcome | Promise<Outcome>;

type Message = { readonly part: number } | { readonly outcome: Outcome };

export function inThreads(url: string, name: string, examine: Examine, threads = 1): Campaign['play'] {
  if (!isMainThread && workerData === name) serve(examine);
  return async ({ units, advance, signal }) => {
    const waiting = [...units];
    const outcomes: Outcome[] = [];
    const work = async (): Promise<void> => {
      const worker = new Worker(new URL(url), {
        workerData: name,
        resourceLimits: { maxOldGenerationSizeMb: 12_000 },
      });
      try {
        for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
          worker.postMessage(unit);
          outcomes.push(await answerOf(worker, signal, advance));
        }
      } finally {
        await worker.terminate();
      }
    };
    await Promise.all(Array.from({ length: Math.min(threads, units.length) }, work));
    return { ...summed(outcomes), done: units.length };
  };
}

function serve(examine: Examine): void {
  const tell = (message: Message): void => parentPort?.postMessage(message);
  parentPort?.on('message', async (unit: string) => {
    tell({ outcome: await examine(unit, (part) => tell({ part })) });
  });
}

async function answerOf(
  worker: Worker,
  signal: AbortSignal,
  advance: (by: number) => void,
): Promise<Outcome> {
  for (let told = 0; ; ) {
    const [message]: Message[] = await once(worker, 'message', { signal });
    const part = 'part' in message ? Math.min(message.part, 1) : 1;
    advance(part - told);
    told = part;
    if ('outcome' in message) return message.outcome;
  }
}
