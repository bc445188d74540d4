/** The program of a thread that plays worlds, or makes the scenario of a failure as short as it gets. */
import { parentPort } from 'node:worker_threads';
import { startedWith } from '../../thread.ts';
import { playTwice, type ShownScenario, smallest } from './kinds.ts';
import { type Job, type Message, Seeds } from './seeds.ts';

async function play(seeds: Seeds, say: (message: Message) => void): Promise<void> {
  for (let seed = seeds.take(); seed !== undefined; seed = seeds.take()) {
    say({ seed });
    const { counts, starts, events, simulatedMs, violations } = await playTwice(seeds.kind, seed);
    const failure = violations.length === 0 ? undefined : { seed, violation: violations[0] };
    say({ played: { counts, starts, events, simulatedMs, failure } });
  }
}

async function work(job: Job): Promise<void> {
  const say = (message: unknown): void => parentPort?.postMessage(message);
  if (job.job === 'play') {
    await play(new Seeds(job.kind, job.first, job.count, job.cells), say);
    return;
  }
  const { seed, violation } = job.failure;
  const shown: ShownScenario = await smallest(job.kind, seed, violation.rule);
  say(shown);
}

Error.stackTraceLimit = 0; // the stacks of errors made on purpose are never read, and they take a tenth of the time
await work(startedWith<Job>('simulation'));
