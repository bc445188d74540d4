import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCron } from '../../src/cron/index.ts';
import { collector } from '../collector.ts';

test('a parsed expression takes at most 200 bytes of heap, on average', (t) => {
  const collect = collector();
  const texts = Array.from(
    { length: 20_000 },
    (_, index) => `${index % 60} ${index % 24} ${(index % 28) + 1} * ${index % 7}`,
  );
  const kept: unknown[] = new Array(texts.length).fill(undefined);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (const [index, text] of texts.entries())
    kept[index] = parseCron(text, { timeZone: 'Europe/Stockholm' });
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / kept.length;
  t.diagnostic(`${bytes.toFixed(0)} bytes`);
  assert.ok(bytes > 20, 'something was measured');
  assert.ok(bytes <= 200);
});
