/** H9, K9: a due that an instance skips while it runs the task, and then dies. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace } from '../../src/theory/check.ts';
import { mergeTraces } from '../../src/trace/merge/merge.ts';
import { T0, Traced } from './cluster-traces.ts';

const MINUTE = 60_000;

/** The first retry comes after one second, the second after three, the third after nine. */
const POLICY = { retry: { backoff: 3 }, whileRunning: 'skip' };

function joined(id: string, at: number): Traced {
  const traced = new Traced(id).join(at, ['t']);
  const { registrations, ...start } = JSON.parse(traced.lines[0]);
  traced.lines[0] = JSON.stringify({ ...start, registrations: [{ ...registrations[0], policy: POLICY }] });
  return traced;
}

/** Its second attempt runs when 12:01 comes, which it skips. */
const dying = (): Traced =>
  joined('a', 0)
    .start(5, 't', '1')
    .end(50_000, 't', '1', 'RunFailure')
    .start(51_001, 't', '2')
    .write({ event: 'DueSkipped', at: MINUTE, task: 't', dueAt: T0 + MINUTE, why: 'running' });

/** Starts the run that was cut off again; that fails, and is retried after a while. */
const takingOver = (retriedAfterMs: number): Traced =>
  joined('b', 1)
    .gone(75_000, 'a')
    .start(75_100, 't', '1')
    .end(75_200, 't', '1', 'RunFailure')
    .start(75_201 + retriedAfterMs, 't', '2');

async function broken(...traces: readonly Traced[]): Promise<string[]> {
  const merged = mergeTraces(traces.map(({ text }) => [text]));
  const { axioms } = await checkTrace(merged, { durability: 'recorded', witnesses: { lagMs: 20_000 } });
  return Object.entries(axioms).flatMap(([id, { violations }]) => (violations.length > 0 ? [id] : []));
}

describe('H9 K9 a due that was skipped during a run, when its instance dies', () => {
  test('was not stored: 12:01 is newer than the work, so the restart is new work, with its first delay', async () => {
    assert.deepEqual(await broken(dying(), takingOver(1000)), []);
  });

  test('was not stored, and the end of the run was neither', async () => {
    const ending = dying().end(61_000, 't', '2', 'RunFailure');
    ending.lines.pop();
    assert.deepEqual(await broken(ending, takingOver(1000)), []);
  });

  test('a retry that neither reading allows breaks S1', async () => {
    assert.deepEqual(await broken(dying(), takingOver(500)), ['S1']);
  });

  test('was stored: the restart is the third attempt of its work, with the third delay', async () => {
    assert.deepEqual(await broken(dying(), takingOver(9000)), []);
  });
});
