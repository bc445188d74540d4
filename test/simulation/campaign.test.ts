/** `npm run simulate`: what it prints, how it ends, and that a failure comes with all that is needed to see it again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');
const script = join(root, 'scripts', 'simulate.ts');
const hook = join(import.meta.dirname, 'fixtures/mutant-hook.ts');

interface Ending {
  readonly code: number | null;
  readonly out: string;
}

/** Runs the campaign to its end; `interrupt` sends Ctrl-C as soon as it has begun. */
async function campaign(words: string[], mutant?: string, interrupt?: 'interrupt'): Promise<Ending> {
  const flags = mutant === undefined ? [] : ['--import', hook];
  const env = { ...process.env, ...(mutant === undefined ? {} : { OBBLIGATO_MUTANT: mutant }) };
  const child = spawn(process.execPath, [...flags, script, ...words], { cwd: root, env });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.once('data', () => {
    if (interrupt !== undefined) child.kill('SIGINT');
  });
  const [code]: [number | null] = await new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (...ending) => resolve([ending[0]]));
  });
  return { code, out };
}

test('a campaign tells how many worlds, how fast, and how much of each fault', async () => {
  const { code, out } = await campaign(['--seeds', '60', '--seed', '5']);
  assert.equal(code, 0);
  assert.match(
    out,
    /^60 worlds from seed 5, each twice, in [\d.]+ s \(\d+ seeds\/s\); \d+ starts, .* times faster than real time\)/,
  );
  assert.match(out, /\nfaults: crashes \d+, .*torn \d+, lost \d+\n0 worlds with a violation\n$/);
});

test('a failure comes with its seed, the command to see it again, its scenario cut down, and a test', async () => {
  const { code, out } = await campaign(['--seeds', '50'], 'attempts are not counted');
  assert.equal(code, 1);
  assert.match(out, /\nseed 1, F4: t4 works on /);
  assert.match(out, /\nsee it again: npm run simulate -- --seeds 1 --seed 1\n/);
  assert.match(out, /\nseed 1: \d{4}-.*\n( {2}\+\d\d:\d\d:\d\d\.\d{3} .*\n)+/);
  assert.match(out, /\ntest\("F4 seed 1", async \(\) => \{\n/);
});

test('Ctrl-C ends it cleanly, with what was done', async () => {
  const { code, out } = await campaign(['--seeds', '1000000'], undefined, 'interrupt');
  assert.equal(code, 0);
  assert.match(
    out,
    /^\d+ worlds from seed 1, .*\nfaults: .*\n0 worlds with a violation; stopped before the end\n$/,
  );
});

test('words that make no sense are answered with how to say it', async () => {
  const child = spawn(process.execPath, [script, '--seeds', 'many'], { cwd: root });
  const said = once(child.stderr, 'data');
  assert.match(String((await said)[0]), /Usage: npm run simulate/);
  assert.deepEqual(await once(child, 'exit'), [2, null]);
});
