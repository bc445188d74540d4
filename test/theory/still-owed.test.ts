/**
 * T18: a pause, a resume or a skip is no answer to what it leaves owed. Six ways to lose work, each of which the letter accepts: there, L1 counts
 * as answered once such an event has come.
 */
import { describe, test } from 'node:test';
import { breaks } from './both.ts';
import { type Trace, trace } from './traces.ts';

const seldom = { a: ['0 0 1 1 *', 20_000] } as const;
const short = { a: ['0 * * * *', 20_000, { startWithinMs: 30_000 }] } as const;

const begun = trace().at('11:59').init(seldom);
const asked = begun.at('12:00').request('a');
const failed = asked.start('a').at('12:00:01').fail('a');
const cut = asked.start('a').at('12:00:10').crash('12:00:20').init(seldom);

/** Nothing starts for hours. */
const silent = (from: Trace): Trace => from.at('18:00').stop();
const done = (from: Trace): Trace => from.start('a').succeed('a');

describe('T18 a reason that outlives a pause, a resume or a skip is still owed', () => {
  test('T18 I3 L1 a retry deadline stands', async () => {
    const resumed = failed.at('12:00:05').pause('a').at('12:05').resume('a');
    await breaks(silent(resumed), 'L1');
    await breaks(silent(done(resumed.at('12:05:30'))));
  });

  test('T18 I2 L1 a request is of a paused task too', async () => {
    await breaks(silent(asked.pause('a')), 'L1');
    await breaks(silent(done(asked.pause('a').at('12:00:30'))));
  });

  test('T18 I2 L1 a request during a pause outlives a resume that lets its dues pass', async () => {
    const resumed = begun.at('12:00').pause('a').at('12:00:01').request('a').at('12:00:02').resume('a');
    await breaks(silent(resumed), 'L1');
    await breaks(silent(done(resumed.at('12:00:30'))));
  });

  test('T18 I3 L1 an orphan mark stands', async () => {
    const resumed = cut.at('12:00:21').pause('a').at('12:05').resume('a');
    await breaks(silent(resumed), 'L1');
    await breaks(silent(done(resumed.at('12:05:30'))));
  });

  test('T18 H4 I2 L1 a request outlives a due that has become too old', async () => {
    const late = trace()
      .at('12:30')
      .init(short)
      .stop()
      .at('13:00:20')
      .init(short)
      .at('13:00:31')
      .request('a');
    const skipped = late.at('13:00:32').skip('a', '13:00');
    await breaks(skipped.at('13:59').stop(), 'L1');
    await breaks(done(skipped.at('13:00:40')).at('13:59').stop());
  });

  test('T18 H4 L1 a retry outlives a due that has become too old', async () => {
    const both = trace().at('12:59:30').init(short).request('a').start('a').at('12:59:45').fail('a');
    const skipped = both.at('12:59:50').stop().at('13:00:31').init(short).skip('a', '13:00');
    await breaks(skipped.at('13:59').stop(), 'L1');
    await breaks(done(skipped.at('13:00:40')).at('13:59').stop());
  });
});

describe('what a start that nobody may make leaves owed', () => {
  test('T20 S1 L1 a run that began before its list came leaves its first coming', () =>
    breaks(
      trace()
        .at('12:00:01')
        .start('a')
        .initStart({ a: '0 * * * *' })
        .initSuccess()
        .succeed('a')
        .at('12:02')
        .stop(),
      'S1',
      'L1',
    ));
});

describe('T18 H4 a due is granted no longer than it may be old', () => {
  const missed = trace().at('12:59').init(short).at('13:00:40');

  test('T18 H4 L1 nobody waits for a due until it is too old', async () => {
    await breaks(missed.stop(), 'L1');
    await breaks(trace().at('13:00:20').init(short).at('13:01').stop());
  });

  test('T18 H4 L1 time in which nothing could be done does not count', () =>
    breaks(missed.frozen('12:59:59').at('13:02').stop()));
});
