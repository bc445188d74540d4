/**
 * The end-to-end tests are judged by the oracle, file by file; here some of them are run once more, to see that together they put
 * every axiom to the test that a finite trace can break. A judgement of nothing would accept everything.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { axioms } from '../../src/theory/index.ts';
import { whole } from './judged.ts';

const run = promisify(execFile);
const files = [
  'context.test.ts',
  'pending-durable.test.ts',
  'pending.test.ts',
  'policies.test.ts',
  'retry.test.ts',
  'trouble.test.ts',
];

/** A file by itself, as if nobody ran it: its own runner exits with 1 if a test fails, or the oracle complains. */
async function testedBy(file: string, folder: string): Promise<readonly string[]> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  await run(process.execPath, [join(import.meta.dirname, file)], {
    env: { ...env, OBBLIGATO_TEST_JUDGED: folder },
  });
  return JSON.parse(readFileSync(join(folder, `${file}.json`), 'utf8'));
}

test('the end-to-end tests put every axiom to the test that a finite trace can break', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-judged-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tested = new Set<string>();
  for (const file of files) {
    const axiomsOfFile = await testedBy(file, folder);
    assert.ok(axiomsOfFile.length > 15, `${file} tests only ${axiomsOfFile.join(' ')}`);
    for (const axiom of axiomsOfFile) tested.add(axiom);
  }
  // EN3 depends on the witnesses.
  const breakable = axioms.filter(({ id, unbreakable }) => unbreakable === undefined && id !== 'EN3');
  assert.ok(breakable.length > 25);
  assert.deepEqual(
    breakable.map(({ id }) => id).filter((id) => !tested.has(id)),
    [],
    'never put to the test',
  );
});

describe('the lives of a store, as one trace', () => {
  const start = { event: 'InitStart', at: 1000, call: 1, registrations: [], timeZone: 'UTC' } as const;
  const success = { event: 'InitSuccess', at: 1000, plannedAt: 1000, call: 1, instance: 'i' } as const;
  const stopStart = { event: 'StopStart', at: 2000, call: 2 } as const;
  const stopEnd = { event: 'StopEnd', at: 2000, call: 2 } as const;
  const next = [{ ...start, at: 3000 }] as const;
  const between = (...life: readonly Parameters<typeof whole>[0][number][number][]) =>
    whole([life, next])
      .slice(life.length, -1)
      .map(({ event }) => event);

  test('one that was not stopped has crashed', () => {
    assert.deepEqual(between(start, success), ['UnexpectedShutdown', 'Frozen']);
    assert.deepEqual(between(start, success, stopStart), ['UnexpectedShutdown', 'Frozen']);
    assert.deepEqual(between(start, success, stopStart, stopEnd), ['Frozen']);
  });

  test('D7 one whose stop has failed says so itself', () => {
    const failed = { ...stopEnd, error: 'StopSchedulerError' } as const;
    assert.deepEqual(between(start, success, stopStart, failed), ['Frozen']);
  });
});
