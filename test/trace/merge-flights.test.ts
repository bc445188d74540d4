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
    const a = new Traced('a').join(5, ['t'], success(1), BEFORE);
    const run = { task: 't', runId: 'a-1', instance: 'a' };
    a.write({ event: 'StartDurable', at: 60, ...run, claimedAt: T0 + 10 }).write({
      event: 'RunStart',
      at: 61,
      ...run,
    });
    const lists = await told(a.end(90, 't', '1'), bringing());
    assert.deepEqual(lists.slice(0, 6), [BEFORE, NEXT, BEFORE, 'RunStart', 'RunSuccess', NEXT]);
  });
});
