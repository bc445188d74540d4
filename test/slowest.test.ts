/** The suite ends with its slowest files, so that whoever adds to its time sees where the time goes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import slowest from '../scripts/slowest.ts';

/** Says what the runner says: that a file has ended, or, without a file, that all have. */
const summary = (seconds: number, file?: string) => ({
  type: 'test:summary',
  data: { duration_ms: seconds * 1000, file },
});

async function told(...events: ReturnType<typeof summary>[]): Promise<string> {
  async function* each(): AsyncGenerator<ReturnType<typeof summary>> {
    yield* events;
  }
  let text = '';
  for await (const line of slowest(each())) text += line;
  return text;
}

const files = Array.from({ length: 12 }, (_, index) =>
  summary((index * 5) % 12, join(process.cwd(), `${index}.test.ts`)),
);

test('the ten slowest files are told, the slowest first, by their paths from here', async () => {
  const lines = (await told(...files, summary(99))).split('\n');
  assert.deepEqual(lines.slice(0, 4), [
    '',
    'The 10 slowest of 12 files:',
    '    11.0 s  7.test.ts',
    '    10.0 s  2.test.ts',
  ]);
  assert.equal(lines.length, 13);
});

test('of a few files nothing is told', async () => {
  assert.equal(await told(...files.slice(0, 10)), '');
});
