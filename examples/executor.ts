/**
 * Three tasks, two workers: a heartbeat, a few files to look at one after another, and an index that is brought up to
 * date whenever something has changed. Ends by itself when all of them have. Run it: npm run example:executor
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { createExecutor, every, from, manual } from 'obbligato/executor';

const executor = createExecutor({
  workers: 2,
  onError: (error, { name }) => console.error(`${name} failed:`, error),
});

const folder = new URL('.', import.meta.url);
let lines = 0;

// A timer: every 25 ms, until it is ended.
const heartbeat = executor.add('heartbeat', every(25), () => console.log('♥'));

// Triggered by hand. However often that happens while it runs, one more run follows.
const index = executor.add('index', manual(), async ({ signal }) => {
  await setTimeout(50, undefined, { signal });
  console.log(`index: ${lines} lines so far`);
});

// Pulled: the next file is asked for when the previous one has been dealt with.
executor.add('files', from(files()), async ({ item, signal }) => {
  await setTimeout(10, undefined, { signal }); // this is hard work
  const text = await readFile(new URL(item, folder), { encoding: 'utf8', signal });
  lines += text.split('\n').length;
  index.trigger();
});

async function* files(): AsyncGenerator<string> {
  for (const file of await readdir(folder)) if (file.endsWith('.ts')) yield file;
  heartbeat.end();
  index.end();
}

console.log(await executor.done); // finished; after executor.stop() it would be: stopped
