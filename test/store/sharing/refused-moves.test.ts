/** What an instance does about moves that the store has refused, because another list counts by now (K5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MoveChange } from '../../../src/core/changes.ts';
import type { TaskRecord } from '../../../src/core/record.ts';
import { seenOf } from '../../../src/store/cluster/decide.ts';
import { newRecord } from '../../../src/store/conformance-kit.ts';
import type { SharedSession } from '../../../src/store/port.ts';
import { SharedView } from '../../../src/store/sharing/shared-view.ts';

/** A scheduler with one task, whose cursor it has moved, over a store that has the record of before. */
class Scene {
  readonly stored = newRecord('t');
  /** What the scheduler knows of its task. */
  known: TaskRecord = { ...this.stored, servedThrough: 5 };
  looks = 0;
  readonly #timers: (() => void)[] = [];
  readonly view: SharedView;

  constructor() {
    const sharing: SharedSession = {
      now: () => 0,
      members: ['a'],
      initialize: () => Promise.resolve('stale'),
      unserved: () => Promise.resolve([]),
      leftBehind: () => Promise.resolve([]),
      view: () => this.view,
    };
    this.view = new SharedView(sharing, () => Promise.resolve([]), {
      instanceId: 'a',
      tasks: {
        count: 1,
        nameOf: () => 't',
        isPaused: () => false,
        pause() {},
        resume() {},
        seenOf: () => seenOf(this.known),
        cursorOf: () => this.known.servedThrough,
        follow: (_, record) => {
          this.known = record;
        },
      },
      clock: {
        now: () => 10,
        monotonic: () => 10,
        setTimer: (callback) => {
          this.#timers.push(callback);
          return { cancel() {} };
        },
        defer() {},
      },
      isIdle: () => true,
      isTurning: () => false,
      lastDue: () => 5,
      isPending: () => true,
      look: () => {
        this.looks++;
      },
      gone() {},
      paused() {},
      warn() {},
    });
    // The view looks for what others have left, by itself: that is not what this is about.
    this.#timers.length = 0;
  }

  refuse(more: Partial<MoveChange>, record = this.stored): void {
    const move = { name: 't', ...seenOf(this.stored), servedThrough: 5, ...more };
    this.view.movesRefused([move], new Map([['t', record]]));
  }

  async wait(): Promise<void> {
    for (const timer of this.#timers.splice(0)) timer();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
}

test('K5 a move that was refused for its list is decided again after a while, and not at once by the same list', async () => {
  const scene = new Scene();
  scene.refuse({ isByList: true });
  assert.equal(scene.known, scene.stored, 'it goes on from what the store has');
  assert.equal(scene.looks, 0);
  await scene.wait();
  assert.equal(scene.looks, 1);
});

test('K2 one that was refused because another instance has moved the cursor further is decided again at once', () => {
  const scene = new Scene();
  const further = { ...scene.stored, servedThrough: 8 };
  scene.refuse({ isByList: true }, further);
  assert.equal(scene.known, further);
  assert.equal(scene.looks, 1);
});

test('K2 one that was refused because the task was started elsewhere is decided again at once', () => {
  const scene = new Scene();
  scene.refuse({ isByList: true }, { ...scene.stored, lastAttemptAt: 7, servedThrough: 7 });
  assert.equal(scene.looks, 1);
});
