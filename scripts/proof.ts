/**
 * `npm run proof`: the long form of the proof of the repairs. The same examination as in the tests, of worlds too large for
 * them. Needs some minutes and a few gigabytes of memory.
 *
 *     npm run proof              all worlds
 *     npm run proof -- '1 task'  only worlds whose names contain one of these
 */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { machine } from '../bench/harness.ts';
import { explore } from '../test/theory/proof/explore.ts';
import { large, type Named, sizeInWords } from '../test/theory/proof/instances.ts';
import { createProgress } from './progress.ts';

/** What the exploring thread tells: how far it has come, or how it ended. */
type Message =
  | { readonly states: number }
  | { readonly size: string; readonly refutation: readonly string[] };

/** Explores in a thread, so that this one can hear Ctrl-C. Answers whether the world holds. */
async function examine({ name, expected }: Named): Promise<boolean> {
  console.log(name);
  const progress = createProgress(expected, 'states');
  const worker = new Worker(new URL(import.meta.url), {
    workerData: name,
    resourceLimits: { maxOldGenerationSizeMb: 12_000 },
  });
  let shown = 0;
  const interrupted = (): void => {
    progress.end();
    console.log(`  interrupted after ${shown.toLocaleString('en')} states: nothing is proved`);
    process.exit(130);
  };
  process.once('SIGINT', interrupted);
  try {
    for (;;) {
      const [message]: Message[] = await once(worker, 'message');
      if ('states' in message) {
        const states = Math.min(message.states, expected);
        progress.advance(states - Math.min(shown, expected));
        shown = message.states;
        continue;
      }
      progress.end();
      console.log(`  ${message.size}`);
      for (const line of message.refutation) console.log(`  ${line}`);
      return message.refutation.length === 0;
    }
  } finally {
    process.removeListener('SIGINT', interrupted);
    await worker.terminate();
  }
}

function exploreHere(name: unknown): void {
  const found = large.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no such world: ${name}`);
  const report = explore(found.instance, {
    onProgress: (states) => parentPort?.postMessage({ states } satisfies Message),
  });
  const { refutation } = report;
  parentPort?.postMessage({
    size: sizeInWords(report),
    refutation: refutation === undefined ? [] : [`REFUTED: ${refutation.property}`, ...refutation.trace],
  } satisfies Message);
}

async function campaign(wanted: readonly string[]): Promise<number> {
  const chosen = large.filter(
    ({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
  );
  if (chosen.length === 0) {
    console.error(
      `No world's name contains ${wanted.join(' or ')}. There are:\n${large.map(({ name }) => name).join('\n')}`,
    );
    return 2;
  }
  console.log(machine());
  let code = 0;
  for (const world of chosen) if (!(await examine(world))) code = 1;
  console.log(code === 0 ? 'Obligation and pending coincide in every state.' : 'REFUTED.');
  return code;
}

if (isMainThread) process.exitCode = await campaign(process.argv.slice(2));
else exploreHere(workerData);
