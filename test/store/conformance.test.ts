/** The conformance suite against the stores that come with the library, on real files. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { memory, type StoreUnderTest, sqlite, storeConformance } from '../../src/store/index.ts';

async function onFile(): Promise<StoreUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'obbligato-'));
  const path = join(folder, 'store.db');
  return {
    store: sqlite(path),
    again: () => sqlite(path),
    cleanup: () => rm(folder, { recursive: true }),
  };
}

async function inMemory(): Promise<StoreUnderTest> {
  const store = memory();
  return { store, again: () => store, cleanup: async () => {} };
}

describe('conformance of memory()', () => {
  for (const { name, run } of storeConformance(inMemory)) test(name, run);
});

describe('conformance of sqlite()', () => {
  for (const { name, run } of storeConformance(onFile)) test(name, run);
});
