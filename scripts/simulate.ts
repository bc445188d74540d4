/**
 * `npm run simulate -- --seeds 100000 [--seed N] [--minutes M]`: worlds by the thousand, each played twice, on all cores. Prints
 * what was injected and how fast, and for the first failure its seed, its scenario cut down, and how to see it again. Ctrl-C stops
 * after the worlds that are being played, and prints what was done.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import {
  addCounts,
  createCounts,
  createWorld,
  describeScenario,
  type FaultCounts,
  regressionTest,
  runTwice,
  shrink,
  type Violation,
} from '../src/simulation/index.ts';
import { createProgress } from './progress.ts';

const CHUNK = 50;

interface Done {
  readonly seeds: number;
  readonly counts: FaultCounts;
  readonly starts: number;
  readonly events: number;
  readonly simulatedMs: number;
  readonly failures: readonly { readonly seed: number; readonly violation: Violation }[];
}

/** One world after the other, from a seed on. */
async function playSeeds(first: number, count: number): Promise<Done> {
  const counts = createCounts();
  const failures: { seed: number; violation: Violation }[] = [];
  let [starts, events, simulatedMs] = [0, 0, 0];
  for (let seed = first; seed < first + count; seed++) {
    const report = await runTwice(createWorld({ seed }));
    addCounts(counts, report.counts);
    starts += report.starts;
    events += report.events;
    simulatedMs += report.simulatedMs;
    if (report.violations.length > 0) failures.push({ seed, violation: report.violations[0] });
  }
  return { seeds: count, counts, starts, events, simulatedMs, failures };
}

/** Hands out seeds to threads until there are no more, the time is up, or somebody says stop. */
async function campaign(first: number, seeds: number, minutes: number): Promise<number> {
  const progress = createProgress(seeds, 'worlds');
  const startedAt = performance.now();
  const counts = createCounts();
  const failures: Done['failures'][number][] = [];
  let [next, done, starts, events, simulatedMs] = [first, 0, 0, 0, 0];
  let stopped = false;
  process.once('SIGINT', () => {
    stopped = true;
  });
  const threads = availableParallelism();
  process.stderr.write(`${seeds} worlds from seed ${first}, on ${threads} threads; Ctrl-C ends it\n`);
  const isOver = (): boolean =>
    stopped || next >= first + seeds || performance.now() - startedAt > minutes * 60_000;
  const work = async (): Promise<void> => {
    const thread = new Worker(new URL(import.meta.url), { workerData: 'simulate' });
    while (!isOver()) {
      const count = Math.min(CHUNK, first + seeds - next);
      thread.postMessage({ first: next, count });
      next += count;
      const part = await new Promise<Done>((resolve, reject) =>
        thread.once('message', resolve).once('error', reject),
      );
      thread.removeAllListeners('error');
      done += part.seeds;
      starts += part.starts;
      events += part.events;
      simulatedMs += part.simulatedMs;
      addCounts(counts, part.counts);
      failures.push(...part.failures);
      progress.advance(part.seeds);
    }
    await thread.terminate();
  };
  await Promise.all(Array.from({ length: threads }, work));
  progress.end();
  const seconds = (performance.now() - startedAt) / 1000;
  const faults = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  console.log(
    `${done} worlds from seed ${first}, each twice, in ${seconds.toFixed(1)} s (${(done / seconds).toFixed(0)} seeds/s); ` +
      `${starts} starts, ${events} events, ${(simulatedMs / 86_400_000).toFixed(0)} days simulated ` +
      `(${Math.round((2 * simulatedMs) / 1000 / seconds).toLocaleString('en')} times faster than real time)`,
  );
  console.log(`faults: ${faults.join(', ')}`);
  console.log(`${failures.length} worlds with a violation${stopped ? '; stopped before the end' : ''}`);
  failures.sort((one, other) => one.seed - other.seed);
  if (failures.length > 0) await tell(failures[0]);
  return failures.length;
}

async function tell({ seed, violation }: Done['failures'][number]): Promise<void> {
  console.log(`\nseed ${seed}, ${violation.rule}: ${violation.because}`);
  console.log(`see it again: npm run simulate -- --seeds 1 --seed ${seed}\n`);
  const { scenario } = createWorld({ seed });
  const small = await shrink(scenario, violation.rule);
  console.log(`${describeScenario(small)}\n\n${regressionTest(small, `${violation.rule} seed ${seed}`)}`);
}

function main(): void {
  const { values } = parseArgs({
    options: { seeds: { type: 'string' }, seed: { type: 'string' }, minutes: { type: 'string' } },
  });
  const seeds = Number(values.seeds ?? 10_000);
  const first = Number(values.seed ?? 1);
  const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY);
  if (!(Number.isSafeInteger(seeds) && seeds > 0 && Number.isSafeInteger(first) && minutes > 0)) {
    console.error('Usage: npm run simulate -- [--seeds 10000] [--seed 1] [--minutes M]');
    process.exitCode = 2;
    return;
  }
  void campaign(first, seeds, minutes).then((failures) => {
    process.exitCode = failures === 0 ? 0 : 1;
  });
}

if (isMainThread) main();
else if (workerData === 'simulate') {
  Error.stackTraceLimit = 0; // nobody reads the stacks of errors made on purpose, and they take a tenth of the time
  parentPort?.on('message', ({ first, count }: { first: number; count: number }) => {
    void playSeeds(first, count).then((done) => parentPort?.postMessage(done));
  });
}
