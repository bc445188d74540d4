/** What an instance does about changes that the store has refused, because another instance has written the record (K2, K5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskRecord } from '../../../src/core/record.ts';
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
        find: (name) => (name === 't' ? 0 : -1),
        isListed: () => true,
        nameOf: () => 't',
        isPaused: () => false,
        pause() {},
        resume() {},
        versionOf: () => this.known.version,
        setVersion: (_, version) => {
          this.known = { ...this.known, version };
        },
        hasConfigurationOf: (_, { cron }) => cron === this.stored.cron,
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

  refuse(record: TaskRecord): void {
    this.view.refused(0, record);
  }

  async wait(): Promise<void> {
    for (const timer of this.#timers.splice(0)) timer();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
}

test('K5 what was refused for another configuration is decided again after a while, and by no version of that', async () => {
  const scene = new Scene();
  scene.refuse({ ...scene.stored, cron: '1 * * * *', version: 2 });
  assert.ok(Number.isNaN(scene.known.version), 'whatever the old list decides names no version');
  assert.equal(scene.looks, 0);
  await scene.wait();
  assert.equal(scene.looks, 1);
});

test('K2 what was refused for another version is decided again at once, by that version', () => {
  const scene = new Scene();
  const further = { ...scene.stored, servedThrough: 8, version: 2 };
  scene.refuse(further);
  assert.equal(scene.known, further);
  assert.equal(scene.looks, 1);
});

test('K2 what was refused for the version that it named is decided again after a while', async () => {
  const scene = new Scene();
  scene.refuse(scene.stored);
  assert.equal(scene.looks, 0);
  await scene.wait();
  assert.equal(scene.looks, 1);
});

test('K2 what another instance runs is decided by no version', () => {
  const scene = new Scene();
  const run = { runId: 'b-1', instanceId: 'a', startedAt: 1, reason: 'due', cutOffAt: null } as const;
  scene.refuse({ ...scene.stored, version: 2, run });
  assert.ok(Number.isNaN(scene.known.version));
  assert.equal(scene.looks, 0);
});
