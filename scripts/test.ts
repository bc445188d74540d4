/**
 * Runs the tests on the TypeScript sources: `npm test` all of them, `npm test -- <file or pattern>…` those, and on another version of
 * Node (`--on node22`) what depends on the version; the campaigns (worlds, kills, proofs, random formulas) do not.
 *
 * Hundreds of tests start processes of their own. What Node has compiled for one of them is kept for the next, which makes their
 * start several times faster where the version of Node can do so for TypeScript.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FILE_PATIENCE_MS } from '../test/patience.ts';

const everything = ['test/**/*.test.ts'];
const versionDependent = [
  'test/*.test.ts',
  'test/{cli,command,core,cron,executor,scheduler,store,time,trace}/**/!(store-mutants).test.ts',
  'test/theory/{axioms,compute,cron-fields,due,malformed,repairs,repairs-*}.test.ts',
  'test/simulation/{corpus,disk,test-clock}.test.ts',
];

const { values, positionals } = parseArgs({
  options: { on: { type: 'string' } },
  allowPositionals: true,
});
const modules = join(import.meta.dirname, '..', 'node_modules');
const node = values.on === undefined ? process.execPath : join(modules, values.on, 'bin', 'node');
const whole = values.on === undefined ? everything : versionDependent;
const patterns = positionals.length > 0 ? positionals : whole;

const compiled = join(modules, '.cache', 'compiled');
// The tests write programs of their own too, each time others: without this the folder would only grow.
rmSync(compiled, { recursive: true, force: true });

const tests = spawn(
  node,
  [
    '--test',
    '--test-concurrency=2',
    `--test-timeout=${FILE_PATIENCE_MS}`,
    '--test-reporter=spec',
    ...patterns,
  ],
  { stdio: 'inherit', env: { ...process.env, NODE_COMPILE_CACHE: compiled } },
);
// Ctrl-C reaches the tests as well, and they are waited for, so that they can clean up.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => tests.kill('SIGTERM'));
tests.on('error', (error) => {
  console.error(`${node} cannot be started (${error.message}); "npm ci" installs it`);
  process.exitCode = 1;
});
tests.on('exit', (code, signal) => {
  process.exitCode = code ?? 1;
  if (signal !== null) console.error(`the tests were ended by ${signal}`);
});
