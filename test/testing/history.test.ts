/** J1, J2: the store of a test clock keeps the history that the inner store keeps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScheduler, hours, memory } from '../../src/index.ts';
import type { PastRun, Store } from '../../src/store/port.ts';
import { createTestClock } from '../../src/testing/index.ts';
import { PATIENT } from './moved-clock.ts';

const START = '2026-06-01T12:00:00Z';

async function pastOf(store: Store): Promise<PastRun[]> {
  const runs: PastRun[] = [];
  for await (const run of store.history?.({ limit: 3 }) ?? []) runs.push(run);
  return runs;
}

for (const [history, count] of [
  [{}, 3],
  [{ keepRuns: 1 }, 1],
  [false, 0],
] as const) {
  test(`J2 with history: ${JSON.stringify(history)} a test sees ${count} of the last 3 runs`, async () => {
    const clock = createTestClock(START, PATIENT);
    const store = clock.store();
    const scheduler = createScheduler({ clock, store, timeZone: 'UTC', history });
    await scheduler.initialize([['hourly', '0 * * * *', () => {}, 0]]);
    await clock.advance(hours(5));
    assert.deepEqual(
      (await pastOf(store)).map(({ task, calledAt }) => [task, (clock.now() - calledAt) / hours(1)]),
      [0, 1, 2].slice(0, count).map((ago) => ['hourly', ago]),
    );
    await scheduler.stop();
  });
}

test('J1 questions of a session that only some stores answer are passed on', async () => {
  const asked: string[] = [];
  const inner = memory();
  const clock = createTestClock(START, PATIENT);
  const store = clock.store({
    location: inner.location,
    open: async (options) => {
      const session = await inner.open(options);
      return {
        read: (names) => session.read(names),
        commit: (batch) => session.commit(batch),
        close: () => session.close(),
        readPages: async function* () {
          asked.push('pages');
          yield await session.read();
        },
        enroll: async (names) => {
          asked.push(...names);
        },
      };
    },
  });
  const list = [['a', '0 * * * *', () => {}, 0]] as const;
  const scheduler = createScheduler({ clock, store, timeZone: 'UTC' });
  await scheduler.initialize(list);
  await scheduler.stop();
  await scheduler.initialize(list);
  await scheduler.stop();
  assert.deepEqual(asked, ['pages', 'a', 'pages', 'a']);
});
