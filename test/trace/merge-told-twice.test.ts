/** K9: what a merged trace makes of what goes by another clock, and of what several instances tell. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { merged, T0, Traced } from './cluster-traces.ts';

describe('K9 merging', () => {
  test('K9 a freeze, which goes by the clock of the host, moves no record that goes by the store’s', async () => {
    const a = new Traced('a').join(5, ['t'], { hostAt: 0 }).start(10, 't', '1');
    a.write({ event: 'Frozen', at: 18, from: T0 + 12, to: T0 + 18 })
      .end(19, 't', '1')
      .stop(70);
    const records = await merged(a);
    const around = records.filter(({ event }) => event === 'StoreTrouble' || event === 'RunSuccess');
    assert.deepEqual(around, [
      { event: 'StoreTrouble', at: T0 + 19, from: T0 + 17, to: T0 + 19, error: 'frozen' },
      { event: 'RunSuccess', at: T0 + 19, task: 't', runId: 'a-1' },
    ]);
  });

  test('K9 a freeze at the end of a trace stays in it', async () => {
    const a = new Traced('a').join(5, ['t'], { hostAt: 0 });
    a.write({ event: 'Frozen', at: 18, from: T0 + 12, to: T0 + 18 });
    const trouble = (await merged(a)).find(({ event }) => event === 'StoreTrouble');
    assert.equal(trouble?.at, T0 + 23);
  });

  for (const [what, last] of [
    ['finds itself absent', (a: Traced) => a.gone(60, 'a')],
    ['has stopped', (a: Traced) => a.write({ event: 'StopEnd', at: 60, call: 9 })],
  ] as const)
    test(`K6 K9 the word of an instance that it ${what} moves nothing of the next one, which has measured the clock anew`, async () => {
      const next = new Traced('b').join(40, ['t']).start(41, 't', '1').end(45, 't', '1');
      const trace = last(new Traced('a').join(5, ['t']));
      trace.lines.push(...next.lines);
      const end = (await merged(trace)).find(({ event }) => event === 'RunSuccess');
      assert.equal(end?.at, T0 + 45);
    });

  test('I3 K9 many tell of one pause, some when it is over: it counts once, and is forgotten with its name', async () => {
    const a = new Traced('a').join(5, ['t']).write({ event: 'Paused', at: 10, task: 't', since: T0 + 9 });
    a.write({ event: 'Resumed', at: 20, task: 't', catchUp: true });
    const b = new Traced('b').join(6, ['t']).write({ event: 'Paused', at: 30, task: 't', since: T0 + 9 });
    const pauses = (await merged(a, b)).filter(({ event }) => event === 'Paused' || event === 'Resumed');
    assert.deepEqual(
      pauses.map(({ event, at }) => [event, at - T0]),
      [
        ['Paused', 10],
        ['Resumed', 20],
      ],
    );
  });

  test('I3 K4 K9 an instance that is gone, and does not know it, lets no task go on', async () => {
    const a = new Traced('a').join(5, ['t']).write({ event: 'Paused', at: 10, task: 't', since: T0 + 9 });
    a.write({ event: 'Resumed', at: 30, task: 't', catchUp: true });
    const told = async (goneAt: number): Promise<readonly number[]> => {
      const b = new Traced('b').join(6, ['t']).gone(goneAt, 'a');
      return (await merged(a, b)).flatMap(({ event, at }) => (event === 'Resumed' ? [at - T0] : []));
    };
    assert.deepEqual(await told(20), []);
    assert.deepEqual(await told(40), [30]);
  });

  test('H4 H9 K9 what instances say of dues that they skip is no part of the one trace', async () => {
    const skip = { event: 'DueSkipped', task: 't', dueAt: T0 } as const;
    const a = new Traced('a').join(5, ['t']).write({ ...skip, at: 10, why: 'late' });
    const b = new Traced('b').join(6, ['t']).write({ ...skip, at: 20, why: 'running' });
    assert.ok(!(await merged(a, b)).some(({ event }) => event === 'DueSkipped'));
  });

  test('K5 K9 of two lists of the same moment the one counts that the store had last', async () => {
    const a = new Traced('a').join(10, ['t'], {}, '1 * * * *');
    const b = new Traced('b').join(10, ['t'], {}, '2 * * * *');
    const withEpoch = (traced: Traced, epoch: number): Traced => {
      const success = JSON.parse(traced.lines[1]);
      traced.lines[1] = JSON.stringify({ ...success, epoch });
      return traced;
    };
    const last = (await merged(withEpoch(a, 2), withEpoch(b, 1))).findLast(
      (record) => record.event === 'InitStart',
    );
    assert.deepEqual(
      last?.registrations.map(({ cron }) => cron),
      ['1 * * * *'],
    );
  });

  test('K5 K9 a name that the store did not have begins anew, though no trace says when it was forgotten', async () => {
    const success = { added: ['t'], forgotten: [], epoch: 3 };
    const a = new Traced('a').join(5, ['t'], { success: { ...success, epoch: 1 } }).start(10, 't', '1');
    a.end(20, 't', '1').stop(30);
    const b = new Traced('b').join(15, ['u'], { success: { added: ['u'], forgotten: [], epoch: 2 } });
    b.join(500, ['t', 'u'], { reload: true, success });
    assert.deepEqual(await listsOf(a, b), ['t', 't,u', 'u', 'u,t']);
  });

  test('K5 K9 the answer to an initialize took long: what a later list has brought stays', async () => {
    const later = { added: [], forgotten: [], epoch: 1 };
    const a = new Traced('a').join(900, ['t'], { success: { added: ['t'], forgotten: [], epoch: 1 } });
    const b = new Traced('b').join(5, ['t'], { success: later }).start(10, 't', '1').end(20, 't', '1');
    b.stop(2000);
    assert.deepEqual(await listsOf(a, b), ['t']);
    const drops = new Traced('a').join(900, ['u'], { success: { added: ['u'], forgotten: ['t'], epoch: 1 } });
    const brings = new Traced('b').join(5, ['t'], { success: { added: ['t'], forgotten: [], epoch: 2 } });
    brings.stop(2000);
    assert.deepEqual(await listsOf(drops, brings), ['t', 't,u']);
  });
});

/** The names of each list of the merged trace. */
const listsOf = async (...traces: readonly Traced[]): Promise<readonly string[]> =>
  (await merged(...traces)).flatMap((record) =>
    record.event === 'InitStart' ? [record.registrations.map(({ name }) => name).join()] : [],
  );
