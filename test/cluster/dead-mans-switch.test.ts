/** The dead man's switch of a cluster: it goes on while one instance lives, whichever that is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScheduler, type Scheduler } from '../../src/scheduler/index.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { type Pings, pings } from '../../src/telemetry/index.ts';
import { freshSchema, startServer } from '../store/postgres/server.ts';
import { PingServer } from '../telemetry/ping-server.ts';

test('K3 every instance beats for one address, and the one that is left beats on', async (t) => {
  const close: Array<() => unknown> = [];
  t.after(async () => {
    for (const each of close.reverse()) await each();
  });
  const server = await startServer();
  close.push(() => server.stop());
  const service = await PingServer.listen();
  close.push(() => service.close());
  const schema = freshSchema();

  const begin = async (who: string): Promise<{ scheduler: Scheduler; told: Pings }> => {
    const store = postgres(server.url, { schema });
    // The address is one; the query says who it was.
    const alive = { target: service.url(`/cluster?by=${who}`), every: 50, store };
    const told = pings({ alive });
    const scheduler = createScheduler({ store, logger: false, onEvent: told.onEvent });
    close.push(() => told.close());
    close.push(() => scheduler.stop());
    await scheduler.initialize([['yearly', '0 0 1 1 *', () => {}, 0]]);
    return { scheduler, told };
  };
  const beatsOf = (who: string): number =>
    service.received.filter(({ query }) => query.get('by') === who).length;
  const beatsMore = async (who: string): Promise<void> => {
    const before = beatsOf(who);
    while (beatsOf(who) < before + 2) await service.got(service.received.length + 1);
  };

  const [first] = [await begin('first'), await begin('second')];
  await beatsMore('first');
  await beatsMore('second');
  await first.scheduler.stop();
  await first.told.flush();
  const last = beatsOf('first');
  await beatsMore('second');
  assert.equal(beatsOf('first'), last);
  assert.deepEqual([...new Set(service.paths)], ['/cluster']);
});
