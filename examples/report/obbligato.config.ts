/**
 * A report that is sent once, whatever happens: `npm run example:report`.
 *
 * A run may be repeated: it failed, or a crash cut it off before its end was written down. Then it is unknown whether the report had
 * already been sent. So every run carries a `key`, which stays the same until the work has succeeded, and the receiver keeps it: what
 * comes twice under one key is one report. Mail services and payment services take such a key, often as `Idempotency-Key`.
 *
 * Here the answer to each first attempt is lost, so each report is tried twice. Look into `outbox`: each is there once. Kill it with
 * `kill -9` right after "sent" and start it again: still once.
 */
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineConfig, type RunContext, seconds } from 'obbligato';

async function report({ key, attempt, scheduledFor }: RunContext): Promise<void> {
  const text = `Report for ${scheduledFor.toISOString()}\nThe load of this machine is ${loadavg()[0].toFixed(2)}.\n`;
  const outcome = await send(key, text);
  console.log(`${outcome}, key ${key}, attempt ${attempt}`);
  await sleep(2000); // a crash in here comes after the report was sent, and before the scheduler can know
  if (attempt === 1) throw new Error('the connection was lost before the answer came');
}

/** The receiver: a folder with one file for each key. To link a file that is whole to its name is one step, and fails if the name is taken. */
async function send(key: string, text: string): Promise<'sent' | 'sent before, not again'> {
  await mkdir('outbox', { recursive: true });
  const draft = `outbox/.${key}.draft`;
  await writeFile(draft, text);
  try {
    await link(draft, `outbox/${key}.txt`);
    return 'sent';
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'EEXIST') throw error;
    return 'sent before, not again';
  } finally {
    await rm(draft);
  }
}

export default defineConfig({
  tasks: [['report', '* * * * *', report, seconds(3)]],
});
