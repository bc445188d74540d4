/** A scheduler that waits for the lock of a store waits by the test clock. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createScheduler, memory, minutes, type Store, seconds, sqlite } from '../../src/index.ts';
import { createTestClock, type TestClock } from '../../src/testing/index.ts';
import { PATIENT } from './moved-clock.ts';

const START = '2026-06-01T12:00:30Z';

function waiting(clock: TestClock, store: ReturnType<TestClock['store']>) {
  const scheduler = createScheduler({ clock, store, timeZone: 'UTC', lockWait: seconds(5) });
  const outcome: string[] = [];
  const initialized = scheduler.initialize([]).then(
    () => outcome.push(`owns it at ${clock.monotonic()}`),
    (error) => outcome.push(`${error.name} ${error.waitedMs} at ${clock.monotonic()}`),
  );
  return { scheduler, outcome, initialized };
}

/** A store in memory that remembers how long it was asked to wait. */
function remembering(): { readonly store: Store; readonly waits: number[] } {
  const inner = memory();
  const waits: number[] = [];
  const open: Store['open'] = (options) => {
    waits.push(options.waitMs);
    return inner.open(options);
  };
  return { store: { location: 'remembering', open }, waits };
}

test('E6 the inner store is never asked to wait, since it would wait by real time; a dead process asks nothing', async () => {
  const clock = createTestClock(START, PATIENT);
  const { store: inner, waits } = remembering();
  const store = clock.store(inner);
  await createScheduler({ clock, store, timeZone: 'UTC' }).initialize([]);
  waiting(clock, store);
  await clock.advance(seconds(2));
  await clock.crash();
  await clock.advance(minutes(1));
  assert.deepEqual(waits, [0, 0, 0, 0, 0, 0]); // one by the owner, and two per second that the other waits
});

for (const kind of ['memory', 'sqlite'] as const) {
  const storeOn = (clock: TestClock, t: { after(end: () => void): void }) => {
    if (kind === 'memory') return clock.store();
    const folder = mkdtempSync(join(tmpdir(), 'obbligato-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    return clock.store(sqlite(join(folder, 'state.db')));
  };

  test(`E6 a scheduler that waits for the lock of ${kind} fails when the time is up by the clock`, async (t) => {
    const clock = createTestClock(START, PATIENT);
    const store = storeOn(clock, t);
    const owner = createScheduler({ clock, store, timeZone: 'UTC' });
    await owner.initialize([]);
    const { outcome } = waiting(clock, store);
    await clock.advance(seconds(4));
    assert.deepEqual(outcome, []);
    await clock.advance(seconds(6));
    assert.deepEqual(outcome, ['StoreLockedError 5000 at 5000']);
    await owner.stop();
  });

  test(`E6 a scheduler that waits for the lock of ${kind} gets it as soon as the owner stops`, async (t) => {
    const clock = createTestClock(START, PATIENT);
    const store = storeOn(clock, t);
    const owner = createScheduler({ clock, store, timeZone: 'UTC' });
    await owner.initialize([]);
    const { scheduler, outcome, initialized } = waiting(clock, store);
    await clock.advance(seconds(2));
    await owner.stop();
    await initialized;
    assert.deepEqual(outcome, ['owns it at 2000']);
    await scheduler.stop();
  });

  test(`E6 a dead process does not go on waiting for the lock of ${kind}`, async (t) => {
    const clock = createTestClock(START, PATIENT);
    const store = storeOn(clock, t);
    await createScheduler({ clock, store, timeZone: 'UTC' }).initialize([]);
    const { outcome } = waiting(clock, store);
    await clock.advance(seconds(2));
    await clock.crash();
    const next = createScheduler({ clock, store, timeZone: 'UTC' });
    await next.initialize([]);
    await clock.advance(minutes(1));
    assert.deepEqual(outcome, []);
    await next.stop();
  });
}
