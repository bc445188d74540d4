/** The repairs T10 and T11: what a crash may have undone is accepted either way, and nothing beyond it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brokenBy, judge } from './judge.ts';
import { type Trace, trace } from './traces.ts';

const noon = { a: '0 12 * * *' };

async function accepts(good: Trace, note: RegExp): Promise<void> {
  const verdict = await judge(good);
  assert.deepEqual([brokenBy(verdict), verdict.blame], [[], 'none']);
  assert.match(verdict.axioms.S1.notes.join(), note);
}

async function refuses(bad: Trace, ...axioms: readonly string[]): Promise<void> {
  const verdict = await judge(bad, { theory: ['scheduler'] });
  assert.deepEqual([brokenBy(verdict), verdict.blame], [axioms, 'scheduler']);
}

describe('T10: an end or a start that a crash may have undone', () => {
  const ended = trace()
    .at('11:59')
    .init(noon)
    .at('12:00')
    .startDurable('a')
    .start('a')
    .at('12:00:01')
    .succeed('a');
  const restarted = (before: Trace): Trace => before.at('12:00:02').crash('12:10').init(noon);
  const run = (before: Trace, time: string, end: string): Trace =>
    before.at(time).startDurable('a').start('a').at(end).succeed('a').endDurable('a');

  test('T10 A10 an end that was not durable: the run may be repeated, and succeed again', () =>
    accepts(run(restarted(ended), '12:10:01', '12:10:02'), /T10/));

  test('T10 A10 …or not repeated', () => accepts(restarted(ended).at('12:20').stop(), /T10/));

  test('T10 …but repeated once', () =>
    refuses(run(run(restarted(ended), '12:10:01', '12:10:02'), '12:10:03', '12:10:04'), 'S1', 'S2'));

  test('T10 the same with the end durable: S1 and S2, and the scheduler is to blame', () =>
    refuses(run(restarted(ended.endDurable('a')), '12:10:01', '12:10:02'), 'S1', 'S2'));

  test('T10 a stop that has resolved has made the end durable (D7)', () =>
    refuses(run(restarted(ended.stop()), '12:10:01', '12:10:02'), 'S1', 'S2'));

  test('T10 a trace that does not tell of durability has no such excuse', () => {
    const foreign = trace().at('11:59').init(noon).at('12:00').start('a').at('12:00:01').succeed('a');
    return refuses(restarted(foreign).at('12:10:01').start('a'), 'S1');
  });

  test('T10 a failure that was not durable: restarted at once as an orphan, or retried in time', async () => {
    const failed = trace()
      .at('11:59')
      .init(noon)
      .at('12:00')
      .startDurable('a')
      .start('a')
      .at('12:00:01')
      .fail('a');
    const back = failed.at('12:00:02').crash('12:00:03').init(noon);
    await accepts(back.at('12:00:03.100').startDurable('a').start('a'), /T10/);
    await accepts(back.at('12:00:06').startDurable('a').start('a'), /T10/);
    await refuses(back.at('12:05').stop(), 'L1');
  });

  test('T10 a start that was durable and never called is an orphan, under whatever schedule comes next (E4)', async () => {
    const uncalled = trace().at('11:59').init(noon).at('12:00').startDurable('a').crash('12:10');
    await accepts(uncalled.init({ a: '0 11 * * *' }).at('12:10:01').startDurable('a').start('a'), /T10/);
  });

  test('T10 …and if it was not durable, a schedule without a due since then owes nothing', () =>
    refuses(
      trace()
        .at('11:59')
        .init(noon)
        .at('12:00')
        .crash('12:10')
        .init({ a: '0 11 * * *' })
        .at('12:10:01')
        .start('a'),
      'S1',
    ));
});

describe('E9: a start that a stop took back, or that another scheduler had taken over', () => {
  const claimed = trace().at('11:59').init(noon).at('12:00').startDurable('a');
  const again = (before: Trace): Trace =>
    before.at('12:00:01').stop().clockStep('07:00').init(noon).at('07:00:01').startDurable('a').start('a');

  test('E9 B5 taken over: it was cut off, and starts by a clock by which nothing is due', () =>
    accepts(again(claimed).succeed('a').endDurable('a'), /E9/));

  test('E9 B5 taken back: it starts when it comes due again, and has to', async () => {
    const back = claimed.at('12:00:01').stop().clockStep('07:00').init(noon);
    await accepts(back.at('12:00').startDurable('a').start('a'), /E9/);
    await refuses(back.at('12:05').stop(), 'L1');
  });

  test('E9 B5 a start that was not durable cannot have been taken over', () =>
    refuses(again(claimed.without('StartDurable')), 'S1'));
});

describe('T10 D7: what a stop that failed has left', () => {
  const run = trace().at('11:59').init(noon).at('12:00').startDurable('a').start('a').at('12:00:01');
  const ended = run.succeed('a').at('12:00:11').stopFailed().at('12:10').init(noon);

  test('T10 D7 A10 an end that was not durable is lost: the run is repeated', () =>
    accepts(ended.startDurable('a').start('a').at('12:10:01').succeed('a').endDurable('a').stop(), /T10/));

  test('T10 D7 …or not, if the last write has arrived after all', () =>
    accepts(ended.at('12:20').stop(), /T10/));

  test('T10 D7 …also by another process, with a crash record or none', async () => {
    const next = run.succeed('a').at('12:00:11').stopFailed();
    await accepts(
      next.crash('12:10').init(noon).startDurable('a').start('a').at('12:20').succeed('a').stop(),
      /T10/,
    );
  });

  test('T10 D7 …but repeated once', () =>
    refuses(
      ended
        .startDurable('a')
        .start('a')
        .succeed('a')
        .endDurable('a')
        .at('12:10:02')
        .startDurable('a')
        .start('a'),
      'S1',
    ));

  test('T10 D7 an end that was durable is not repeated', () =>
    refuses(
      run.succeed('a').endDurable('a').at('12:00:11').stopFailed().at('12:10').init(noon).start('a', 'b'),
      'S1',
      'WA',
    ));

  test('T10 D7 nor one after a stop that resolved', () =>
    refuses(
      run.succeed('a').at('12:00:11').stop().at('12:10').init(noon).startDurable('a').start('a'),
      'S1',
    ));

  test('T10 D7 a start that was durable and not called is cut off, or was taken back', async () => {
    const due = trace()
      .at('11:59')
      .init(noon)
      .at('12:00')
      .startDurable('a')
      .stopFailed()
      .at('12:10')
      .init(noon);
    await accepts(due.startDurable('a').start('a').at('12:10:01').succeed('a').endDurable('a').stop(), /T10/);
    await refuses(due.at('12:20').frozen('12:20'), 'L1');
  });
});

describe('T11: a crash between InitStart and InitSuccess', () => {
  const cut = trace().at('12:00:30').initStart(noon).at('12:00:31').crash('12:30').init(noon);

  test('T11 committed: the first coming was in a minute that was due, and the task starts', () =>
    accepts(cut.at('12:30:01').start('a').at('12:30:02').succeed('a').at('12:40').stop(), /T11/));

  test('T11 not committed: the first coming is now, and nothing is owed', () =>
    accepts(cut.at('12:40').stop(), /T11/));

  test('T11 …but one start at most', () =>
    refuses(cut.at('12:30:01').start('a').at('12:30:02').succeed('a').at('12:30:03').start('a'), 'S1'));

  test('T11 with InitSuccess recorded the start is owed', () =>
    refuses(
      trace().at('12:00:30').init(noon).at('12:00:31').crash('12:30').init(noon).at('12:40').stop(),
      'L1',
    ));

  test('T11 a list that was not valid cannot have been committed', () =>
    refuses(
      trace()
        .at('12:00:30')
        .initStart({ a: '0 12 * * *', b: '*/5 * * * *' })
        .crash('12:30')
        .init(noon)
        .at('12:30:01')
        .start('a'),
      'S1',
    ));

  test('T11 a removal that may have been committed: the due that was missed is owed, or forgotten', async () => {
    const removed = trace()
      .at('11:00')
      .init(noon)
      .at('11:30')
      .stop()
      .at('11:40')
      .initStart({})
      .crash('12:30')
      .init(noon);
    await accepts(removed.at('12:30:01').start('a'), /T11/);
    await accepts(removed.at('12:40').stop(), /T11/);
  });

  test('T11 I5 …also of a name that a list had left out while it ran, and that a crash cut off', async () => {
    const leftOut = trace().at('11:59').init(noon).at('12:00').startDurable('a').start('a').reload({});
    const removed = leftOut.at('12:10').crash('12:20').initStart({}).crash('12:30').init(noon);
    await accepts(removed.at('12:30:01').startDurable('a').start('a'), /T11/);
    await accepts(removed.at('12:40').stop(), /T11/);
  });

  test('T11 Active does not count from the commit: nothing starts before the next InitSuccess', () =>
    refuses(
      trace().at('12:00:30').initStart(noon).at('12:00:31').crash('12:30').at('12:30:01').start('a'),
      'S1',
    ));
});
