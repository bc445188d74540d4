/** L1–L3 against what the environment granted: who is to blame for a delay, and how long the longest one really was. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace, createMonitor } from '../../src/theory/check.ts';
import type { Witnesses } from '../../src/theory/delays/compute.ts';
import type { MonitorOptions } from '../../src/theory/options.ts';
import { brokenBy, judge, violationOf } from './judge.ts';
import { shown, type Trace, trace } from './traces.ts';

const core: MonitorOptions = { theory: ['scheduler', 'environment'] };
const waiting = trace().at('11:59').init({ a: '0 12 * * *' });
const served = (before: Trace): Trace => before.start('a').at('12:20').succeed('a');

/** The axiom holds, and says what the environment did. */
async function excused(delayed: Trace, axiom: string, note: RegExp, lagMs: number): Promise<void> {
  const verdict = await judge(delayed, core);
  assert.deepEqual([brokenBy(verdict), verdict.conformant, verdict.blame], [[], true, 'environment']);
  assert.equal(verdict.axioms[axiom].status, 'holds');
  assert.match(verdict.axioms[axiom].notes.join(), note);
  assert.deepEqual(verdict.fitted, { a: 0, b: 0, lagMs });
}

async function late(delayed: Trace, lagMs: number, options: MonitorOptions = core): Promise<void> {
  const verdict = await judge(delayed, { ...core, ...options });
  assert.deepEqual([brokenBy(verdict), verdict.blame], [['L1'], 'scheduler']);
  assert.equal(verdict.fitted.lagMs, lagMs);
}

describe('delays that the environment explains', () => {
  test('L1 a freeze', () => excused(served(waiting.at('12:05').frozen('12:00')), 'L1', /frozen/, 0));

  test('L1 a freeze of which only part explains it: what is left is the lag', () =>
    excused(served(waiting.at('12:05:10').frozen('12:00:20').at('12:05:15')), 'L1', /frozen/, 25_000));

  test('L1 a freeze that leaves more than the lag does not', () =>
    late(served(waiting.at('12:05').frozen('12:02')), 120_000));

  test('L1 no compute', () =>
    excused(served(waiting.at('12:05').compute('12:00', 0)), 'L1', /little compute/, 0));

  test('L1 trouble with the store', () =>
    excused(served(waiting.at('12:05').storeTrouble('12:00')), 'L1', /store was in trouble/, 0));

  test('L1 a clock that was set forward over the due', () =>
    excused(served(waiting.at('11:59:50').clockStep('12:10').at('12:10:01')), 'L1', /clock was set/, 1000));

  test('L2 trouble with the store during initialize', () =>
    excused(
      trace().at('11:00').initStart({}).at('11:10').storeTrouble('11:00:01').initSuccess(),
      'L2',
      /store/,
      1000,
    ));

  test('L3 a freeze during stop', () =>
    excused(
      waiting
        .at('11:59:10')
        .stopStart()
        .at('11:59:50')
        .frozen('11:59:11')
        .at('12:30')
        .frozen('11:59:50')
        .stopEnd(),
      'L3',
      /frozen/,
      1000,
    ));

  test('L1 two causes are both named', () =>
    excused(
      served(waiting.at('12:03').frozen('12:00').at('12:05').storeTrouble('12:03')),
      'L1',
      /frozen, and the store/,
      0,
    ));

  test('L1 a freeze somewhere else explains nothing', () =>
    late(served(waiting.at('11:59:50').frozen('11:59:10').at('12:05')), 300_000));
});

describe('hindsight', () => {
  test('L1 a freeze that is recorded after the late start still excuses it', () =>
    excused(
      served(waiting.at('12:05')).with((t) => t.at('12:05').frozen('12:00')),
      'L1',
      /frozen/,
      0,
    ));

  const longAfter = served(waiting.at('12:05')).with((t) => t.at('12:30').frozen('12:00'));

  test('L1 …however late the freeze is recorded', async () => {
    const heard: string[] = [];
    const verdict = await checkTrace(longAfter.entries, { onViolation: ({ axiom }) => heard.push(axiom) });
    assert.deepEqual([verdict.axioms.L1.status, heard.includes('L1')], ['holds', false]);
  });

  test('L1 live, ten seconds after the start has come the verdict has been given', () => {
    const heard: string[] = [];
    const monitor = createMonitor({ onViolation: ({ axiom }) => heard.push(axiom) });
    for (const record of longAfter) monitor.sink(record);
    assert.deepEqual([monitor.verdict().axioms.L1.status, heard.includes('L1')], ['violated', true]);
  });

  test('L1 over a whole trace a late start is heard of when the trace ends', async () => {
    const heard: string[] = [];
    await checkTrace(served(waiting.at('12:05')).entries, { onViolation: ({ axiom }) => heard.push(axiom) });
    assert.deepEqual(heard, ['L1']);
  });

  test('L1 a live verdict within the ten seconds may still change', () => {
    const monitor = createMonitor();
    for (const record of waiting.at('12:05').start('a')) monitor.sink(record);
    assert.equal(monitor.verdict().axioms.L1.status, 'violated');
    for (const record of trace().at('12:05').frozen('12:00')) monitor.sink(record);
    assert.equal(monitor.verdict().axioms.L1.status, 'holds');
  });
});

describe('witnesses and their certificate', () => {
  test('the default lag is a minute: exactly that is in time, a millisecond more is not', async () => {
    assert.deepEqual((await judge(waiting.at('12:01').start('a'), core)).fitted.lagMs, 60_000);
    await late(waiting.at('12:01:00.001').start('a'), 60_001);
  });

  test('witnesses are given: a smaller lag is broken, a larger one holds', async () => {
    await late(waiting.at('12:00:15').start('a'), 15_000, { witnesses: { lagMs: 10_000 } });
    const verdict = await judge(waiting.at('12:05').start('a'), { ...core, witnesses: { lagMs: 300_000 } });
    assert.deepEqual([brokenBy(verdict), verdict.witnesses.lagMs], [[], 300_000]);
  });

  test('b is compute beyond the lag, and a is for each bit of the list and the instant', async () => {
    const start = waiting.at('12:00:15').start('a');
    const status = async (witnesses: Partial<Witnesses>): Promise<string> =>
      (await judge(start, { ...core, witnesses })).axioms.L1.status;
    assert.equal(await status({ lagMs: 10_000, b: 4999 }), 'violated');
    assert.equal(await status({ lagMs: 10_000, b: 5000 }), 'holds');
    assert.equal(await status({ lagMs: 10_000, a: 1 }), 'violated');
    assert.equal(await status({ lagMs: 10_000, a: 100 }), 'holds');
  });

  test('the lag discards the densest time: little compute counts for little', async () => {
    const slow = waiting.at('12:05').compute('12:01', 1000).start('a');
    assert.equal((await judge(slow, { ...core, witnesses: { b: 999 } })).axioms.L1.status, 'violated');
    assert.equal((await judge(slow, { ...core, witnesses: { b: 1000 } })).axioms.L1.status, 'holds');
  });

  test('fitted is the longest delay of all, and a longer one that was frozen does not hide it', async () => {
    const twice = trace()
      .at('11:59')
      .init({ a: '0 * * * *' })
      .at('12:05')
      .frozen('12:00')
      .start('a')
      .at('12:06')
      .succeed('a');
    const verdict = await judge(
      twice.at('13:00:30').start('a').at('13:01').succeed('a').at('14:00:10').start('a'),
    );
    assert.equal(verdict.fitted.lagMs, 30_000);
  });

  test('fitted with hindsight: a freeze recorded later takes the longest away, and the next one counts', async () => {
    const two = trace().at('11:59').init({ a: '0 12 * * *', b: '4 12 * * *' });
    const verdict = await judge(
      two.at('12:04:05').start('b').at('12:04:30').start('a').frozen('12:04:05').frozen('12:00'),
    );
    assert.equal(verdict.fitted.lagMs, 0);
    const other = await judge(two.at('12:04:30').start('b').at('12:04:31').start('a').frozen('12:04:30'));
    assert.equal(other.fitted.lagMs, 270_000);
  });
});

describe('workers', () => {
  const one = trace()
    .at('11:59')
    .init({ a: '0 12 * * *', b: '0 12 * * *' }, { workers: 1 })
    .at('12:00')
    .start('a');
  const ended = one.at('12:30').succeed('a');

  test('L1 time without a free worker does not count, and nobody is to blame', async () => {
    const verdict = await judge(ended.at('12:30:01').start('b'), core);
    assert.deepEqual([brokenBy(verdict), verdict.blame, verdict.fitted.lagMs], [[], 'none', 1000]);
    assert.match(verdict.axioms.L1.notes.join(), /every worker was busy/);
  });

  test('L1 …from the instant a worker is free it does', () => late(ended.at('12:32').start('b'), 120_000));

  test('L1 without a bound on workers there is no such excuse', () =>
    late(
      trace()
        .at('11:59')
        .init({ a: '0 12 * * *', b: '0 12 * * *' })
        .at('12:00')
        .start('a')
        .at('12:30')
        .start('b'),
      1_800_000,
    ));

  test('L1 while every worker is still busy nothing is late', async () => {
    const verdict = await judge(one.at('12:30').compute('12:29:59', 1000), core);
    assert.deepEqual([brokenBy(verdict), verdict.axioms.L1.status], [[], 'undecided']);
  });

  test('L1 a stop while every worker is busy ends the wait, and nothing was late', async () => {
    const verdict = await judge(one.at('12:30').stopStart().at('13:30').succeed('a').stopEnd(), core);
    assert.deepEqual(brokenBy(verdict), []);
  });
});

describe('the end of the trace', () => {
  const until = (time: string): Trace => waiting.at(time).compute('11:59:59', 1);

  test('L1 what is owed and not yet late is undecided', async () => {
    const verdict = await judge(until('12:00:59'), core);
    assert.deepEqual([verdict.axioms.L1.status, verdict.conformant], ['undecided', true]);
    assert.deepEqual(verdict.of('a').L1, 'undecided');
  });

  test('L1 what is late is violated, and names who, since when, and until when', async () => {
    const verdict = await judge(waiting.at('12:01:30').frozen('12:01:29'), core);
    assert.deepEqual([verdict.axioms.L1.status, verdict.conformant], ['violated', false]);
    const { because, task } = violationOf(verdict, 'L1');
    assert.equal(task, 'a');
    assert.match(
      because,
      new RegExp(`"a" was owed a run from ${shown('12:00')} on and was not started by ${shown('12:01:30')}`),
    );
  });

  test('L2, L3 calls that have not returned are undecided, then violated', async () => {
    const init = trace().at('12:00').initStart({});
    assert.equal((await judge(init, core)).axioms.L2.status, 'undecided');
    assert.equal((await judge(init.at('12:02').frozen('12:01:59'), core)).axioms.L2.status, 'violated');
    const stop = trace().at('12:00').stopStart();
    assert.equal((await judge(stop, core)).axioms.L3.status, 'undecided');
    assert.equal((await judge(stop.at('12:02').frozen('12:01:59'), core)).axioms.L3.status, 'violated');
  });

  test('a verdict does not end the monitor: what was undecided is decided by what comes', () => {
    const monitor = createMonitor();
    for (const record of waiting.at('12:00:30').frozen('12:00:29')) monitor.sink(record);
    assert.equal(monitor.verdict().axioms.L1.status, 'undecided');
    for (const record of trace().at('12:00:31').start('a')) monitor.sink(record);
    assert.equal(monitor.verdict().axioms.L1.status, 'holds');
    assert.equal(monitor.verdict().fitted.lagMs, 30_000);
  });
});
