/** The reference checker itself: what it must accept, what it must find, and what its readings are. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createWorld, drawScenario } from '../../src/simulation/index.ts';
import { callsOf } from './independent/calls.ts';
import { check, violatedIn } from './independent/checker.ts';
import { historyOf, situationOf } from './independent/macros.ts';
import { faultyNames, isDue } from './independent/schedule.ts';
import { randomTrace } from './independent/traces.ts';
import { instant, registrations, type Tasks, type Trace, trace } from './traces.ts';

const noon = { a: '0 12 * * *' };
const seeds = Array.from({ length: 400 }, (_, i) => i + 1);

test('it shares no code with the oracle: only the comparison knows it, through its door', () => {
  const folder = join(import.meta.dirname, 'independent');
  const imports = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/from '(?:\.\.\/)+(src\/[^']+)'/g)].map(
      ([, to]) => `${file} ${to}`,
    ),
  );
  const others = imports.filter((line) => !line.endsWith(' src/trace/record.ts'));
  assert.deepEqual(others, ['compare.ts src/theory/index.ts']);
});

describe('the little scheduler of rule A1', () => {
  test('S1–S5 its traces break no safety axiom in some reading, and L1 only where it dawdles', () => {
    let late = 0;
    for (const seed of seeds) {
      const { records, grant } = randomTrace(seed, 'ideal');
      const { common, tasks } = check(records, grant);
      const safety = [...common].filter((axiom) => axiom.startsWith('S'));
      assert.deepEqual(safety, [], `seed ${seed}`);
      for (const [task, readings] of tasks) {
        const best = readings.filter((violated) => !violated.has('S1') && !violated.has('S2'));
        assert.ok(best.length > 0, `seed ${seed}, ${task}`);
        if (best.every((violated) => violated.has('L1'))) late++;
      }
    }
    assert.ok(late > 0 && late < seeds.length / 5, `${late} of ${seeds.length}`);
  });

  test('S1–S5 L1–L3 mutants of its traces break every axiom', () => {
    const broken = new Set(
      seeds.flatMap((seed) => {
        const { records, grant } = randomTrace(seed, 'mutant');
        return violatedIn(check(records, grant));
      }),
    );
    assert.deepEqual([...broken].sort(), ['L1', 'L2', 'L3', 'S1', 'S2', 'S3', 'S4', 'S5']);
  });
});

test('S1–S5 the scheduler that ships, in simulated worlds: nothing is broken before the first clock step', async () => {
  let durable = 0;
  // The checker reads tuples, and knows no operators.
  const isPlain = (seed: number): boolean => !/"policy"|"ask"/.test(JSON.stringify(drawScenario(seed)));
  for (const seed of Array.from({ length: 60 }, (_, index) => index + 1).filter(isPlain)) {
    const { trace: all } = await createWorld({ seed }).run();
    const step = all.findIndex(({ event }) => event === 'ClockStep');
    const records = all.slice(0, Math.min(60, step < 0 ? all.length : step));
    if (records.length === 0) continue;
    durable += records.filter(({ event }) => event === 'EndDurable').length;
    const safety = violatedIn(check(records)).filter((axiom) => axiom.startsWith('S'));
    assert.deepEqual(safety, [], `seed ${seed}`);
  }
  assert.ok(durable > 50, `${durable} ends`);
});

describe('RD1–RD3 on the derived pulses, in the form of T2', () => {
  test('RD1 RD2 RD3 of random traces and mutants', () => {
    let pulses = 0;
    for (const [seed, task] of seeds.flatMap((one) => ['a', 'b', 'c'].map((name) => [one, name] as const))) {
      const { records } = randomTrace(seed, 'mutant');
      const reading = { commits: [], atCrash: new Map() };
      const situation = situationOf(records, callsOf(records), reading);
      const { standing, failure, start, firstComing } = historyOf(situation, task, reading);
      const stands = standing.map(({ held }) => held.has('retry'));
      const retryDue = stands.map((isOne, i) => isOne && (!stands[i - 1] || failure[i]));
      retryDue.forEach((isPulse, i) => {
        if (!isPulse) return;
        pulses++;
        const failed = failure.lastIndexOf(true, i);
        assert.ok(failed >= 0, `RD1: seed ${seed}`);
        assert.ok(!retryDue.slice(failed, i).includes(true), `RD2: seed ${seed}`);
        const isForgotten = [start, firstComing].some((since) => since.slice(failed, i).includes(true));
        assert.ok(!isForgotten, `T2: seed ${seed}`);
      });
      failure.forEach((isFailure, i) => {
        const settled = (_: unknown, j: number): boolean =>
          (j >= i && retryDue[j]) || (j > i && (start[j] || firstComing[j] || failure[j]));
        const isOver = situation.positions.some(({ retryOf }) => retryOf === situation.positions[i].index);
        assert.ok(!isFailure || !isOver || failure.some(settled), `RD3: seed ${seed}`);
      });
    }
    assert.ok(pulses > 50, `${pulses} pulses`);
  });
});

describe('readings', () => {
  const count = (made: Trace): number => check(made.records).tasks.get('a')?.length ?? Number.NaN;
  const begun = trace().at('11:59').init(noon).at('12:00');
  const ended = begun.startDurable('a').start('a').at('12:00:01').succeed('a');

  test('T4 a run that is open at a crash leaves none open', () =>
    assert.equal(count(begun.startDurable('a').start('a').crash('12:01')), 1));

  test('T10 nothing is open where no durability was recorded', () =>
    assert.equal(count(begun.start('a').succeed('a').crash('12:01')), 1));

  test('T10 A10 an end without EndDurable leaves two', () => assert.equal(count(ended.crash('12:01')), 2));

  test('T10 D7 an end with EndDurable, or before the end of a stop, leaves one', () => {
    assert.equal(count(ended.endDurable('a').crash('12:01')), 1);
    assert.equal(count(ended.stop().crash('12:01')), 1);
  });

  test('T10 A4 E9 a start that was not called leaves one, and two once a stop has begun to take it back', () => {
    const claimed = begun.startDurable('a');
    assert.equal(count(claimed.crash('12:01')), 1);
    assert.equal(count(claimed.stopStart().crash('12:01')), 2);
    assert.equal(count(claimed.stop().crash('12:01')), 2);
  });

  test('T10 a task that is owed a run at a crash may have a start that nobody saw, and one that is not may not', () => {
    const ended = trace()
      .at('11:59')
      .init({ ...noon, b: '59 11 * * *' })
      .startDurable('b')
      .start('b');
    assert.equal(count(ended.at('12:00').crash('12:01')), 2);
    assert.equal(count(ended.at('11:59:59').crash('12:01')), 1);
    assert.equal(count(ended.at('12:00').stopStart().crash('12:01')), 2);
  });

  test('T11 an initialization that was cut off leaves one per place where it may have become durable, and one', () => {
    assert.equal(count(trace().at('12:00:10').initStart(noon).crash('12:01')), 2);
    assert.equal(count(trace().at('12:00:10').initStart(noon).at('12:02:10').crash('12:03')), 4);
    assert.equal(
      count(
        trace()
          .at('12:00:10')
          .initStart({ ...noon, b: '*/5 * * * *' })
          .crash('12:01'),
      ),
      1,
    );
  });

  test('T10 T11 crashes multiply', () =>
    assert.equal(count(ended.crash('12:01').initStart(noon).crash('12:01:30')), 4));
});

describe('schedules', () => {
  const berlin = (cron: string, at: string): boolean => isDue(cron, 'Europe/Berlin', Date.parse(at));

  test('B1 a minute that happens twice is due twice, and one that is skipped is not due', () => {
    assert.ok(berlin('30 2 25 10 *', '2026-10-25T00:30Z') && berlin('30 2 25 10 *', '2026-10-25T01:30Z'));
    const night = Array.from({ length: 180 }, (_, i) => Date.parse('2026-03-29T00:00Z') + i * 60_000);
    assert.ok(!night.some((at) => isDue('30 2 * * *', 'Europe/Berlin', at)));
  });

  test('C2 the day of the month or of the week, if both are restricted', () => {
    const monday = instant('12:00');
    assert.ok(isDue('0 12 31 * 1', 'UTC', monday) && isDue('0 12 2 * 5', 'UTC', monday));
    assert.ok(!isDue('0 12 31 * *', 'UTC', monday) && !isDue('0 12 * 4 1', 'UTC', monday));
  });

  test('C1 C3 D3 what is at fault in a list', () => {
    const faulty = (tasks: Tasks): string[] => [...faultyNames(registrations(tasks))];
    assert.deepEqual(faulty({ a: '*/5 * * * *', b: '0 0 30 2 *', c: '0 0 29 2 *', d: ['* * * * *', -1] }), [
      'a',
      'b',
      'd',
    ]);
    assert.deepEqual(faulty({ a: '0 0 31 4 1', b: '5,1-3 * * * *', c: '22-2 * * * *', '': '* * * * *' }), [
      'c',
      '',
    ]);
    assert.deepEqual([...faultyNames([...registrations(noon), ...registrations(noon)])], ['a']);
  });
});
