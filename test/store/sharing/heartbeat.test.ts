/** What a heartbeat says of beats that fail (E8), and of an instance that is gone (K4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFailedError, StoreLostError } from '../../../src/store/errors.ts';
import { type Beat, Heartbeat } from '../../../src/store/sharing/heartbeat.ts';

const BEAT: Beat = { at: 0, epoch: 0, members: [{ instanceId: 'a', isLapsed: false }], requests: 0 };
const away = new StoreFailedError({ path: 'here', reason: 'away' });
const lost = new StoreLostError({ path: 'here' });

/** A heartbeat that has begun, over a store whose answers are given one by one. */
class Scene {
  readonly told: Error[] = [];
  answer: Beat | undefined | Error = BEAT;
  #beat: () => void = () => {};
  readonly heartbeat = new Heartbeat({
    clock: {
      monotonic: () => 0,
      setTimer: (callback) => {
        this.#beat = callback;
        return {
          cancel: () => {
            this.#beat = () => {};
          },
        };
      },
    },
    leaseMs: 15_000,
    listeners: { onTrouble: (error) => this.told.push(error) },
    sharing: undefined,
    beat: async () => {
      if (this.answer instanceof Error) throw this.answer;
      return this.answer;
    },
    declareDead: async () => [],
    takeRequests: async () => [],
    lost: () => lost,
  });

  async beats(...answers: readonly (Beat | undefined | Error)[]): Promise<void> {
    for (const answer of answers) {
      this.answer = answer;
      this.#beat();
      await new Promise(setImmediate);
    }
  }
}

async function begun(): Promise<Scene> {
  const scene = new Scene();
  await scene.heartbeat.begin();
  return scene;
}

test('E8 one beat that fails is no trouble; the second in a row is, and is told once', async () => {
  const scene = await begun();
  await scene.beats(away, BEAT, away);
  assert.deepEqual(scene.told, []);
  await scene.beats(away, away, away);
  assert.deepEqual(scene.told, [away]);
  await scene.beats(BEAT, away, away);
  assert.deepEqual(scene.told, [away, away]);
});

test('E8 a beat that fails while the session is closed tells nothing', async () => {
  const scene = await begun();
  await scene.beats(away);
  const second = scene.beats(away);
  const stopped = scene.heartbeat.stop();
  await Promise.all([second, stopped]);
  assert.deepEqual(scene.told, []);
});

test('K4 an instance that has no row any more is told so once, and beats no more', async () => {
  const scene = await begun();
  await scene.beats(undefined, undefined, away, away);
  assert.deepEqual(scene.told, [lost]);
});
