/** Dues that came while a task ran, on a store that several instances share (H9, K1): who says that they are skipped, and when. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { control, task } from '../../src/index.ts';
import { MINUTE, SECOND, timeOfDay } from './scenario.ts';
import { every, Scene } from './shared-scene.ts';
import { heldCallback } from './world.ts';

test('H9 I5 a due during a run of the list before is skipped with the end of the run: no other instance can start for it', async () => {
  const scene = new Scene();
  const { callback, runs } = heldCallback();
  const scheduler = scene.instance();
  await scene.clock.until(scheduler.initialize([every(callback, 1, 'skip')]));
  await scene.clock.settle();
  await scene.clock.until(scheduler.initialize([every(callback, 2, 'skip')]));
  await scene.clock.advance(MINUTE);
  assert.deepEqual(scene.skipped, []);
  runs[0].succeed();
  await scene.clock.settle();
  assert.deepEqual([scene.skipped, scene.database.servedAtEnds], [['12:01'], ['12:01']]);
  assert.equal(runs.length, 1, 'what was skipped is not started for');
  await scene.clock.until(scheduler.stop());
});

test('H9 I5 a run ends by the list that it began with: what came due meanwhile is remembered, though the list in force skips it', async () => {
  const scene = new Scene();
  const { callback, runs } = heldCallback();
  const scheduler = scene.instance();
  await scene.clock.until(scheduler.initialize([every(callback, 1, 'remember')]));
  await scene.clock.settle();
  await scene.clock.until(scheduler.initialize([every(callback, 2, 'remember')]));
  await scene.clock.advance(MINUTE);
  await scene.clock.until(scheduler.initialize([every(callback, 3, 'skip')]));
  assert.deepEqual(scene.skipped, []);
  runs[0].succeed();
  await scene.clock.settle();
  assert.deepEqual([scene.skipped, scene.database.servedAtEnds], [[], ['12:00']]);
  assert.equal(runs.length, 2, 'what was remembered is started for');
  runs[1].succeed();
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

test('H9 I5 a run of a name that its instance has dropped and brought back ends by the list that it began with', async () => {
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
  assert.deepEqual(scene.skipped, ['12:01']);
  assert.equal(runs.length, 1, 'what was skipped is not started for');
  await scene.clock.until(scheduler.stop());
});

test('H4 K7 an instance says that a due is too old only where the store has it unserved', async () => {
  const scene = new Scene();
  const limited = (run: () => void) => task({ name: 'a', cron: '* * * * *', run, startWithin: 10 * SECOND });
  const started: string[] = [];
  const [one, other] = [scene.instance(), scene.instance()];
  await scene.clock.until(one.initialize([limited(() => started.push('one'))]));
  await scene.clock.until(other.initialize([limited(() => started.push('other'))]));
  await scene.clock.advance(MINUTE);
  // Whoever has not started it sees it too old by its own memory, and looks at it again when a list comes.
  await scene.clock.advance(20 * SECOND);
  await scene.clock.until(
    Promise.all([one.initialize([limited(() => {})]), other.initialize([limited(() => {})])]),
  );
  await scene.clock.advance(20 * SECOND);
  assert.equal(started.length, 2, '12:00 and 12:01');
  assert.deepEqual(scene.skipped, []);
  await scene.clock.until(Promise.all([one.stop(), other.stop()]));
  await scene.clock.advance(MINUTE);
  const third = scene.instance();
  await scene.clock.until(third.initialize([limited(() => {})]));
  await scene.clock.advance(20 * SECOND);
  assert.deepEqual(scene.skipped, ['12:02'], 'nobody has served that');
  await scene.clock.until(third.stop());
});

test('I3 I5 a resume during a run of the list before is stored with the end of the run: no other instance can start for what it lets pass', async () => {
  const scene = new Scene();
  const { callback, runs } = heldCallback();
  const scheduler = scene.instance();
  await scene.clock.until(scheduler.initialize([every(callback, 1, 'remember')]));
  await scene.clock.settle();
  await scene.clock.until(scheduler.initialize([every(callback, 2, 'remember')]));
  const operator = control(scene.store());
  await scene.clock.until(operator.pause('a'));
  await scene.clock.advance(MINUTE);
  await scene.clock.until(operator.resume('a'));
  const resumed = scene.events.filter(({ type }) => type === 'TaskResumed');
  runs[0].succeed();
  await scene.clock.settle();
  assert.deepEqual(
    scene.database.servedAtEnds,
    resumed.map(({ at }) => timeOfDay(at)),
  );
  runs[1]?.succeed();
  await scene.clock.until(scheduler.stop());
});
