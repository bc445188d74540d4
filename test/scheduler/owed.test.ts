/** Since when a task has been owed its start (G4): the corners, beside what lateness.test.ts tells as scenarios. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkRegistrations } from '../../src/core/registration.ts';
import { Tasks } from '../../src/core/tasks.ts';
import { Owed } from '../../src/scheduler/owed.ts';
import { memory } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/port.ts';
import { record } from './fixtures/troubled-store.ts';
import { MINUTE, noop, SECOND, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

/** Of each late start: how late, unnoticed, queued. */
const lateness = (stage: Stage) =>
  stage.world.events.flatMap((event) =>
    event.type === 'TaskStartedLate' ? [[event.lateMs, event.unnoticedMs, event.queuedMs]] : [],
  );

/** A callback that fails the first time. */
function failingOnce() {
  let calls = 0;
  return () => (calls++ === 0 ? Promise.reject(new Error('no')) : undefined);
}

/** One task that has been served through the instant 99. */
function oneTask(): Tasks {
  const tasks = new Tasks(checkRegistrations([['task', '* * * * *', noop, 500]]), 'life');
  tasks.fill(0, record('task', { servedThrough: 99 }));
  return tasks;
}

describe('owed since', () => {
  test('the deadline of a retry, also if a due came before either was noticed', async () => {
    for (const [heldMs, lateMs] of [
      [40 * SECOND, 20 * SECOND],
      [60 * SECOND, 40 * SECOND],
    ]) {
      const stage = new Stage('2026-03-02T12:00:00Z');
      await stage.initialize(['failing', '* * * * *', failingOnce(), 30 * SECOND]);
      await stage.clock.advance(10 * SECOND);
      stage.clock.burn(heldMs);
      await stage.clock.advance(0);
      assert.deepEqual(lateness(stage), [[lateMs, lateMs, 0]]);
      await stage.stop();
    }
  });

  test('B5 the first due that was not served before the clock was set back', async () => {
    const stage = new Stage('2026-03-02T11:59:50Z');
    await stage.initialize(['each', '* * * * *', noop, 0]);
    await stage.clock.advance(30 * SECOND);
    stage.clock.step(-30 * SECOND);
    stage.clock.burn(80 * SECOND);
    await stage.clock.advance(0);
    assert.deepEqual(stage.starts().slice(1), ['each 12:00 due', 'each 12:01:10 due']);
    assert.deepEqual(lateness(stage), [[10 * SECOND, 10 * SECOND, 0]]);
    await stage.stop();
  });

  test('B5 nothing, once a worker has found no reason left', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const hog = heldCallback();
    await stage.initialize(
      ['failing', '0 12 * * *', failingOnce(), 30 * SECOND],
      ['hog', '0 12 * * *', hog.callback, 0],
    );
    await stage.clock.advance(40 * SECOND);
    stage.clock.step(-20 * SECOND); // ten seconds before the deadline, again
    hog.runs[0].succeed();
    await stage.clock.settle();
    stage.clock.burn(30 * SECOND);
    await stage.clock.advance(0);
    assert.deepEqual(stage.starts().slice(2), ['failing 12:00:50 retry']);
    assert.deepEqual(lateness(stage), [[20 * SECOND, 20 * SECOND, 0]]);
    await stage.stop();
  });

  test('nothing, once the store has left a start to another session', async () => {
    let isRefusing = true;
    const inner = memory();
    const store: Store = {
      location: inner.location,
      open: async (options) => {
        const session = await inner.open(options);
        return {
          read: (names) => session.read(names),
          close: () => session.close(),
          commit: async ({ starts = [], ...batch }) => {
            if (!isRefusing) return session.commit({ starts, ...batch });
            await session.commit(batch);
            return { refused: Array.from(starts, ({ name }) => ({ change: 'start', name })) };
          },
        };
      },
    };
    const stage = new Stage('2026-03-02T12:00:00Z', { store });
    await stage.initialize(['each', '* * * * *', noop, 0]);
    isRefusing = false;
    await stage.clock.advance(MINUTE);
    assert.deepEqual(stage.starts(), ['each 12:01 due']);
    assert.deepEqual(lateness(stage), []);
    await stage.stop();
  });

  test('a due that came between the look and the take', () => {
    const owed = new Owed(oneTask(), 1);
    owed.begin(90);
    owed.noticed(0, 99, 40, 40); // nothing is owed yet
    owed.taken(0, 150, 100);
    assert.deepEqual(owed.latenessOf(0, 150, 155, 160, 50), {
      lateMs: 60,
      unnoticedMs: 50,
      queuedMs: 0,
      storeMs: 5,
    });
  });

  test('B5 no part is negative or longer than the whole, however the clock is set', () => {
    const owed = new Owed(oneTask(), 1);
    owed.begin(90);
    owed.noticed(0, 100, 100, 100);
    owed.taken(0, 900, 100);
    assert.deepEqual(owed.latenessOf(0, 900, 901, 300, 50), {
      lateMs: 200,
      unnoticedMs: 0,
      queuedMs: 200,
      storeMs: 0,
    });
    owed.taken(0, 150, 100);
    const storeMs = owed.latenessOf(0, 150, 901, 300, 50)?.storeMs;
    assert.equal(storeMs, 150);
  });
});
