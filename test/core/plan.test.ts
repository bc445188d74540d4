/** E1–E4 as a pure function: every mixture of stored and registered names. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Plan, Planner } from '../../src/core/plan.ts';
import { policyOf } from '../../src/core/policy.ts';
import type { TaskRecord } from '../../src/core/record.ts';
import { checkRegistrations } from '../../src/core/registration.ts';
import { Tasks } from '../../src/core/tasks.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { fc } from '../property.ts';

const UTC = zoneOf('UTC');
const NOW = Date.UTC(2026, 0, 1, 12, 0, 30);
const YEAR = 365 * 86_400_000;

const run = { runId: 'run', instanceId: 'dead', startedAt: 1, reason: 'due' } as const;
const work = { key: 'key', scheduledFor: 1, attempt: 1 };
const instant = fc.integer({ min: 0, max: NOW });
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const cron = fc.constantFrom('* * * * *', '0 12 * * *');
const delay = fc.constantFrom(0, 1000);

const record: fc.Arbitrary<TaskRecord> = fc
  .record({
    name,
    cron,
    retryDelayMs: delay,
    firstSeenAt: instant,
    servedThrough: instant,
    lastAttemptAt: fc.option(instant),
    lastSuccessAt: fc.option(instant),
    lastFailureAt: fc.option(instant),
    failures: fc.nat({ max: 9 }),
    failingSince: fc.option(instant),
    isCutOff: fc.boolean(),
    cutOffAt: fc.option(instant),
  })
  .map(({ isCutOff, cutOffAt, ...fields }) =>
    newRecord(fields.name, { ...fields, ...(isCutOff ? { work, run: { ...run, cutOffAt } } : {}) }),
  );
const stored = fc.uniqueArray(record, { selector: (fields) => fields.name });
const registrations = fc.uniqueArray(
  fc.tuple(
    name,
    cron,
    fc.constant(() => {}),
    delay,
  ),
  { selector: ([first]) => first },
);

type Listed = readonly (readonly [name: string, cron: string, callback: () => void, delay: number])[];

/** The plan, and how often it let others have their turn. */
function planned(
  records: Iterable<TaskRecord>,
  list: Listed,
): { readonly plan: Plan; readonly turns: number } {
  const places = new Map<string, number>();
  const checked = checkRegistrations(list, places);
  const planner = new Planner(new Tasks(checked, 'life'), { registrations: checked, places });
  for (const each of records) planner.add(each);
  const planning = planner.plan(NOW, UTC);
  let step = planning.next();
  let turns = 0;
  for (; !step.done; step = planning.next()) turns++;
  return { plan: step.value, turns };
}

/** The records as the plan leaves them, in the order of the registrations. */
function recordsAfter({ tasks, puts }: Plan, records: readonly TaskRecord[]): TaskRecord[] {
  const fresh = new Map(Array.from(puts, (put) => [put.name, put]));
  return Array.from({ length: tasks.count }, (_, task) => {
    const { name: wanted, cron: text, retryDelayMs } = tasks.registrationOf(task);
    const before = fresh.get(wanted) ?? records.find((each) => each.name === wanted);
    assert.ok(before !== undefined, wanted);
    return { ...before, cron: text, retryDelayMs, ...tasks.stateOf(task) };
  });
}

const namesOf = (many: Iterable<{ readonly name: string }>): string[] =>
  Array.from(many, (each) => each.name);

describe('E4 the plan', () => {
  test('E4 each name is new, kept or removed, and only what differs is written', () => {
    fc.assert(
      fc.property(stored, registrations, (records, list) => {
        const { plan } = planned(records, list);
        const old = new Set(namesOf(records));
        const wanted = new Map<string, Listed[number]>(list.map((entry) => [entry[0], entry]));
        const kept = records.filter((fields) => wanted.has(fields.name));
        assert.deepEqual(plan.removes, namesOf(records.filter((fields) => !wanted.has(fields.name))));
        const fresh = list.map(([first]) => first).filter((first) => !old.has(first));
        assert.deepEqual(namesOf(plan.puts), fresh);
        assert.equal(plan.puts.length, fresh.length);
        assert.deepEqual(
          plan.fresh.map((task) => plan.tasks.nameOf(task)),
          fresh,
        );
        const differs = ({ name: own, cron: text, retryDelayMs }: TaskRecord): boolean =>
          wanted.get(own)?.[1] !== text || wanted.get(own)?.[3] !== retryDelayMs;
        assert.deepEqual(plan.overridden, namesOf(kept.filter(differs)));
        assert.deepEqual(
          plan.configures,
          kept.filter(differs).map((fields) => {
            const [, text, , retryDelayMs] = wanted.get(fields.name) ?? [];
            // A run that is found cut off is written first.
            const version = fields.run?.cutOffAt === null ? 2 : 1;
            return { name: fields.name, version, cron: text, retryDelayMs, policy: null };
          }),
        );
        assert.deepEqual(plan.orphaned, namesOf(kept.filter((before) => before.run !== null)));
        assert.deepEqual(plan.moves, [], 'the clock was not set back');
      }),
    );
  });

  test('E1 every field of the history is kept, whatever becomes of the configuration', () => {
    fc.assert(
      fc.property(stored, registrations, (records, list) => {
        const after = recordsAfter(planned(records, list).plan, records);
        assert.deepEqual(
          after,
          list.map(([wanted, text, , retryDelayMs]) => {
            const firstComing = newRecord(wanted, {
              firstSeenAt: NOW,
              servedThrough: Date.UTC(2026, 0, 1, 12) - 1,
            });
            const before = records.find((fields) => fields.name === wanted) ?? firstComing;
            const found = before.run && { ...before.run, cutOffAt: before.run.cutOffAt ?? NOW };
            return { ...before, cron: text, retryDelayMs, run: found };
          }),
        );
      }),
    );
  });

  test('J1 every unfinished run is found to be cut off, once, also that of a name that is removed', () => {
    fc.assert(
      fc.property(stored, registrations, (records, list) => {
        const isFound = (fields: TaskRecord): boolean => fields.run !== null && fields.run.cutOffAt === null;
        assert.deepEqual(
          planned(records, list).plan.cutOffs,
          records.filter(isFound).map((fields) => ({ name: fields.name, runId: 'run', at: NOW })),
        );
      }),
    );
  });

  const ahead = newRecord('a', {
    cron: '0 12 * * *',
    retryDelayMs: 1000,
    servedThrough: NOW + YEAR,
    lastAttemptAt: NOW + YEAR,
    lastFailureAt: NOW + YEAR,
    pendingRetryUntil: NOW + YEAR + 1000,
    work,
  });

  test('B5 a clock set back since then moves cursor and deadline, in the same plan', () => {
    const { plan } = planned([ahead], [['a', '0 12 * * *', () => {}, 1000]]);
    const moved = { servedThrough: NOW, pendingRetryUntil: NOW + 1000 };
    assert.deepEqual(plan.moves, [{ name: 'a', version: 1, ...moved }]);
    assert.deepEqual(recordsAfter(plan, [ahead]), [{ ...ahead, ...moved }]);
    assert.deepEqual(plan.overridden, []);
  });

  test('B5 the deadline that moves is that of the delay under which the task failed (E4)', () => {
    const [longer, shorter] = [50_000, 10].map(
      (retryDelayMs) => planned([ahead], [['a', '0 12 * * *', () => {}, retryDelayMs]]).plan,
    );
    assert.equal(shorter.moves[0].pendingRetryUntil, NOW + 1000);
    assert.equal(longer.moves[0].pendingRetryUntil, NOW + 1000);
  });

  test('E5 a plan that is made in slices is the one that its parts make', () => {
    const count = 45_000;
    const list: Listed = Array.from({ length: count }, (_, task) => [
      `task ${task}`,
      '0 12 * * *',
      () => {},
      1000,
    ]);
    const recordOf = (task: number): TaskRecord =>
      task % 3 === 1
        ? { ...ahead, name: `task ${task}` }
        : newRecord(`task ${task}`, { work, run: { ...run, cutOffAt: null } });
    const records = list.flatMap((_, task) => (task % 3 === 0 ? [] : [recordOf(task)]));
    const whole = planned(records.toReversed(), list);
    assert.equal(whole.turns, 2);
    const parts = [0, 15_000, 30_000].map((from) => {
      const isOwn = (task: number): boolean => task >= from && task < from + 15_000;
      return planned(
        records.filter((each) => isOwn(Number(each.name.slice(5)))),
        list.slice(from, from + 15_000),
      );
    });
    assert.deepEqual(
      parts.map(({ turns }) => turns),
      [0, 0, 0],
    );
    const { plan } = whole;
    const together = parts.map((part) => part.plan);
    assert.deepEqual(
      plan.moves,
      together.flatMap(({ moves }) => moves),
    );
    assert.deepEqual(
      [...plan.puts],
      together.flatMap(({ puts }) => [...puts]),
    );
    assert.deepEqual(
      plan.cutOffs.toReversed(),
      together.flatMap(({ cutOffs }) => cutOffs),
    );
    assert.deepEqual(
      plan.orphaned.toReversed(),
      together.flatMap(({ orphaned }) => orphaned),
    );
    for (let task = 0; task < count; task++) {
      const part = together[Math.floor(task / 15_000)];
      assert.deepEqual(plan.tasks.stateOf(task), part.tasks.stateOf(task % 15_000));
    }
  });
});

test('H10 K5 a list that follows others begins nothing anew: their configuration counts', () => {
  const places = new Map<string, number>();
  const checked = checkRegistrations([['t', '* * * * *', () => {}, 0]], places).map((each) => ({
    ...each,
    policy: policyOf({ onOverride: 'reset' }),
  }));
  const written = (follows: boolean): readonly string[] => {
    const planner = new Planner(new Tasks(checked, 'life'), { registrations: checked, places });
    planner.follows = follows;
    planner.add(newRecord('t', { cron: '0 12 * * *' }));
    const { value: plan } = planner.plan(NOW, UTC).next();
    assert.deepEqual(plan?.overridden, ['t']);
    return Array.from(plan?.puts ?? [], (put) => put.name);
  };
  assert.deepEqual(written(false), ['t']);
  assert.deepEqual(written(true), []);
});
