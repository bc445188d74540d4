/** Dues that came while a task ran, on a store that several instances share (H9, K1): who says that they are skipped, and when. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Retention } from '../../src/core/history.ts';
import {
  type Callback,
  createScheduler,
  type Scheduler,
  type SchedulerEvent,
  task,
} from '../../src/index.ts';
import { ClusterDatabase } from '../../src/simulation/cluster/database.ts';
import { connect, directLink } from '../../src/simulation/cluster/memory-cluster.ts';
import type { ClusterBatch, Committed, NotCommitted } from '../../src/store/cluster/decide.ts';
import { MINUTE, SECOND, timeOfDay } from './scenario.ts';
import { WaitingClock } from './waiting-clock.ts';
import { heldCallback } from './world.ts';

const NOON = Date.UTC(2026, 2, 2, 12);

/** A database in which another instance may start a task as soon as the end of its run is stored. */
class SharedDatabase extends ClusterDatabase {
  isTakenAtOnce = false;

  override commit(id: string, batch: ClusterBatch, history: Retention | false): Committed | NotCommitted {
    const answer = super.commit(id, batch, history);
    for (const { name } of this.isTakenAtOnce ? (batch.ends ?? []) : []) {
      const record = this.records.get(name);
      assert.ok(record);
      this.records.set(name, { ...record, lastAttemptAt: this.now(), servedThrough: this.now() });
    }
    return answer;
  }
}

class Scene {
  readonly clock = new WaitingClock(NOON);
  readonly database = new SharedDatabase(() => this.clock.now());
  readonly events: SchedulerEvent[] = [];

  instance(): Scheduler {
    const store = connect({ database: this.database, link: directLink(this.clock), leaseMs: 15_000 });
    const { clock, events } = this;
    const onEvent = (event: SchedulerEvent): void => void events.push(event);
    return createScheduler({ store, clock, timeZone: 'UTC', reload: true, logger: false, onEvent });
  }

  /** The dues that were skipped, by the time of day. */
  get skipped(): readonly string[] {
    return this.events.flatMap((event) => (event.type === 'TaskDueSkipped' ? [timeOfDay(event.dueAt)] : []));
  }
}

const every = (run: Callback, delayMs: number, whileRunning: 'skip' | 'remember') =>
  task({ name: 'a', cron: '* * * * *', run, retry: { delay: delayMs }, whileRunning });

for (const [isTakenAtOnce, skipped] of [
  [false, ['12:01']],
  [true, []],
] as const)
  test(`H9 K2 a due during a run of the list before is skipped if the store grants it: ${skipped.length > 0}`, async () => {
    const scene = new Scene();
    const { callback, runs } = heldCallback();
    const scheduler = scene.instance();
    await scene.clock.until(scheduler.initialize([every(callback, 1, 'remember')]));
    await scene.clock.settle();
    await scene.clock.until(scheduler.initialize([every(callback, 2, 'remember')]));
    await scene.clock.advance(MINUTE);
    await scene.clock.until(scheduler.initialize([every(callback, 3, 'skip')]));
    scene.database.isTakenAtOnce = isTakenAtOnce;
    runs[0].succeed();
    await scene.clock.settle();
    assert.deepEqual(scene.skipped, skipped);
    assert.equal(runs.length, 1, 'and what was skipped or served is not started for');
    await scene.clock.until(scheduler.stop());
  });

test('H9 I5 a due during a run of a name that its instance has dropped is skipped, since the others have the name', async () => {
  const scene = new Scene();
  const [mine, theirs] = [heldCallback(), heldCallback()];
  const [one, other] = [scene.instance(), scene.instance()];
  await scene.clock.until(one.initialize([every(mine.callback, 1, 'skip')]));
  await scene.clock.settle();
  await scene.clock.until(other.initialize([every(theirs.callback, 1, 'skip')]));
  await scene.clock.until(one.initialize([]));
  await scene.clock.advance(MINUTE + 30 * SECOND);
  mine.runs[0].succeed();
  await scene.clock.advance(20 * SECOND);
  assert.deepEqual([mine.runs.length, theirs.runs.length], [1, 0]);
  assert.deepEqual(scene.skipped, ['12:01']);
  await scene.clock.advance(20 * SECOND);
  assert.equal(theirs.runs.length, 1, 'the next due is started for');
  theirs.runs[0].succeed();
  await scene.clock.until(Promise.all([one.stop(), other.stop()]));
});

test('H9 I5 nothing is skipped of a name that its instance has dropped and brought back: the list in force decides', async () => {
  const scene = new Scene();
  const { callback, runs } = heldCallback();
  const scheduler = scene.instance();
  await scene.clock.until(scheduler.initialize([every(callback, 1, 'skip')]));
  await scene.clock.settle();
  await scene.clock.until(scheduler.initialize([]));
  await scene.clock.until(scheduler.initialize([every(callback, 1, 'remember')]));
  await scene.clock.advance(MINUTE);
  runs[0].succeed();
  await scene.clock.settle();
  assert.deepEqual(scene.skipped, []);
  assert.equal(runs.length, 2, 'what was remembered is started for');
  runs[1].succeed();
  await scene.clock.until(scheduler.stop());
});
