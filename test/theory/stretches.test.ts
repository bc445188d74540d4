/** WF of what the environment is said to have taken: a stretch that cannot be excuses nobody, and one that an honest recorder writes does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TraceRecord } from '../../src/trace/record.ts';
import { brokenBy, judge, violationOf } from './judge.ts';
import { instant, shown, Trace, trace } from './traces.ts';

const begun = trace().at('11:59').init({ a: '0 12 * * *' });

/** The trace with more records, in lines of their own. */
const and = (from: Trace, ...records: readonly TraceRecord[]): Trace =>
  new Trace([...from.records, ...records]);

const stretch = <Event extends 'Frozen' | 'StoreTrouble' | 'ClockStep'>(
  event: Event,
  at: string,
  from: string,
  to: string,
) => ({ event, at: instant(at), from: instant(from), to: instant(to) });
const compute = (at: string, from: string, to: string): TraceRecord => ({
  event: 'Compute',
  at: instant(at),
  from: instant(from),
  to: instant(to),
  units: 0,
});
const ran = (time: string): Trace => trace().at(time).start('a', 'a-1').succeed('a', 'a-1');

/** The record is named by its line, nothing follows from it, and a start that is three hours late is. */
async function assertNoExcuse(record: TraceRecord, sentence: RegExp): Promise<void> {
  const verdict = await judge(and(begun, record, ...ran('15:00')), { theory: ['scheduler', 'environment'] });
  assert.deepEqual(brokenBy(verdict), ['L1', 'WF']);
  assert.equal(verdict.fitted.lagMs, 3 * 3_600_000);
  const { because, blame, events } = violationOf(verdict, 'WF');
  assert.match(because, sentence);
  assert.match(because, /malformed: line 3: /);
  assert.deepEqual([blame, events[0].line, verdict.counts.problems], ['environment', 3, 1]);
}

describe('WF a stretch that reaches into the future', () => {
  const ahead = (event: string): RegExp =>
    new RegExp(`${event}: "to" is ${shown('18:00')}, but the record itself is of ${shown('11:59:30')}`);

  test('WF StoreTrouble', () =>
    assertNoExcuse(stretch('StoreTrouble', '11:59:30', '11:59:30', '18:00'), ahead('StoreTrouble')));
  test('WF Compute', () => assertNoExcuse(compute('11:59:30', '11:59:30', '18:00'), ahead('Compute')));
  test('WF a clock that was set forward', () =>
    assertNoExcuse(stretch('ClockStep', '11:59:30', '11:59:30', '18:00'), ahead('ClockStep')));
  test('WF a clock that was set back, to a later time', () =>
    assertNoExcuse(stretch('ClockStep', '11:59:30', '23:00', '18:00'), ahead('ClockStep')));
});

test('EA2 a freeze that reaches beyond its record, in the middle of which something happens', async () => {
  const frozen = stretch('Frozen', '11:59:30', '11:59:30', '18:00');
  const verdict = await judge(and(begun, frozen, ...ran('12:00')), { theory: ['scheduler', 'environment'] });
  assert.deepEqual([brokenBy(verdict), verdict.blame], [['EA2'], 'environment']);
});

describe('WF a stretch that cannot be', () => {
  const backwards = (event: string): RegExp =>
    new RegExp(`${event}: "to" is ${shown('11:00')}, which is before "from", ${shown('14:00')}`);

  test('WF Frozen that ends before it begins', () =>
    assertNoExcuse(stretch('Frozen', '14:30', '14:00', '11:00'), backwards('Frozen')));
  test('WF StoreTrouble that ends before it begins', () =>
    assertNoExcuse(stretch('StoreTrouble', '14:30', '14:00', '11:00'), backwards('StoreTrouble')));
  test('WF Compute that ends before it begins', () =>
    assertNoExcuse(compute('14:30', '14:00', '11:00'), backwards('Compute')));

  test('WF a clock that was set back long before the record before', async () => {
    const seen = and(begun, stretch('StoreTrouble', '12:20', '12:20', '12:20'));
    const step = stretch('ClockStep', '12:20', '12:10', '12:05');
    const verdict = await judge(and(seen, step, ...ran('12:21')), { theory: ['scheduler', 'environment'] });
    assert.deepEqual([brokenBy(verdict), verdict.fitted.lagMs], [['L1', 'WF'], 21 * 60_000]);
    assert.match(
      violationOf(verdict, 'WF').because,
      new RegExp(
        `line 4: ClockStep: .* set back at ${shown('12:10')}, but .* before it is of ${shown('12:20')}`,
      ),
    );
  });
});

describe('what an honest recorder writes is believed', () => {
  /** Nothing is broken, and the lag is what was left of the delay. */
  async function assertExcused(excused: Trace, lagMs: number): Promise<void> {
    const verdict = await judge(excused, { theory: ['scheduler', 'environment'] });
    assert.deepEqual([brokenBy(verdict), verdict.fitted.lagMs], [[], lagMs]);
  }

  test('EA2 a freeze that is stamped by the record after it, which was read before it', () =>
    assertExcused(
      and(
        trace().at('11:59').init({ a: '0 12 * * *', b: '0 12 * * *' }),
        { event: 'Frozen', at: instant('12:00'), from: instant('12:00'), to: instant('15:00') },
        ...trace().at('12:00').start('b').at('15:00').succeed('b').start('a').succeed('a'),
      ),
      0,
    ));

  test('EA2 two such freezes in a row', () =>
    assertExcused(
      and(
        begun,
        stretch('Frozen', '12:00', '12:00', '13:00'),
        stretch('Frozen', '12:00', '13:00', '15:00'),
        ...ran('15:00:02'),
      ),
      2000,
    ));

  test('B5 a clock that is set back after such a freeze: what lies ahead of it is not excused', async () => {
    const set = and(
      trace().at('11:50').init({ a: '0 12 * * *' }),
      stretch('Frozen', '11:55', '11:55', '18:00'),
      stretch('ClockStep', '11:54', '11:55', '11:54'),
    );
    const verdict = await judge(and(set, ...ran('15:00')), { theory: ['scheduler', 'environment'] });
    assert.deepEqual([brokenBy(verdict), verdict.fitted.lagMs], [['L1'], 3 * 3_600_000]);
  });

  test('B5 a step back that is seen half a minute later, with records of the old time in between', () =>
    assertExcused(
      and(
        trace().at('11:50').init({ a: '0 12 * * *' }),
        stretch('StoreTrouble', '11:52:20', '11:52:19', '11:52:20'),
        stretch('ClockStep', '11:51:30', '11:52', '11:51'),
        ...ran('12:00'),
      ),
      0,
    ));

  test('WF B5 a step back by the new time, when time had gone back before and no record said so', async () => {
    const lost = and(
      trace().at('12:50').init({ a: '0 12 * * *' }),
      stretch('StoreTrouble', '11:40', '11:39', '11:40'),
      stretch('ClockStep', '11:30', '11:40', '11:30'),
    );
    const verdict = await judge(and(lost, ...trace().at('11:31').stop()), {
      theory: ['scheduler', 'environment'],
    });
    assert.deepEqual(brokenBy(verdict), []);
  });

  test('a stretch without length', () =>
    assertExcused(
      and(
        begun,
        stretch('Frozen', '12:00', '12:00', '12:00'),
        compute('12:00', '12:00', '12:00'),
        ...ran('12:00'),
      ),
      0,
    ));
});
