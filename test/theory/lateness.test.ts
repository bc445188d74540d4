/** L1–L3 at their edges: long waits for a worker, witnesses that grant compute, whose list it is granted for, and when a violation is reported. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMonitor } from '../../src/theory/check.ts';
import type { Witnesses } from '../../src/theory/delays/compute.ts';
import type { Verdict } from '../../src/theory/verdict/verdict.ts';
import { brokenBy, judge } from './judge.ts';
import { instant, type Tasks, type Trace, trace } from './traces.ts';

const judged = (records: Trace, witnesses: Partial<Witnesses> = {}): Promise<Verdict> =>
  judge(records, { theory: ['scheduler', 'environment'], witnesses });

describe('a long wait for the only worker', () => {
  /** `a` fails every 100 ms, and takes the worker again after a gap; `b` gets it at last. */
  function churn(times: number, gapMs: number): Verdict {
    const monitor = createMonitor();
    const begin = trace()
      .at('11:59')
      .init({ a: ['0 12 * * *', 0], b: '0 12 * * *' }, { workers: 1 });
    for (const record of begin) monitor.sink(record);
    let at = instant('12:00');
    for (let i = 0; i < times; i++) {
      monitor.sink({ event: 'RunStart', at, task: 'a' });
      at += 100;
      monitor.sink({ event: i + 1 < times ? 'RunFailure' : 'RunSuccess', at, task: 'a' });
      at += gapMs;
    }
    monitor.sink({ event: 'RunStart', at, task: 'b' });
    return monitor.verdict();
  }

  test('L1 that is never free is nobody’s fault, however often it changed hands', () => {
    const verdict = churn(25_000, 0);
    assert.deepEqual([brokenBy(verdict), verdict.blame, verdict.fitted.lagMs], [[], 'none', 0]);
  });

  test('L1 with a moment between all of its runs: the moments count, and nothing else', () => {
    const verdict = churn(40_000, 1);
    assert.deepEqual([brokenBy(verdict), verdict.blame, verdict.fitted.lagMs], [[], 'none', 40_000]);
  });

  test('L1 …and when they are more than the lag, it was the scheduler', () => {
    const verdict = churn(40_000, 2);
    assert.deepEqual([brokenBy(verdict), verdict.blame, verdict.fitted.lagMs], [['L1'], 'scheduler', 80_000]);
  });
});

describe('witnesses that grant compute', () => {
  const waiting = trace().at('11:59').init({ a: '0 12 * * *' });

  test('L1 what they cover is nobody’s fault', async () => {
    const verdict = await judged(waiting.at('12:00:15').start('a'), { lagMs: 10_000, b: 8000 });
    assert.deepEqual([brokenBy(verdict), verdict.blame, verdict.axioms.L1.notes], [[], 'none', []]);
  });
});

describe('the list that compute is granted for', () => {
  const many: Tasks = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`report-${i}`, '0 12 * * *']),
  );
  const a1 = { a: 1, b: 0, lagMs: 0 };

  test('L2 initialize() has its own', async () => {
    const first = trace().at('11:00').initStart(many).at('11:00:01').initSuccess();
    assert.deepEqual(brokenBy(await judged(first, a1)), []);
    const none = trace().at('11:00').initStart({}).at('11:00:01').initSuccess();
    assert.deepEqual(brokenBy(await judged(none, a1)), ['L2']);
    const second = trace()
      .at('11:00')
      .init(many)
      .stop()
      .at('11:01')
      .initStart({})
      .at('11:01:01')
      .initSuccess();
    assert.deepEqual(brokenBy(await judged(second, a1)), ['L2']);
  });

  test('L3 stop() has the one that was registered when it had nothing to wait for any more', async () => {
    const stopped = (before: Trace, after: Tasks): Trace =>
      before
        .at('11:00:01')
        .initStart(after)
        .stopStart()
        .at('11:00:01.020')
        .initSuccess()
        .at('11:00:03')
        .stopEnd();
    assert.deepEqual(brokenBy(await judged(stopped(trace(), many), a1)), ['L3']);
    assert.deepEqual(brokenBy(await judged(stopped(trace().at('11:00').init(many).stop(), {}), a1)), []);
  });

  test('L1 a task has the one that it was owed a run under', async () => {
    const removed = trace().at('11:59').init(many).at('12:00:03').init({ other: '0 0 1 1 *' });
    assert.deepEqual(brokenBy(await judged(removed, a1)), []);
    const few = trace().at('11:59').init({ a: '0 12 * * *' }).at('12:00:03').init(many);
    assert.deepEqual(brokenBy(await judged(few, a1)), ['L1']);
  });
});

describe('when a violation is reported', () => {
  const late = trace().at('11:59').init({ a: '0 12 * * *' }).at('12:01:05').start('a');

  /** The instant of the record with which each violation was reported. */
  function reported(records: Trace): readonly (readonly [axiom: string, at: number])[] {
    const all: [string, number][] = [];
    let now = 0;
    const monitor = createMonitor({ onViolation: ({ axiom }) => all.push([axiom, now]) });
    for (const record of records) {
      now = record.at;
      monitor.sink(record);
    }
    return all;
  }

  test('L1 with the first record that comes ten seconds later, though no minute begins', () => {
    const more = ['12:01:10', '12:01:14.999', '12:01:15', '12:01:20'].reduce(
      (before, time) => before.at(time).compute(time, 0),
      late,
    );
    assert.deepEqual(reported(more), [['L1', instant('12:01:15')]]);
  });

  test('L1 …ten seconds after a clock that was set back', () => {
    const back = late.at('12:01:06').clockStep('11:30');
    const more = ['11:30:05', '11:30:10', '11:30:30'].reduce(
      (before, time) => before.at(time).compute(time, 0),
      back,
    );
    assert.deepEqual(reported(more), [['L1', instant('11:30:10')]]);
  });

  test('L1 trouble of the store that is recorded after that changes neither the verdict nor the lag that would have done', () => {
    const monitor = createMonitor();
    const more = late.at('12:01:15').compute('12:01:15', 0).at('12:01:16').storeTrouble('12:00');
    for (const record of more) monitor.sink(record);
    const verdict = monitor.verdict();
    assert.deepEqual([brokenBy(verdict), verdict.fitted.lagMs], [['L1'], 65_000]);
  });
});
