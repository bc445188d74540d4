/** I5, K9: a run goes on under the registration it began with, until it is over or its instance hears of the next list. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { merged, T0, Traced } from './cluster-traces.ts';

const BEFORE = '* * * * *';
const NEXT = '5 * * * *';

/** The schedule of each list, and what happens to the run. */
async function told(...traces: readonly Traced[]): Promise<readonly string[]> {
  return (await merged(...traces)).flatMap((record) => {
    if (record.event === 'InitStart') return record.registrations.map(({ cron }) => cron);
    return ['RunStart', 'RunSuccess', 'UnexpectedShutdown'].includes(record.event) ? [record.event] : [];
  });
}

const success = (epoch: number) => ({ success: { added: [], forgotten: [], epoch } });
const running = (): Traced => new Traced('a').join(5, ['t'], success(1), BEFORE).start(10, 't', '1');
const bringing = (at = 50): Traced => new Traced('b').join(at, ['t'], success(2), NEXT);

const RUN = { task: 't', runId: 'a-1', instance: 'a' };
const joined = (): Traced => new Traced('a').join(5, ['t'], success(1), BEFORE);
const durable = (a: Traced, at: number, claimedAt: number): Traced =>
  a.write({ event: 'StartDurable', at, ...RUN, claimedAt: T0 + claimedAt });

/** Its run is claimed at an instant, and called half a second later. */
const claiming = (at: number, toldAt = at + 500): Traced =>
  durable(joined(), toldAt, at)
    .write({ event: 'RunStart', at: toldAt + 1, ...RUN })
    .end(toldAt + 100, 't', '1');

describe('I5 K9 the list of a task that runs', () => {
  test('I5 K9 the next list counts for a task that runs from the end of its run, if its instance has not heard of it', async () => {
    const lists = await told(running().end(90, 't', '1'), bringing());
    assert.deepEqual(lists.slice(0, 5), [BEFORE, 'RunStart', BEFORE, 'RunSuccess', NEXT]);
  });

  test('I5 K9 the next list counts for a task that runs from when its instance hears of it', async () => {
    const a = running().join(70, ['t'], { ...success(2), follows: true, reload: true }, NEXT);
    const lists = await told(a.end(90, 't', '1'), bringing());
    assert.deepEqual(lists.slice(0, 5), [BEFORE, 'RunStart', BEFORE, NEXT, 'RunSuccess']);
  });

  test('I5 K9 the next list counts at once for a task whose run was cut off', async () => {
    const lists = await told(running().end(200, 't', '1'), bringing().gone(80, 'a'));
    assert.deepEqual(lists.slice(0, 5), [BEFORE, 'RunStart', BEFORE, 'UnexpectedShutdown', NEXT]);
  });

  test('I5 K9 a run that was claimed before the next list is called under its own, and stays under it', async () => {
    const lists = await told(claiming(10), bringing());
    assert.deepEqual(lists.slice(0, 5), [BEFORE, BEFORE, 'RunStart', 'RunSuccess', NEXT]);
  });

  test('I5 K6 K9 a run whose claim seems to come after the next list, as clocks are measured, is called under its own', async () => {
    const lists = await told(claiming(52), bringing());
    assert.deepEqual(lists.slice(0, 5), [BEFORE, BEFORE, 'RunStart', 'RunSuccess', NEXT]);
  });

  test('K5 K9 a run that was claimed when the next list had counted for long is judged by that list', async () => {
    const lists = await told(claiming(5000), bringing());
    assert.deepEqual(lists.slice(0, 4), [BEFORE, NEXT, 'RunStart', 'RunSuccess']);
  });

  test('H4 I5 K9 a run whose instance hears of its start an hour after the next list has run under its own since then', async () => {
    const a = claiming(10, 3_600_000).join(3_600_200, ['t'], success(2), NEXT);
    const lists = await told(a, bringing());
    assert.deepEqual(lists.slice(0, 5), [BEFORE, BEFORE, 'RunStart', 'RunSuccess', NEXT]);
  });

  test('K4 K9 a start that its instance hears of when it is gone is cut off, and the next list counts from then on', async () => {
    const { task, runId } = RUN;
    const b = bringing().gone(80, 'a', { task, runId });
    const all = (await merged(claiming(10), b)).map(({ event }) => event);
    const cut = all.indexOf('UnexpectedShutdown');
    assert.equal(all[cut - 1], 'StartDurable');
    const lists = await told(claiming(10), b);
    assert.deepEqual(lists.slice(0, 4), [BEFORE, BEFORE, 'UnexpectedShutdown', NEXT]);
  });

  test('K9 a start that its instance hears of when it stops is not called: the next list counts', async () => {
    const stop = { event: 'StopStart', call: 2 } as const;
    for (const at of [40, 60]) {
      const unheard = durable(joined().write({ ...stop, at }), 510, 10);
      assert.deepEqual(
        (await told(unheard, bringing())).slice(0, 2),
        [BEFORE, NEXT],
        `a stop after ${at} ms`,
      );
    }
    const heard = durable(joined(), 40, 10).write({ ...stop, at: 60 });
    assert.deepEqual((await told(heard, bringing())).slice(0, 3), [BEFORE, BEFORE, NEXT]);
  });
});
