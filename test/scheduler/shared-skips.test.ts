/** Dues that came while a task ran, on a store that several instances share (H9, K1): who says that they are skipped, and when. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { control, task } from '../../src/index.ts';
import type { Clock } from '../../src/time/clock.ts';
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

/** A clock that goes on while its process stands still: what was to be called then is called afterwards. */
class StandingStill implements Clock {
  readonly #clock: Clock;
  #held: Array<() => void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now = (): number => this.#clock.now();
  monotonic = (): number => this.#clock.monotonic();
  setTimer = (callback: () => void, ms: number) => this.#clock.setTimer(() => this.#call(callback), ms);
  defer = (callback: () => void): void => this.#clock.defer(() => this.#call(callback));

  #call(callback: () => void): void {
    if (this.#held === undefined) callback();
    else this.#held.push(callback);
  }

  hold(): void {
    this.#held = [];
  }

  goOn(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const callback of held) callback();
  }
}

test('H4 K7 an instance says that a due is too old only where the store has it unserved', async () => {
  const scene = new Scene();
  const started: number[] = [];
  const clocks = [0, 1].map(() => new StandingStill(scene.clock));
  const instances = clocks.map((clock) => scene.instance(clock));
  for (const [place, instance] of instances.entries()) {
    const run = (): number => started.push(place);
    const limited = task({ name: 'a', cron: '* * * * *', run, startWithin: 5 * SECOND });
    await scene.clock.until(instance.initialize([limited]));
  }
  await scene.clock.advance(MINUTE);
  const [owner] = started.slice(-1);
  await scene.clock.advance(58 * SECOND);
  clocks[owner].hold();
  await scene.clock.advance(12 * SECOND);
  assert.deepEqual(started.slice(-1), [1 - owner], 'the other one has started it');
  clocks[owner].goOn();
  await scene.clock.advance(10 * SECOND);
  assert.deepEqual(scene.skipped, []);
  await scene.clock.advance(36 * SECOND);
  for (const clock of clocks) clock.hold();
  await scene.clock.advance(10 * SECOND);
  for (const clock of clocks) clock.goOn();
  await scene.clock.advance(10 * SECOND);
  assert.deepEqual(scene.skipped, ['12:03'], 'nobody has served that, and one of the two says so');
  await scene.clock.until(Promise.all(instances.map((instance) => instance.stop())));
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
