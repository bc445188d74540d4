/**
 * Tries the tests where they might not pass: brings the files as they lie here into such a place, with hard links to the packages, and
 * runs the tests as that place demands, with a home and a temporary folder of their own and without a terminal. Prints a line for each
 * place, and what a place has failed; exits with 1 if one did.
 *
 *     npm run anywhere                        npm run test:quick in each place
 *     npm run anywhere -- --long              npm test in each place
 *     npm run anywhere -- --changed           in four places the test files that the change touches, as many as two minutes per place allow
 *     npm run anywhere -- test/store/*.test.ts    these files in each place
 *     npm run anywhere -- --only umask        in the places whose name has this in it
 *     npm run anywhere -- --only busy --long      npm test next to four busy loops
 *     npm run anywhere -- --install           npm ci in each place, instead of the packages that are here
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { isRoot, openTmp } from '../test/unprivileged.ts';
import { BUDGET, type Choice, chosen, touchedBy } from './anywhere/choice.ts';
import { PLACES, type Place, prepare, userOf } from './anywhere/places.ts';
import { change, changeInWords } from './change.ts';

const { values, positionals } = parseArgs({
  options: {
    changed: { type: 'boolean' },
    long: { type: 'boolean' },
    install: { type: 'boolean' },
    only: { type: 'string', default: '' },
  },
  allowPositionals: true,
});

/** A place that does nothing else; beside busy loops everything takes several times longer. */
const SHARE_OF_BUSY = 1 / 4;

/** The words behind `scripts/test.ts` in a place; undefined if nothing is to be played there. */
function words(place: Place): readonly string[] | undefined {
  if (files === undefined) return positionals.length > 0 ? positionals : values.long ? [] : ['--quick'];
  const { played } = files[place.busyLoops === undefined ? 'usual' : 'busy'];
  return played.length === 0 ? undefined : played;
}

const files = values.changed ? changedFiles() : undefined;

/** Says what the change is, and what is played of it. */
function changedFiles(): Record<'usual' | 'busy', Choice> {
  const found = change();
  const touched = touchedBy(found);
  const seed = 'commit' in found.base ? found.base.commit : '';
  const usual = chosen(touched, seed);
  const busy = chosen(touched, seed, BUDGET * SHARE_OF_BUSY);
  const list = (names: readonly string[]): string => names.map((name) => `\n  ${name}`).join('');
  console.log(
    `${changeInWords(found)}; test files to try in other places: ${touched.length}, of which ${usual.played.length} are played` +
      `${list(usual.played)}\nand of those beside busy loops ${busy.played.length}${list(busy.played)}`,
  );
  if (usual.left.length > 0)
    console.log(`left out, for there is no time for more: ${usual.left.length}${list(usual.left)}`);
  return { usual, busy };
}

/** A process that takes all the time it can get, and ends with this one, in whatever way. */
const busyLoop = (): ChildProcess =>
  spawn(process.execPath, ['-e', 'const { ppid } = process; while (process.ppid === ppid);'], {
    stdio: 'ignore',
  });

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort());

/** The tests in a place: without a terminal, and with what they say in a file. */
async function run(place: Place, above: string, out: number, tests: readonly string[]): Promise<boolean> {
  const clone = prepare(place, above, values.install === true);
  if (ending.signal.aborted) return false;
  const modules = join(clone, 'node_modules', '.bin');
  const loops = Array.from({ length: place.busyLoops ?? 0 }, busyLoop);
  const before = process.umask(place.umask ?? process.umask());
  // As `npm test` does it; that user may not be able to run the npm of this one.
  const child = spawn(join(modules, 'node'), ['scripts/test.ts', ...tests], {
    cwd: clone,
    env: {
      ...process.env,
      PATH: `${modules}${delimiter}${process.env.PATH}`,
      HOME: join(above, 'home'),
      TMPDIR: join(above, 'tmp'),
      ...place.env,
    },
    stdio: ['ignore', out, out],
    ...userOf(place),
  });
  process.umask(before);
  const end = (): void => void child.kill('SIGTERM');
  ending.signal.addEventListener('abort', end, { once: true });
  const [code] = await once(child, 'close');
  ending.signal.removeEventListener('abort', end);
  for (const loop of loops) loop.kill('SIGKILL');
  return code === 0;
}

/** What has failed, as the reporter sums it up; the last lines if it came to no sum. */
function failuresIn(log: string): string {
  const text = readFileSync(log, 'utf8');
  const failing = text.lastIndexOf('✖ failing tests:');
  return failing >= 0 ? text.slice(failing) : text.split('\n').slice(-40).join('\n');
}

/** Whether the tests pass there. */
async function tried(place: Place): Promise<boolean> {
  if (place.asNobody && !isRoot) {
    console.log(`not tried  ${place.name}: only root can`);
    return true;
  }
  const tests = words(place);
  if (tests === undefined) {
    console.log(`not tried  ${place.name}: the change touches no test file`);
    return true;
  }
  const above = mkdtempSync(join(place.asNobody ? openTmp : tmpdir(), 'obbligato-anywhere-'));
  const log = `${above}.log`;
  const out = openSync(log, 'w');
  const startedAt = Date.now();
  try {
    const passed = await run(place, above, out, tests);
    if (ending.signal.aborted) {
      rmSync(log);
      return false;
    }
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    console.log(`${passed ? 'passed    ' : 'FAILED    '} ${place.name} (${seconds} s)`);
    if (passed) rmSync(log);
    else console.log(`${failuresIn(log)}\nall that was said is in ${log}`);
    return passed;
  } finally {
    closeSync(out);
    rmSync(above, { recursive: true, force: true });
  }
}

let failures = 0;
for (const place of PLACES) {
  if (ending.signal.aborted || !place.name.includes(values.only)) continue;
  if (values.changed && !place.isForChanges) continue;
  if (!(await tried(place))) failures++;
}
if (!isRoot) console.log('not tried  as root: run this as root');
process.exitCode = ending.signal.aborted ? 130 : failures === 0 ? 0 : 1;
