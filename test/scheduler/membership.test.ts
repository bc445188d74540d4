/** An instance that was declared dead and joins again: what happens before its life is in force. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRegistrations } from '../../src/core/registration.ts';
import { createEmit } from '../../src/scheduler/emit.ts';
import { createScheduler, type Scheduler, SIZES } from '../../src/scheduler/index.ts';
import { beginLife } from '../../src/scheduler/life.ts';
import { settleOptions } from '../../src/scheduler/settled-options.ts';
import { ClusterDatabase } from '../../src/simulation/cluster/database.ts';
import { connect, directLink } from '../../src/simulation/cluster/memory-cluster.ts';
import { StoreFailedError } from '../../src/store/errors.ts';
import { memory } from '../../src/store/index.ts';
import type { CommitResult, Store, StoreSession } from '../../src/store/port.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { WaitingClock } from './waiting-clock.ts';

/** A heartbeat is a fifth of it. */
const LEASE_MS = 500;

const LIST = [['t', '0 0 1 1 *', () => {}, 1000]] as const;

interface Scene {
  readonly clock: WaitingClock;
  readonly scheduler: Scheduler;
  readonly database: ClusterDatabase;
  /** Declares the only instance dead, and resolves when it has joined again, and waits for what the others have configured. */
  dies(): Promise<Waiting>;
}

interface Waiting {
  /** Declares it dead once more, and resolves when it has heard of that. */
  diesAgain(): Promise<void>;
  /** The database answers what it has decided. */
  answers(): void;
  /** The answer is lost. */
  fails(): void;
}

/** A scheduler whose second instance does not hear what it asks for last before it is in force. */
async function scene(): Promise<Scene> {
  const clock = new WaitingClock();
  const database = new ClusterDatabase(() => clock.now());
  const inner = connect({ database, link: directLink(clock), leaseMs: LEASE_MS });
  const asked = Promise.withResolvers<Waiting>();
  const heard = Promise.withResolvers<void>();
  let sessions = 0;
  const declareDead = (): void => {
    for (const id of [...database.members.keys()]) database.leave(id, false);
  };
  const holdAnswer = ({ sharing }: StoreSession): void => {
    assert.ok(sharing);
    const { initialize } = sharing;
    let calls = 0;
    sharing.initialize = async (batch, names) => {
      const answer = await initialize(batch, names);
      if (++calls !== 2) return answer; // the first one brings its list, the second one says that it follows the others
      const { promise, resolve, reject } = Promise.withResolvers<CommitResult | 'stale'>();
      asked.resolve({
        diesAgain: () => {
          declareDead();
          return clock.until(heard.promise);
        },
        answers: () => resolve(answer),
        fails: () => reject(new StoreFailedError({ path: 'memory cluster', reason: 'the answer was lost' })),
      });
      return promise;
    };
  };
  const store: Store = {
    location: inner.location,
    inspect: async () => {
      throw new Error('nobody looks into it');
    },
    open: async (options) => {
      const isSecond = ++sessions === 2;
      const onTrouble = (error: Error): void => {
        options.onTrouble?.(error);
        if (isSecond) heard.resolve();
      };
      const session = await inner.open({ ...options, onTrouble });
      if (isSecond) holdAnswer(session);
      return session;
    },
  };
  const scheduler = createScheduler({ store, clock, timeZone: 'UTC', reload: true, logger: false });
  await clock.until(scheduler.initialize(LIST));
  const dies = (): Promise<Waiting> => {
    declareDead();
    return clock.until(asked.promise);
  };
  return { clock, scheduler, database, dies };
}

test('D7 a stop that comes while an instance joins again ends, also if it cannot', async () => {
  const { clock, scheduler, database, dies } = await scene();
  const second = await dies();
  const stopped = scheduler.stop();
  second.fails();
  await clock.until(stopped);
  assert.equal(database.members.size, 0);
});

test('D7 a stop that comes while an instance joins again ends if it can, and nobody is left', async () => {
  const { clock, scheduler, database, dies } = await scene();
  const second = await dies();
  const stopped = scheduler.stop();
  second.answers();
  await clock.until(stopped);
  assert.equal(database.members.size, 0);
});

for (const end of ['answers', 'fails'] as const)
  test(`K4 an instance that dies again before it is in force joins once more, and once: the store ${end}`, async () => {
    const { clock, scheduler, database, dies } = await scene();
    const second = await dies();
    await second.diesAgain();
    second[end]();
    await clock.until(scheduler.initialize(LIST)); // after every try to join
    assert.equal(database.members.size, 1);
    await clock.until(scheduler.stop());
    assert.equal(database.members.size, 0);
  });

test('D7 an engine that is stopped twice ends for both', async () => {
  const clock = new WaitingClock();
  const store = memory();
  const places = new Map<string, number>();
  const life = beginLife(settleOptions({ store, clock }, SIZES), createEmit(undefined, store.location), {
    registrations: checkRegistrations(LIST, places),
    places,
    zone: zoneOf('UTC'),
    isWanted: () => true,
  });
  const { engine, session } = await clock.until(life);
  engine.begin();
  assert.deepEqual(await clock.until(Promise.all([engine.stop(1000), engine.stop(0)])), [
    undefined,
    undefined,
  ]);
  await session.close();
});
