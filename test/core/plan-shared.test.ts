/** What a plan makes of the records of other instances. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Planner } from '../../src/core/plan.ts';
import { checkRegistrations } from '../../src/core/registration.ts';
import { Tasks } from '../../src/core/tasks.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { zoneOf } from '../../src/time/zone.ts';

const UTC = zoneOf('UTC');
const NOW = Date.UTC(2026, 0, 1, 12, 0, 30);
const work = { key: 'key', scheduledFor: 1, attempt: 1 };

test('B5 K6 a deadline of an instance whose clock is measured ahead of this one stands; one of a clock that was set back does not', () => {
  const deadlineAfter = (aheadMs: number, isShared: boolean): number | null => {
    const places = new Map<string, number>();
    const registrations = checkRegistrations([['t', '* * * * *', () => {}, 500]], places);
    const planner = new Planner(new Tasks(registrations, 'life'), { registrations, places });
    planner.isShared = isShared;
    const failedAt = NOW + aheadMs;
    planner.add(
      newRecord('t', { retryDelayMs: 500, lastFailureAt: failedAt, pendingRetryUntil: failedAt + 500, work }),
    );
    const { value: plan } = planner.plan(NOW, UTC).next();
    return plan?.tasks.stateOf(0).pendingRetryUntil ?? null;
  };
  assert.equal(deadlineAfter(465, true), NOW + 965);
  assert.equal(deadlineAfter(1000, true), NOW + 1500);
  assert.equal(deadlineAfter(1001, true), NOW + 500);
  assert.equal(deadlineAfter(465, false), NOW + 500);
});

test('K9 T11 where instances share the store, a plan says when the tasks came that none has started', () => {
  const cameBy = (isShared: boolean): unknown => {
    const places = new Map<string, number>();
    const list = ['a', 'b', 'c', 'd', 'e'].map((name) => [name, '* * * * *', () => {}, 0]);
    const registrations = checkRegistrations(list, places);
    const planner = new Planner(new Tasks(registrations, 'life'), { registrations, places });
    planner.isShared = isShared;
    for (const [name, firstSeenAt] of Object.entries({ a: 7, b: 8, c: 7 }))
      planner.add(newRecord(name, { firstSeenAt }));
    planner.add(newRecord('d', { firstSeenAt: 7, lastAttemptAt: 9 }));
    return planner.plan(NOW, UTC).next().value?.came;
  };
  assert.deepEqual(cameBy(false), []);
  assert.deepEqual(cameBy(true), [
    { at: 7, names: ['a', 'c'] },
    { at: 8, names: ['b'] },
  ]);
});
