/**
 * A program that uses what is in threads and files of the package: the store, the watcher of a trace, `inThread`, the page, the version. A bundle of it
 * has to carry all that along. It is started twice on one store, in a folder that has nothing else.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { manifest, run } from './packed.ts';

const BODY = `
async function main() {
  console.log('the program begins');
  const store = sqlite('jobs.db');
  const past = existsSync('jobs.db') ? await Array.fromAsync(history(store)) : [];
  console.log('it knows a run:', past.length > 0);
  const scheduler = createScheduler({ store, timeZone: 'UTC', logger: false });
  const hasRun = Promise.withResolvers();
  await scheduler.initialize([task({ name: 'job', cron: '* * * * *', run: () => hasRun.resolve() })]);
  if (past.length > 0) await control(store).run('job');
  await hasRun.promise;
  const module = join(process.cwd(), 'work.mjs');
  writeFileSync(module, "export default () => console.log('a module has run in a thread');");
  const threaded = inThread(module);
  await threaded({ name: 'threaded' });
  await threaded.close();
  const page = await serveDashboard({ store, port: 0 });
  const html = await (await fetch(page.url)).text();
  await page.close();
  console.log('the page has its script:', html.includes('<script'));
  const telemetry = metrics({ store, timeZone: 'UTC' });
  console.log('version:', /version="([^"]+)"/.exec(await telemetry.text())?.[1]);
  telemetry.close();
  await scheduler.stop();
  await watch();
  console.log('it has stopped');
}
async function watch() {
  const trace = traceFile('watched.jsonl', { frozenAfter: 50 });
  const isFreezeSeen = async () => {
    for await (const { record } of readTrace('watched.jsonl')) if (record.event === 'Frozen') return true;
    return false;
  };
  do {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    trace({ event: 'StopStart', at: Date.now(), call: 1 });
  } while (!(await isFreezeSeen()));
  await trace.close();
}
main();
`;
const NAMES = {
  'node:fs': 'existsSync, writeFileSync',
  'node:path': 'join',
  obbligato: 'control, createScheduler, history, readTrace, sqlite, task, traceFile',
  'obbligato/dashboard': 'serveDashboard',
  'obbligato/executor': 'inThread',
  'obbligato/telemetry': 'metrics',
};
const program = (line: (names: string, door: string) => string): string =>
  Object.entries(NAMES)
    .map(([door, names]) => line(names, door))
    .join('\n') + BODY;

/** The program as a module, and in CommonJS. */
export const PROGRAMS = {
  esm: program((names, door) => `import { ${names} } from '${door}';`),
  cjs: program((names, door) => `const { ${names} } = require('${door}');`),
};

/** Copies a bundle into a folder of its own. */
export async function inEmptyFolder(
  bundle: string,
  job: (file: string, folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-bundled-'));
  const file = join(folder, basename(bundle));
  copyFileSync(bundle, file);
  try {
    await job(file, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a bundle in two lives, alone with its store. */
export const plays = (bundle: string): Promise<void> =>
  inEmptyFolder(bundle, async (file, cwd) => {
    for (const knows of [false, true]) {
      const { stdout, stderr } = await run(process.execPath, [file], { cwd });
      assert.equal(stderr, '');
      assert.deepEqual(stdout.split('\n'), [
        'the program begins',
        `it knows a run: ${knows}`,
        'a module has run in a thread',
        'the page has its script: true',
        `version: ${manifest.version}`,
        'it has stopped',
        '',
      ]);
    }
  });
