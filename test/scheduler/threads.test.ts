/** Callbacks that run in threads, from the executor's `inThread`: however hard they work, the others start on time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inThread } from '../../src/executor/index.ts';
import { until } from '../../src/testing/index.ts';
import { createWorld } from './world.ts';

test('F3 D10 A13 a callback that burns the processor in a thread delays nobody, and stop interrupts it', async () => {
  const world = createWorld('2026-01-01T12:00:00Z');
  const burn = inThread(new URL('./fixtures/burn.ts', import.meta.url), { exportName: 'burn' });
  const started = world.next('TaskRunStarted');
  await world.scheduler.initialize([
    ['burn', '0 12 * * *', (context) => until(burn(context)), 60_000],
    ['quick', '* * * * *', () => {}, 60_000],
  ]);
  await started;
  await world.clock.advance(5 * 60_000);
  const ends = world.events.filter((event) => event.type === 'TaskRunCompleted').map(({ task }) => task);
  assert.deepEqual(
    ends,
    Array.from({ length: 6 }, () => 'quick'),
  );
  assert.deepEqual(
    world.events.filter(({ type }) => type === 'TaskStartedLate'),
    [],
  );
  await world.scheduler.stop();
  const ended = world.events.find((event) => event.type === 'TaskRunInterrupted');
  assert.equal(ended?.task, 'burn');
  assert.ok(ended.error instanceof DOMException && ended.error.name === 'AbortError', String(ended.error));
  await burn.close();
});

test('F4 a thread is told what its run is for', async () => {
  const world = createWorld('2026-01-01T12:00:00Z');
  const sent: unknown[] = [];
  const echo = inThread(new URL('./fixtures/refuse.ts', import.meta.url), {
    exportName: 'refuse',
    data(context) {
      const { signal: _, ...rest } = JSON.parse(JSON.stringify(context));
      sent.push(rest);
      return rest;
    },
  });
  const failed = world.next('TaskRunFailed');
  await world.scheduler.initialize([['noon', '0 12 * * *', echo, 60_000]]);
  const { error, runId } = await failed;
  assert.deepEqual(sent, [
    { name: 'noon', key: runId, runId, scheduledFor: '2026-01-01T12:00:00.000Z', attempt: 1, reason: 'due' },
  ]);
  assert.ok(error instanceof Error && error.message === 'noon was refused in its thread', String(error));
  await world.scheduler.stop();
  await echo.close();
});
