/** K9, T11: a list that no trace tells of has brought names to the store. The instance that finds them there says when they came. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { merged, T0, Traced } from './cluster-traces.ts';

const found = (at: number) => ({
  success: { added: [], forgotten: [], came: [{ at: T0 + at, names: ['u'] }] },
});

/** What becomes of the names: each list, and who waits for an instance. */
async function told(...traces: readonly Traced[]): Promise<readonly (readonly [number, string])[]> {
  return (await merged(...traces)).flatMap((record) => {
    if (record.event === 'InitStart')
      return [[record.at - T0, record.registrations.map(({ name }) => name).join()] as const];
    const { event, at } = record;
    return event === 'Paused' || event === 'Resumed' ? [[at - T0, `${event} ${record.task}`] as const] : [];
  });
}

describe('K9 T11 a list that no trace tells of', () => {
  test('K9 T11 names that it brought begin when they came, and wait for an instance that has them', async () => {
    const b = new Traced('b').join(90_000, ['t', 'u'], found(40_000));
    assert.deepEqual((await told(new Traced('a').join(5, ['t']).start(95_000, 't', '1'), b)).slice(0, 4), [
      [5, 't'],
      [40_000, 't,u'],
      [40_000, 'Paused u'],
      [90_000, 'Resumed u'],
    ]);
  });

  test('K9 T11 names that had gone before it begin again when they came', async () => {
    const a = new Traced('a').join(5, ['t', 'u']).start(95_000, 't', '1');
    const b = new Traced('b').join(90_000, ['t', 'u'], found(40_000));
    assert.deepEqual((await told(a, b)).slice(0, 3), [
      [5, 't,u'],
      [40_000, 't'],
      [40_000, 't,u'],
    ]);
  });

  test('K9 T11 a first coming that is known is told again without effect', async () => {
    const a = new Traced('a').join(5, ['t', 'u']).start(95_000, 't', '1');
    const [b, c] = ['b', 'c'].map((id, place) => new Traced(id).join(80_000 + place, ['t', 'u'], found(4)));
    assert.deepEqual((await told(a, b, c)).slice(0, 1), [[5, 't,u']]);
    assert.equal((await told(a, b, c)).filter(([, what]) => what.includes(',')).length, 1);
  });
});
