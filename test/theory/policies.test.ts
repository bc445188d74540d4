/** What policies ask of a scheduler (H), as the oracle sees it: for each rule traces that keep it and traces that break it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TracedPolicy } from '../../src/trace/record.ts';
import { accepts, brokenBy, judge, refuses } from './judge.ts';
import { type Trace, trace } from './traces.ts';

const HOUR_MS = 3_600_000;

/** A task of an hour, with a policy, from before noon. */
const hourly = (policy: TracedPolicy, retryDelayMs = 60_000): Trace =>
  trace()
    .at('11:59')
    .init({ a: ['0 * * * *', retryDelayMs, policy] });

const run = (from: Trace, start: string, end: string, how: 'succeed' | 'fail' = 'succeed'): Trace =>
  from.at(start).start('a').at(end)[how]('a');

describe('H3 zone, clock changes and days', () => {
  test('H3 a task has its own zone', async () => {
    const berlin = hourlyAt('0 13 * * *', { timeZone: 'Europe/Berlin' });
    await accepts(run(berlin, '12:00', '12:01'));
    await refuses(run(hourlyAt('0 12 * * *', { timeZone: 'Europe/Berlin' }), '12:00', '12:01'), 'S1');
  });

  test('H3 only the days of its rule count', async () => {
    // 2026-03-02 is the first Monday of its month.
    for (const days of [{ nth: 1, weekday: 1 }, { last: 29 }, { everyWeeks: 2, from: '2026-02-16' }])
      await accepts(run(hourlyAt('0 12 * * *', { days }), '12:00', '12:01'));
    for (const days of [{ nth: 2, weekday: 1 }, { last: 0 }, { everyWeeks: 2, from: '2026-02-23' }])
      await refuses(run(hourlyAt('0 12 * * *', { days }), '12:00', '12:01'), 'S1');
  });

  test('S5 a zone that nobody knows makes a list invalid', () =>
    refuses(hourlyAt('0 12 * * *', { timeZone: 'Europe/Atlantis' }), 'S5'));
});

const hourlyAt = (cron: string, policy: TracedPolicy): Trace =>
  trace()
    .at('11:59')
    .init({ a: [cron, 60_000, policy] });

describe('H4 start within', () => {
  const policy = { startWithinMs: 10 * 60_000 };
  const task = { a: ['0 * * * *', 60_000, policy] } as const;
  const missed = run(hourly(policy), '12:00', '12:01').at('12:30').stop().at('13:20').init(task);

  test('H4 a due that was missed for too long is skipped, and the next one is served', async () => {
    await accepts(run(missed, '14:00', '14:01'));
    await accepts(run(missed.at('13:20:01').skip('a', '13:00'), '14:00', '14:01'));
    const verdict = await judge(missed.at('13:20:01').skip('a', '13:00'));
    assert.equal(verdict.axioms.S6.status, 'holds');
  });

  test('H4 S1 it is not started', () => refuses(run(missed, '13:20:01', '13:21'), 'S1'));

  test('H4 L1 it is owed no start; one that is not too old is', async () => {
    await accepts(missed.at('13:50').stop());
    await refuses(run(hourly(policy), '12:00', '12:01').at('13:05').stop(), 'L1');
  });

  test('H4 one that is young enough is started, and not skipped', async () => {
    const young = run(hourly(policy), '12:00', '12:01').at('12:30').stop().at('13:10').init(task);
    await accepts(run(young, '13:10:05', '13:11'));
    await refuses(young.skip('a', '13:00'), 'S6');
  });

  test('H4 S1 a start that was on its way when its due became too old may come', () =>
    accepts(
      run(hourly({ startWithinMs: 1000 }), '13:00:02', '13:01')
        .without('RunSuccess')
        .without('RunStart')
        .at('12:00:02')
        .start('a'),
    ));

  test('H4 S6 what is skipped is the last due, and was not served', async () => {
    await refuses(missed.at('13:20:01').skip('a', '12:00'), 'S6');
    await refuses(run(hourly(policy), '12:00', '12:01').at('12:30').skip('a', '12:00'), 'S6');
    await refuses(
      run(hourly({}), '12:00', '12:01').stop().at('13:20').init({ a: '0 * * * *' }).skip('a', '13:00'),
      'S6',
    );
  });

  test('H4 a retry and a restart after a crash are not affected', async () => {
    const failed = run(hourly(policy, 30 * 60_000), '12:00', '12:01', 'fail');
    await accepts(run(failed, '12:31', '12:32'));
    const cut = hourly(policy).at('12:00').start('a').at('12:30').crash('13:20').init(task);
    await accepts(run(cut, '13:20:01', '13:21'));
  });

  test('H4 a first coming within its minute may be too late', async () => {
    const late = trace()
      .at('12:00:50')
      .init({ a: ['0 * * * *', 60_000, { startWithinMs: 10_000 }] });
    await refuses(late.at('12:00:51').start('a'), 'S1');
    await accepts(run(late.at('12:00:51').skip('a', '12:00'), '13:00', '13:01'));
  });

  test('H4 T5 the limit of the current registration counts', async () => {
    const changed = run(hourly({}), '12:00', '12:01').at('12:30').stop().at('13:20').init(task);
    await refuses(run(changed, '13:20:01', '13:21'), 'S1');
  });

  test('H4 T5 a longer limit makes an old due pending again, also one that was said to be skipped', async () => {
    for (const known of [missed, missed.skip('a', '13:00')]) {
      const lifted = known.stop().init({ a: '0 * * * *' });
      await accepts(run(lifted, '13:20:01', '13:21'));
      await refuses(lifted.at('13:30').stop(), 'L1');
    }
  });

  test('H4 A4 what comes due after a run is decided, and before it is called, may not count as served after a crash', async () => {
    const everyMinute = { a: ['* * * * *', 60_000, { startWithinMs: 1000 }] } as const;
    const owed = trace().at('12:00:30').init({ a: '0 * * * *' }).startDurable('a');
    const again = (called: string, crashed: string): Trace =>
      owed.at(called).start('a').at(crashed).crash(crashed).init(everyMinute);
    const restarted = (skipped: Trace): Trace => skipped.startDurable('a').start('a').succeed('a');
    const late = again('12:01:02', '12:01:03').skip('a', '12:01');
    await accepts(restarted(late));
    await accepts(restarted(again('12:01:02', '12:01:03')));
    // The due that it was decided for is served.
    await refuses(restarted(again('12:00:31', '12:00:40').skip('a', '12:00')), 'S6');
  });

  /** Nothing is broken; that the process stood still is the fault of the environment. */
  const keepsAll = async (stoodStill: Trace): Promise<void> =>
    assert.deepEqual(brokenBy(await judge(stoodStill)), []);

  test('H4 A4 T10 a start in no record may have been decided before a due that came while the process stood still', async () => {
    const first = trace().at('11:56:30').init({ a: '* * * * *' }).at('11:57').startDurable('a').start('a');
    const minutely = first.succeed('a').endDurable('a');
    const limited = { a: ['5 * * * *', 60_000, { startWithinMs: 1000 }] } as const;
    const back = minutely.at('12:30').frozen('11:58').crash('12:46').init(limited);
    const restarted = (skipped: Trace): Trace => skipped.startDurable('a').start('a').succeed('a');
    await keepsAll(restarted(back.skip('a', '12:05')));
    await keepsAll(restarted(back));
    // Two of them are not.
    await refuses(restarted(restarted(back.skip('a', '12:05'))), 'S1', 'S2');
  });

  test('H4 A4 T10 nothing that came due after a start was durable is served by it, if it was not called', async () => {
    const owed = trace().at('12:00:30').init({ a: '0 * * * *' }).startDurable('a');
    const limited = { a: ['* * * * *', 60_000, { startWithinMs: 1000 }] } as const;
    const stopping = owed.at('12:05:20').frozen('12:00:30').stopStart().crash('12:05:30').init(limited);
    await keepsAll(stopping.skip('a', '12:05').startDurable('a').start('a').succeed('a'));
    await refuses(stopping.skip('a', '12:04'), 'S6');
  });

  test('H4 nothing of a skip is stored: the next life may say so again', async () => {
    const again = missed.at('13:20:01').skip('a', '13:00').crash('13:21').init(task);
    await accepts(again.at('13:21:01').skip('a', '13:00').at('13:40').stop());
    await accepts(again.at('13:40').stop());
  });

  test('H4 F4 a retry goes on with its work where a newer due is too old', async () => {
    const twice = { a: ['0 12,13 * * *', 90 * 60_000, { ...policy, retry: { max: 2 } }] } as const;
    const failed = run(trace().at('11:59').init(twice), '12:00', '12:01', 'fail').stop();
    const given = run(failed.at('13:20').init(twice), '13:31', '13:32', 'fail');
    await accepts(given.at('16:00').stop());
    await refuses(run(given, '15:02', '15:03'), 'S1');
  });
});

test('H4 A4 F4 a start that was decided before its due became too old may be new work', async () => {
  const policy = { startWithinMs: 1000, retry: { max: 2 } };
  const init = trace()
    .at('11:59')
    .init({ a: ['0 12,13 * * *', 120 * 60_000, policy] });
  const runs = (from: Trace, at: string, end: string): Trace =>
    from.at(at).startDurable('a').start('a').at(end).fail('a').endDurable('a');
  const late = runs(runs(init, '12:00', '12:01'), '13:00:02', '13:00:10');
  // A second attempt would have been the last.
  await accepts(runs(late, '15:00:10', '15:01'));
});

describe('H5 jitter', () => {
  // FNV-1a of "a" is 0xe40c292c; the end of MurmurHash3 makes 0x1a80b1b3 of it, which is 15 modulo 100.
  const jittered = hourly({ jitterMs: 100_000 });

  test('H5 every due is later by one constant of the name', async () => {
    await accepts(run(run(jittered, '12:00:15', '12:01'), '13:00:15', '13:01'));
    await refuses(run(jittered, '12:00:14', '12:01'), 'S1');
    await refuses(jittered.at('12:02').stop(), 'L1');
  });

  test('H5 E2 the minute of the first coming is that of the moved due', async () => {
    const init = (at: string): Trace =>
      trace()
        .at(at)
        .init({ a: ['0 * * * *', 60_000, { jitterMs: 100_000 }] });
    await accepts(run(init('12:00:30'), '12:00:31', '12:01'));
    await accepts(run(init('12:00:10'), '12:00:15', '12:01'));
    await refuses(run(init('12:01:10'), '12:01:11', '12:02'), 'S1');
  });
});

describe('H9 while running', () => {
  const skipping = { a: ['* * * * *', 5000, { whileRunning: 'skip' }] } as const;
  const minutely = trace().at('11:59:30').init(skipping);
  const ran = minutely.at('12:00').start('a').at('12:01').skip('a', '12:01', 'running');

  test('H9 a due during the run is served by its end, whoever says so', async () => {
    await accepts(run(ran.at('12:01:30').succeed('a'), '12:02', '12:02:01'));
    await accepts(run(run(minutely, '12:00', '12:01:30'), '12:02', '12:02:01'));
    await accepts(run(run(minutely, '12:00', '12:01'), '12:02', '12:02:01'));
  });

  test('H9 A4 the end and what it serves are stored together', async () => {
    const owed = minutely.at('12:00').startDurable('a').start('a').at('12:01:30').succeed('a');
    const again = (from: Trace): Trace => from.crash('12:01:40').init(skipping).startDurable('a').start('a');
    await accepts(again(owed));
    await refuses(again(owed.endDurable('a')), 'S1');
    await accepts(owed.crash('12:01:40').init(skipping).at('12:01:50').stop());
  });

  test('H9 K8 a run that was completed before its callback has ended serves what came due up to then', async () => {
    const completed = minutely.at('12:00').start('a').at('12:02:30').succeedAsOf('a', '12:01:30');
    await accepts(run(completed, '12:02:31', '12:02:32'));
    await refuses(completed.at('12:02:50').stop().init(skipping).at('12:05').stop(), 'L1');
    const earlier = minutely.at('12:00').start('a').at('12:01:50').succeedAsOf('a', '12:01:30');
    await refuses(run(earlier, '12:01:51', '12:01:52'), 'S1');
  });

  test('H9 S1 it is not started after the end', async () => {
    await refuses(ran.at('12:01:30').succeed('a').start('a'), 'S1');
    await refuses(run(minutely, '12:00', '12:01:30').start('a'), 'S1');
  });

  test('H9 S6 a due before or after the run is not skipped, nor one of a task that remembers', async () => {
    await refuses(minutely.at('12:00').skip('a', '12:00', 'running'), 'S6');
    await refuses(run(minutely, '12:00', '12:00:30').at('12:01').skip('a', '12:01', 'running'), 'S6');
    await refuses(
      trace()
        .at('11:59:30')
        .init({ a: '* * * * *' })
        .at('12:00')
        .start('a')
        .at('12:01')
        .skip('a', '12:01', 'running'),
      'S6',
    );
  });

  test('H9 a retry still comes', () => accepts(run(ran.at('12:01:30').fail('a'), '12:01:35', '12:01:36')));
});

describe('H10 on override', () => {
  const before = run(
    trace()
      .at('11:59')
      .init({ a: ['0 * * * *', HOUR_MS] }),
    '12:00',
    '12:01',
    'fail',
  )
    .at('12:10')
    .stop();
  const next = (policy: TracedPolicy): Trace => before.at('13:05').init({ a: ['0 * * * *', 1000, policy] });

  test('H10 with reset a changed registration begins again: nothing of before is owed', async () => {
    await accepts(run(next({ onOverride: 'reset' }), '14:00', '14:01'));
    await refuses(run(next({ onOverride: 'reset' }), '13:05:01', '13:06'), 'S1');
  });

  test('H10 without it, what was missed is owed', async () => {
    await accepts(run(next({}), '13:05:01', '13:06'));
    await refuses(run(next({}), '14:00', '14:01'), 'L1');
  });

  test('H10 with reset a registration that is the same begins nothing', async () => {
    const task = { a: ['0 * * * *', 1000, { onOverride: 'reset' }] } as const;
    const same = run(trace().at('11:59').init(task), '12:00', '12:01')
      .at('12:10')
      .stop()
      .at('13:05')
      .init(task);
    await accepts(run(same, '13:05:01', '13:06'));
    await refuses(run(same, '14:00', '14:01'), 'L1');
  });
});
