/** H2 as the oracle sees it: when a retry comes, and when work is given up. */
import { describe, test } from 'node:test';
import type { TracedPolicy } from '../../src/trace/record.ts';
import { accepts, refuses } from './judge.ts';
import { Trace, trace } from './traces.ts';

const hourly = (policy: TracedPolicy): Trace =>
  trace()
    .at('11:59')
    .init({ a: ['0 * * * *', 60_000, policy] });

const run = (from: Trace, start: string, end: string, how: 'succeed' | 'fail' = 'succeed'): Trace =>
  from.at(start).start('a').at(end)[how]('a');

describe('H2 retries', () => {
  const policy = { retry: { backoff: 3, maxDelayMs: 240_000 } };
  const slower = { a: ['0 * * * *', 60_000, policy] } as const;
  const backoff = trace().at('11:59').init(slower);
  const failed = run(run(backoff, '12:00', '12:01', 'fail'), '12:02', '12:03', 'fail');

  test('H2 the delay grows from one attempt to the next, up to its limit', async () => {
    const third = run(failed, '12:06', '12:07', 'fail');
    await accepts(run(third, '12:11', '12:12'));
    await refuses(run(third, '12:10:59', '12:12'), 'S1');
    await refuses(third.at('12:14').stop(), 'L1');
  });

  test('H2 a retry that does not wait longer than the first one is refused', () =>
    refuses(run(failed, '12:04', '12:05'), 'S1'));

  test('H2 a due begins new work: the first retry after it waits as long as the first one', async () => {
    const next = run(run(failed, '12:06', '12:58', 'fail'), '13:00', '13:01', 'fail');
    await accepts(run(next, '13:02', '13:03'));
    await refuses(run(next, '13:01:59', '13:03'), 'S1');
  });

  test('H2 a success ends the work', async () => {
    const again = run(run(failed, '12:06', '12:07'), '13:00', '13:01', 'fail');
    await accepts(run(again, '13:02', '13:03'));
  });

  test('H2 a restart after a crash counts as an attempt', async () => {
    const cut = backoff.at('12:00').start('a').at('12:01').crash('12:02').init(slower);
    const restarted = run(cut, '12:02:01', '12:03', 'fail');
    await accepts(run(restarted, '12:06', '12:07'));
    await refuses(run(restarted, '12:04', '12:05'), 'S1');
  });

  test('H2 F4 a restart is new work if its run may have been decided before the last due', async () => {
    const late = run(backoff, '12:00', '12:58:50', 'fail')
      .at('13:00:05')
      .start('a')
      .at('13:01')
      .crash('13:02')
      .init(slower);
    const restarted = run(late, '13:02:01', '13:03', 'fail');
    await accepts(run(restarted, '13:04', '13:05'));
    await accepts(run(restarted, '13:06', '13:07'));
  });

  test('H2 F4 a start that may have been decided before the last due may be the last attempt: its failure gives up, or is retried', async () => {
    const twice = run(hourly({ retry: { max: 2 } }), '12:00', '12:58:59', 'fail');
    const late = run(twice, '13:00:01', '13:00:02', 'fail');
    await accepts(late.at('13:50').stop());
    await accepts(run(late, '13:01:02', '13:01:03').at('13:50').stop());
    // The next due had come long before the retry was owed: it is new work for sure.
    const later = run(
      run(hourly({ retry: { max: 2 } }), '12:00', '12:59:30', 'fail'),
      '13:00',
      '13:00:02',
      'fail',
    );
    await refuses(later.at('13:50').stop(), 'L1');
  });

  test('H2 F4 T10 a start that was durable and not called has served its due: its restart is the next attempt', async () => {
    const seldom = (max: number) => ({ a: ['0 12 1 6 *', 1000, { retry: { max } }] }) as const;
    const plain = { a: '45 * * * *' };
    // After a step back, the next initialization reads again what the task is due for.
    const claimed = trace()
      .at('12:30')
      .init(plain)
      .at('12:40')
      .clockStep('11:40')
      .at('11:45')
      .startDurable('a');
    const again = claimed.at('11:45:01').crash('11:45:02').init(plain).startDurable('a').start('a');
    const third = (max: number): Trace =>
      again.at('11:45:03').crash('11:45:04').init(seldom(max)).startDurable('a').start('a').fail('a');
    await accepts(third(3).at('11:50').stop());
    // Each crash may have cut off one more start, of which there is no record.
    await refuses(third(6).at('11:50').stop(), 'L1');
  });

  test('H2 work whose attempts are used up is given up until the next due', async () => {
    const twice = hourly({ retry: { max: 2 } });
    const givenUp = run(run(twice, '12:00', '12:01', 'fail'), '12:02', '12:03', 'fail');
    await accepts(run(givenUp, '13:00', '13:01'));
    await refuses(run(givenUp, '12:04', '12:05'), 'S1');
    await refuses(run(twice, '12:00', '12:01', 'fail').at('12:04').stop(), 'L1');
    await refuses(run(run(hourly({ retry: { max: 1 } }), '12:00', '12:01', 'fail'), '12:02', '12:03'), 'S1');
  });

  test('H2 the record of the outcome is not believed: the oracle counts for itself', async () => {
    const failed = run(hourly({ retry: { max: 3 } }), '12:00', '12:01', 'fail');
    const claimed = failed.records.map((record) =>
      record.event === 'RunFailure' ? { ...record, outcome: 'gave up' as const } : record,
    );
    await refuses(new Trace(claimed).at('12:04').stop(), 'L1');
    await accepts(run(new Trace(claimed), '12:02', '12:03'));
  });
});
