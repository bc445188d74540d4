/** E1–E4: history belongs to the name; what a new list makes of what is stored. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Registration } from '../../src/scheduler/options.ts';
import { at, deadRun, record, TroubledStore } from './fixtures/troubled-store.ts';
import { createWorld, heldCallback, turns } from './world.ts';

const history = {
  firstSeenAt: at('2025-12-01T00:00:00Z'),
  servedThrough: at('2026-01-01T11:00:00Z'),
  lastAttemptAt: at('2026-01-01T11:00:00Z'),
  lastSuccessAt: at('2026-01-01T10:00:01Z'),
  lastFailureAt: at('2026-01-01T11:00:05Z'),
  pendingRetryUntil: at('2026-01-01T13:00:05Z'),
  work: { key: 'key', scheduledFor: at('2026-01-01T11:00:00Z'), attempt: 2 },
};
const stored = record('task', { cron: '0 11 * * *', retryDelayMs: 7_200_000, ...history });
const callback = (): void => {};

/** Initializes a store that holds `stored` at 12:10, and tells what came of it. */
async function initializeWith(...list: Registration[]): Promise<{
  store: TroubledStore;
  added: readonly string[];
  overridden: readonly string[];
  orphaned: readonly string[];
  removed: readonly string[];
  started: string[];
}> {
  const store = new TroubledStore();
  await store.put(stored);
  const world = createWorld('2026-01-01T12:10:00Z', { store });
  await world.scheduler.initialize(list);
  const kept = await store.records();
  assert.equal(store.count('commit') <= 1, true, 'E5: one transaction');
  await turns();
  await world.scheduler.stop();
  const completed = world.events.find((event) => event.type === 'SchedulerInitializationCompleted');
  assert.ok(completed?.type === 'SchedulerInitializationCompleted');
  const { added, overridden, orphaned, removed } = completed;
  const fresh = new TroubledStore();
  await fresh.put(...kept);
  const started = world.told().filter((event) => event.startsWith('TaskRun'));
  return { store: fresh, added, overridden, orphaned, removed, started };
}

describe('E4 preserved and overridden', () => {
  test('E4 the same expression and delay: preserved, and nothing is written', async () => {
    const { store, overridden, added, removed, started } = await initializeWith([
      'task',
      '0 11 * * *',
      callback,
      7_200_000,
    ]);
    assert.deepEqual(await store.record('task'), stored);
    assert.deepEqual([overridden, added, removed, started], [[], [], [], []]);
  });

  const changes: Readonly<Record<string, { cron: string; retryDelayMs: number }>> = {
    'another expression': { cron: '0 14 * * *', retryDelayMs: 7_200_000 },
    'the same expression in other words': { cron: '00 11 * * *', retryDelayMs: 7_200_000 },
    'another delay': { cron: '0 11 * * *', retryDelayMs: 0 },
    both: { cron: '0 14 * * *', retryDelayMs: 1 },
  };
  for (const [what, { cron, retryDelayMs }] of Object.entries(changes)) {
    test(`E4 ${what}: overridden; all of the history is kept, the retry deadline too (E1)`, async () => {
      const { store, overridden, started } = await initializeWith(['task', cron, callback, retryDelayMs]);
      assert.deepEqual(overridden, ['task']);
      assert.deepEqual(await store.record('task'), { ...stored, cron, retryDelayMs });
      assert.deepEqual(started, []);
    });
  }

  test('E4 a due of the new expression after the cursor is pending at once', async () => {
    const { overridden, started } = await initializeWith(['task', '5 12 * * *', callback, 7_200_000]);
    assert.deepEqual(overridden, ['task']);
    assert.deepEqual(started, ['TaskRunStarted task', 'TaskRunCompleted task']);
  });

  test('E4 a due of the new expression at or before the cursor is not', async () => {
    const { started } = await initializeWith(['task', '0 11 * * *', callback, 0]);
    assert.deepEqual(started, []);
  });

  test('E4 the kept deadline is served when it comes, although the new delay is shorter', async () => {
    const store = new TroubledStore();
    await store.put(stored);
    const world = createWorld('2026-01-01T12:10:00Z', { store });
    await world.scheduler.initialize([['task', '0 11 * * *', callback, 0]]);
    await world.clock.advance(at('2026-01-01T13:00:04.999Z') - world.clock.now());
    assert.equal(world.told().includes('TaskRetryStarted task'), false);
    await world.clock.advance(1);
    assert.equal(world.told().includes('TaskRetryStarted task'), true);
    await world.scheduler.stop();
  });

  test('E4 a changed zone is no override, and the due instants of the new zone after the cursor count (B2)', async () => {
    const store = new TroubledStore();
    await store.put(stored);
    const world = createWorld('2026-01-01T12:10:00Z', { store, timeZone: 'Europe/London' });
    await world.scheduler.initialize([['task', '0 11 * * *', callback, 7_200_000]]);
    await turns();
    await world.scheduler.stop();
    const moved = createWorld('2026-01-01T16:10:00Z', { store, timeZone: 'America/New_York' });
    await moved.scheduler.initialize([['task', '0 11 * * *', callback, 7_200_000]]);
    await turns();
    await moved.scheduler.stop();
    const completed = moved.events.find(({ type }) => type === 'SchedulerInitializationCompleted');
    assert.deepEqual(completed && 'overridden' in completed ? completed.overridden : undefined, []);
    assert.equal((await store.record('task')).lastAttemptAt, at('2026-01-01T16:10:00Z'));
    const started = moved.events.find(({ type }) => type === 'TaskRunStarted');
    assert.equal(
      started && 'scheduledFor' in started ? started.scheduledFor : undefined,
      at('2026-01-01T16:00:00Z'),
    );
  });
});

describe('E4 orphaned', () => {
  test('E4 an unfinished run of a dead instance starts at once, under the new configuration', async () => {
    const store = new TroubledStore();
    const held = heldCallback();
    const dying = createWorld('2026-01-01T12:00:00Z', { store });
    await dying.scheduler.initialize([['task', '0 12 * * *', held.callback, 60_000]]);
    await turns();
    assert.equal(held.runs.length, 1);
    await store.crash();
    const world = createWorld('2026-01-01T12:00:30Z', { store });
    const contexts: Array<{ key: string; runId: string; attempt: number; reason: string }> = [];
    await world.scheduler.initialize([
      [
        'task',
        '0 3 * * *',
        ({ key, runId, attempt, reason }) => contexts.push({ key, runId, attempt, reason }),
        5,
      ],
    ]);
    await turns();
    await world.scheduler.stop();
    const { key } = held.runs[0].context;
    assert.equal(contexts.length, 1);
    assert.notEqual(contexts[0].runId, held.runs[0].context.runId);
    assert.deepEqual({ ...contexts[0], runId: '' }, { key, runId: '', attempt: 2, reason: 'orphaned' });
    const { cron, retryDelayMs, run, lastSuccessAt } = await store.record('task');
    assert.deepEqual(
      { cron, retryDelayMs, run, lastSuccessAt },
      { cron: '0 3 * * *', retryDelayMs: 5, run: null, lastSuccessAt: at('2026-01-01T12:00:30Z') },
    );
    const completed = world.events.find(({ type }) => type === 'SchedulerInitializationCompleted');
    assert.deepEqual(completed && 'orphaned' in completed ? completed.orphaned : undefined, ['task']);
  });

  test('E4 it stays orphaned through crashes that come before it is started again', async () => {
    const store = new TroubledStore();
    const orphan = record('task', {
      servedThrough: at('2026-01-01T11:00:00Z'),
      work: { key: 'key', scheduledFor: 0, attempt: 1 },
      run: deadRun(0),
    });
    await store.put(orphan);
    for (let life = 0; life < 3; life++) {
      const world = createWorld('2026-01-01T12:00:00Z', { store });
      await world.scheduler.initialize([['task', orphan.cron, () => assert.fail('not yet'), 0]]);
      await store.crash();
    }
    const attempts: number[] = [];
    const world = createWorld('2026-01-01T12:00:00Z', { store });
    await world.scheduler.initialize([['task', orphan.cron, ({ attempt }) => attempts.push(attempt), 0]]);
    await turns();
    await world.scheduler.stop();
    assert.deepEqual(attempts, [2]);
  });
});

describe('E4 removed, E2 and E3 first comings', () => {
  test('E4 a removed name is forgotten with a log line that names it; coming back is a first coming', async () => {
    const store = new TroubledStore();
    await store.put(stored, record('other', { servedThrough: history.servedThrough }));
    const lines: string[] = [];
    const log = (line: string): void => {
      lines.push(line);
    };
    const logger = { debug: log, info: log, warn: log, error: log };
    const world = createWorld('2026-01-01T12:10:00Z', { store, logger });
    await world.scheduler.initialize([['other', '0 0 1 1 *', callback, 0]]);
    assert.deepEqual(
      (await store.records()).map(({ name }) => name),
      ['other'],
    );
    assert.equal(lines.length, 1);
    assert.match(lines[0], /\btask\b/);
    await world.scheduler.stop();
    await world.scheduler.initialize([['task', '0 11,12 * * *', () => assert.fail('owes nothing'), 0]]);
    await turns();
    await world.scheduler.stop();
    assert.deepEqual(
      await store.record('task'),
      record('task', {
        cron: '0 11,12 * * *',
        version: 2,
        firstSeenAt: at('2026-01-01T12:10:00Z'),
        servedThrough: at('2026-01-01T12:10:00Z') - 1,
      }),
    );
  });

  test('E3 a due missed after the first coming is caught up, once, although the task never ran', async () => {
    const store = new TroubledStore();
    const first = createWorld('2026-01-01T12:00:30Z', { store });
    await first.scheduler.initialize([['task', '5 * * * *', () => assert.fail('not due'), 0]]);
    await first.scheduler.stop();
    const later = createWorld('2026-01-01T15:30:00Z', { store });
    let calls = 0;
    await later.scheduler.initialize([['task', '5 * * * *', () => calls++, 0]]);
    await turns();
    await later.scheduler.stop();
    assert.equal(calls, 1);
  });

  test('E2 a matching minute stays owed past the minute, a crash, and an override in the same minute', async () => {
    const store = new TroubledStore();
    const dying = createWorld('2026-01-01T12:00:10Z', { store });
    await dying.scheduler.initialize([['task', '0 12 * * *', () => assert.fail('dies first'), 0]]);
    await store.crash();
    const overriding = createWorld('2026-01-01T12:00:40Z', { store });
    await overriding.scheduler.initialize([['task', '0 12 * * *', () => assert.fail('dies first'), 77]]);
    await store.crash();
    const world = createWorld('2026-01-01T12:10:00Z', { store });
    const served: number[] = [];
    await world.scheduler.initialize([
      ['task', '0 12 * * *', ({ scheduledFor }) => served.push(scheduledFor.getTime()), 77],
    ]);
    await turns();
    await world.scheduler.stop();
    assert.deepEqual(served, [at('2026-01-01T12:00:00Z')]);
  });
});
