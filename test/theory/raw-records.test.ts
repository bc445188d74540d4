/** Whatever is given as a record, of whatever type: what is none is named, the environment's, and nobody crashes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace, createMonitor } from '../../src/theory/check.ts';
import type { Verdict } from '../../src/theory/verdict/verdict.ts';
import { checkRecord } from '../../src/trace/check.ts';
import { readTrace } from '../../src/trace/read.ts';
import type { TraceRecord } from '../../src/trace/record.ts';
import { fc } from '../property.ts';
import { damageTo } from '../trace/damage.ts';
import { brokenBy, everything, violationOf } from './judge.ts';
import { instant, trace } from './traces.ts';

const at = instant('11:59:30');
const [init, success, ...rest] = trace()
  .at('11:59')
  .init({ a: '0 12 * * *' })
  .at('12:00')
  .start('a')
  .at('12:00:01')
  .succeed('a');
const registration = { name: 'a', cron: '* * * * *', retryDelayMs: 0 };

/** As a program without types would give them. */
const untyped = (values: readonly unknown[]): TraceRecord[] => values as TraceRecord[];

async function verdictsOn(values: readonly unknown[]): Promise<readonly [Verdict, Verdict]> {
  const monitor = createMonitor({ theory: everything });
  for (const value of untyped(values)) monitor.sink(value);
  return [await checkTrace(untyped(values), { theory: everything }), monitor.verdict()];
}

const statuses = ({ axioms }: Verdict): Record<string, string> =>
  Object.fromEntries(Object.entries(axioms).map(([id, { status }]) => [id, status]));

const plain = ({ of: _, ...verdict }: Verdict): unknown => verdict;

describe('WF what is no record is named by its place', () => {
  for (const [value, sentence] of [
    [null, /record 3: a record is an object, and this is null/],
    ['x', /record 3: .* this is "x"/],
    [5, /record 3: .* this is 5/],
    [() => 0, /record 3: .* this is a function/],
    [[], /record 3: .* this is an array/],
    [{}, /record 3: the field "at" is missing/],
    [{ at }, /the field "event" is missing/],
    [{ at, event: 'Coffee' }, /there is no event "Coffee"/],
    [{ at, event: 'RunStart' }, /RunStart: the field "task" is missing/],
    [{ at: Number.NaN, event: 'RunStart', task: 'a' }, /"at" must be an instant .* it is NaN/],
    [{ at: Number.POSITIVE_INFINITY, event: 'RunStart', task: 'a' }, /"at" .* it is Infinity/],
    [{ at: '11:59', event: 'RunStart', task: 'a' }, /"at" .* it is "11:59"/],
    [{ event: 'RunStart', task: 'a' }, /"at" is missing/],
    [{ at: at * 1000, event: 'StopStart' }, /it is 1772452770000000: are these microseconds\?/],
    [{ at: at * 1e6, event: 'StopStart' }, /are these nanoseconds\? Divide by 1,000,000/],
    [{ at, event: 'InitStart', timeZone: 'UTC' }, /"registrations" is missing/],
    [
      { at, event: 'InitStart', timeZone: 'UTC', registrations: [null] },
      /registrations\[0\] must be an object/,
    ],
    [
      { at, event: 'InitStart', timeZone: 'UTC', registrations: [{ ...registration, name: 5 }] },
      /"registrations\[0\]\.name" must be a string, and it is 5/,
    ],
    [{ at, event: 'ClockStep' }, /ClockStep: the field "from" is missing/],
    [{ at, event: 'ClockStep', from: Number.NaN, to: Number.NaN }, /"from" must be .* it is NaN/],
    [{ at, event: 'Frozen', to: at }, /Frozen: the field "from" is missing/],
    [{ record: { at, event: 'RunStart' } }, /RunStart: the field "task" is missing/],
    [{ record: { at, event: 'RunStart' }, line: 'x' }, /record 3: RunStart/],
    [{ record: { at, event: 'RunStart' }, line: 17 }, /malformed: line 17: RunStart/],
    [{ problem: 'bad', line: 17 }, /line 17: the line is no record/],
    [{ problem: null, line: 17 }, /line 17: the line is no record/],
  ] as const)
    test(`WF ${sentence.source}`, async () => {
      for (const verdict of await verdictsOn([init, success, value, ...rest])) {
        assert.deepEqual(
          [brokenBy(verdict), verdict.conformant, verdict.blame],
          [['WF'], true, 'environment'],
        );
        assert.match(violationOf(verdict, 'WF').because, sentence);
        assert.deepEqual(
          [verdict.counts.problems, verdict.counts.records, verdict.axioms.L1.status],
          [1, 4, 'holds'],
        );
      }
    });

  test('WF before the first record no instant is known, and none is given', async () => {
    for (const verdict of await verdictsOn([null, init, success, ...rest])) {
      const violation = violationOf(verdict, 'WF');
      assert.deepEqual(['at' in violation, violation.events], [false, [{ event: 'malformed' }]]);
    }
  });

  test('WF a trace that begins in 1970 may be one in seconds: it is said, and is no accusation', async () => {
    const [verdict] = await verdictsOn([{ at: at / 1000, event: 'StopStart' }]);
    assert.deepEqual([verdict.blame, verdict.axioms.WF.status], ['none', 'holds']);
    assert.match(verdict.axioms.WF.notes.join(), /begins in 1970-01: are its instants seconds\?/);
    const [other] = await verdictsOn([{ at, event: 'StopStart' }]);
    assert.deepEqual(other.axioms.WF.notes, []);
  });

  test('S1 a record with fields of its own is one all the same, even if one is called line', async () => {
    const start = { at, event: 'RunStart', task: 'a', line: 7, problem: 'none', record: 3 };
    for (const verdict of await verdictsOn([init, success, start]))
      assert.match(violationOf(verdict, 'S1').because, /"a" was started at .*11:59:30/);
  });
});

describe('any fault in any record', () => {
  const whole = trace()
    .at('11:59')
    .init({ a: '* * * * *', b: '1 0 1 1 *' }, { workers: 2 })
    .start('a')
    .succeed('a')
    .at('12:00')
    .startDurable('a')
    .start('a')
    .at('12:00:01')
    .fail('a')
    .endDurable('a')
    .at('12:00:02')
    .crash('12:00:03')
    .init({ a: '* * * * *' })
    .at('12:00:04')
    .storeTrouble('12:00:03')
    .compute('12:00:03', 500)
    .clockStep('11:59:58')
    .stop().records;
  const damage = damageTo(whole);

  test('is survived, and raw records, lines and a live monitor are judged the same', async () => {
    await fc.assert(
      fc.asyncProperty(damage, async ({ place, record }) => {
        const values = whole.with(place, record as TraceRecord);
        const [judged, live] = await verdictsOn(values);
        assert.deepEqual(plain(live), plain(judged));
        const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
        const read = await checkTrace(readTrace([text]), { theory: everything });
        const [parsed] = await verdictsOn(values.map((value): unknown => JSON.parse(JSON.stringify(value))));
        assert.deepEqual([statuses(read), read.counts], [statuses(parsed), parsed.counts]);
      }),
      { numRuns: 100 },
    );
  });

  test('WF is the environment’s, and changes nothing else, where the record is none any more', async () => {
    const good = (await verdictsOn(whole))[0];
    let malformed = 0;
    await fc.assert(
      fc.asyncProperty(damage, async ({ place, record }) => {
        if ('event' in checkRecord(record)) return;
        malformed++;
        const inserted = whole.toSpliced(place, 0, record as TraceRecord);
        for (const verdict of await verdictsOn(inserted)) {
          assert.deepEqual([verdict.conformant, verdict.axioms.WF.count], [true, 1]);
          assert.deepEqual(statuses(verdict), { ...statuses(good), WF: 'violated' });
        }
      }),
      { numRuns: 300 },
    );
    assert.ok(malformed > 50, `only ${malformed} were malformed`);
  });
});
