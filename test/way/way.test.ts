/** How many files and functions of `src` are on the way of one start. `npm run way -- --files` has their names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waysOnFile, waysOnPostgres } from '../../scripts/way/scenes.ts';

/** The present numbers, which may only fall, and where they are to be. */
const WAYS: Readonly<Record<string, readonly [files: number, functions: number]>> = {
  initialize: [62, 279], // at most 45 files, 180 functions
  'due minute': [42, 214], // at most 28 files, 140 functions
  request: [43, 250], // at most 32 files, 170 functions
  'initialize on PostgreSQL': [77, 367],
  'due minute on PostgreSQL': [55, 331],
};

test('the way of one start is no longer than it was, and the table says how long it is', async () => {
  const ways = [...(await waysOnFile()), ...(await waysOnPostgres())];
  const counts = ways.map(({ name, called }) => [name, [called.size, [...called.values()].flat().length]]);
  assert.deepEqual(Object.fromEntries(counts), WAYS);
});
