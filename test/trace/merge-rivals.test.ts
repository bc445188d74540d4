/** K9: a start in one trace that seems to come before the end of the run before it, in another trace. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace } from '../../src/theory/check.ts';
import { merged, T0, Traced } from './cluster-traces.ts';

const NAMES = ['t', 'u'];

/** It runs `u`, which fails at that instant, and runs it again as soon as that is due. */
const retriesOf = (failsAt: number, id = 'c'): Traced =>
  new Traced(id)
    .join(2, NAMES)
    .start(failsAt - 90, 'u', '1')
    .end(failsAt, 'u', '1', 'RunFailure')
    .start(failsAt + 1000, 'u', '2')
    .end(failsAt + 1100, 'u', '2')
    .stop(90_002);

const violations = async (...traces: readonly Traced[]): Promise<readonly string[]> => {
  const { axioms } = await checkTrace(await merged(...traces), { witnesses: { lagMs: 600_000 } });
  return Object.values(axioms).flatMap(({ violations: found }) => found.map(({ because }) => because));
};

const failureOfU = async (...traces: readonly Traced[]): Promise<number | undefined> => {
  const end = (await merged(...traces)).find(
    (record) => record.event === 'RunFailure' && record.task === 'u',
  );
  return end && end.at - T0;
};

describe('K9 merging starts that seem too early', () => {
  test('K4 one that was frozen, and is gone, hears that it may start: that moves nothing of the others', async () => {
    const dead = new Traced('a').join(0, NAMES).start(20_015, 't', '1').gone(20_020, 'a');
    dead.end(20_030, 't', '1', 'RunFailure');
    const heir = new Traced('b').join(1, NAMES).gone(20_000, 'a', { task: 't', runId: 'a-1' });
    heir.start(20_010, 't', '1').end(20_500, 't', '1').stop(90_000);
    const traces = [dead, heir, retriesOf(20_100)];
    assert.deepEqual(await violations(...traces), []);
    assert.equal(await failureOfU(...traces), 20_100);
  });

  test('K4 nor of itself, when it has joined again', async () => {
    const dead = new Traced('a').join(0, NAMES).start(20_003, 't', '1').gone(20_004, 'a');
    dead.lines.push(...new Traced('d').join(20_005, NAMES).lines, ...retriesOf(20_100, 'd').lines.slice(2));
    const heir = new Traced('b').join(1, NAMES).gone(20_000, 'a', { task: 't', runId: 'a-1' });
    heir.start(20_001, 't', '1').end(20_500, 't', '1').stop(90_000);
    assert.deepEqual(await violations(dead, heir), []);
    assert.equal(await failureOfU(dead, heir), 20_100);
  });

  test('K6 a start that waits for the end before it moves nothing of the others', async () => {
    const ahead = new Traced('a').join(0, NAMES).start(5, 't', '1').end(60_130, 't', '1').stop(90_000);
    const behind = new Traced('b').join(1, NAMES).start(60_080, 't', '1').end(60_700, 't', '1').stop(90_001);
    const traces = [ahead, behind, retriesOf(60_100)];
    assert.deepEqual(await violations(...traces), []);
    assert.equal(await failureOfU(...traces), 60_100);
  });

  test('S1 two starts that would wait for each other wait no longer than one of them, and are told', async () => {
    const a = new Traced('a').join(0, NAMES).start(5, 't', '1').start(100, 'u', '2');
    const b = new Traced('b').join(1, NAMES).start(6, 'u', '1').start(101, 't', '2');
    a.end(200, 't', '1').end(300, 'u', '2').stop(90_000);
    b.end(200, 'u', '1').end(300, 't', '2').stop(90_001);
    const starts = (await merged(a, b)).filter(({ event }) => event === 'RunStart');
    assert.equal(starts.length, 4);
    assert.ok((await violations(a, b)).length > 0);
  });
});
