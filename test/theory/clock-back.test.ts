/** B5 as the oracle applies it: a clock that was set back, judged for each task by how far it had been served. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accepts, brokenBy, judge, refuses, violationOf } from './judge.ts';
import { type Trace, trace } from './traces.ts';

/** Served at 12:00; at 12:00:10 somebody sets the clock. */
function setBack(cron: string, to: string, seenAt = to): Trace {
  const begun = trace().at('11:59:58').init({ a: cron });
  // A task that is due every minute was so at its first coming too.
  const first = cron.startsWith('*') ? begun.start('a').at('11:59:59').succeed('a') : begun;
  return first.at('12:00').start('a').at('12:00:01').succeed('a').at('12:00:10').clockStep(to, seenAt);
}

const run = (before: Trace, time: string): Trace => before.at(time).start('a').succeed('a');

describe('B5 at most 60 s: nothing moves, and nothing that was served repeats', () => {
  test('B5 hour *: quiet until the minute after the last one served', () =>
    accepts(run(setBack('* * * * *', '11:59:00'), '12:01')));

  test('B5 hour *: the minute that was served does not repeat', () =>
    refuses(run(setBack('* * * * *', '11:59:00'), '12:00'), 'S1', 'S2'));

  test('B5 …and going quiet for longer is late', () =>
    refuses(setBack('* * * * *', '11:59:00').at('12:03').stop(), 'L1'));

  test('B5 hour 12: does not repeat', async () => {
    await accepts(setBack('0 12 * * *', '11:59:40').at('12:05').stop());
    await refuses(run(setBack('0 12 * * *', '11:59:40'), '12:00'), 'S1', 'S2');
  });
});

describe('B5 a step is judged by what the clock shows when it is seen', () => {
  test('B5 a minute ahead at most by then: nothing repeats, though the clock landed farther away', async () => {
    const back = setBack('* * * * *', '11:58:50', '11:59:40');
    await accepts(run(back, '12:01'));
    await refuses(run(run(back, '12:00'), '12:01'), 'S1', 'S2');
  });

  test('B5 farther ahead: the cursor moves there, so what came due on the way is not owed', async () => {
    const back = setBack('0 * * * *', '10:59:30', '11:00:20');
    await accepts(run(back, '12:00'));
    await refuses(run(run(back, '11:00:30'), '12:00'), 'S1', 'S2');
  });
});

describe('B5 at most 3 h: the hour field decides', () => {
  test('B5 hour *: carries on from now', () =>
    accepts(run(run(setBack('* * * * *', '11:30'), '11:31'), '11:32')));

  test('B5 hour *: going quiet is late, and the sentence says that no start came', async () => {
    const quiet = setBack('* * * * *', '11:30').at('11:40').stop();
    await refuses(quiet, 'L1');
    assert.match(violationOf(await judge(quiet), 'L1').because, /was not started by .*11:40/);
  });

  test('B5 hour 11-13: what was served does not repeat, and the next one comes', async () => {
    const back = setBack('0,45 11-13 * * *', '11:30');
    await accepts(run(back, '12:45'));
    await refuses(run(back, '11:45'), 'S1', 'S2');
    await refuses(back.at('12:50').stop(), 'L1');
  });

  test('B5 exactly 3 h is not beyond', () => accepts(setBack('0 12 * * *', '09:00').at('12:05').stop()));
});

describe('B5 beyond 3 h: a correction, and everybody carries on from now', () => {
  test('B5 hour 12: repeats', () => accepts(run(setBack('0 12 * * *', '08:59:59.999'), '12:00')));

  test('B5 …and has to', () => refuses(setBack('0 12 * * *', '08:59:59.999').at('12:05').stop(), 'L1'));

  test('B5 at initialize too, if the clock was set while nobody was there', () =>
    accepts(
      run(
        setBack('0 12 * * *', '12:00:09').stop().at('12:00:10').clockStep('07:00').init({ a: '0 12 * * *' }),
        '12:00',
      ),
    ));
});

describe('B5 an initialization after the step', () => {
  const again = (tasks: Record<string, string>): Trace =>
    setBack('0 12 * * *', '11:30').at('11:35').stop().init(tasks);

  test('B5 what was served does not repeat under another list', async () => {
    await accepts(again({ a: '0 12 * * *', b: '0 0 * * *' }).at('12:05').stop());
    await refuses(run(again({ a: '0 12 * * *', b: '0 0 * * *' }), '12:00'), 'S1', 'S2');
  });

  test('B5 E4 …nor under another schedule with hours of its own', async () => {
    await accepts(again({ a: '0 11-12 * * *' }).at('12:05').stop());
    await refuses(run(again({ a: '0 11-12 * * *' }), '12:00'), 'S1', 'S2');
  });

  test('B5 E4 under a schedule whose hour is * it carries on from now', async () => {
    await accepts(run(again({ a: '0 * * * *' }), '12:00'));
    await refuses(again({ a: '0 * * * *' }).at('12:05').stop(), 'L1');
  });

  test('B5 E4 …and what comes due from there on counts for the schedule after that', () =>
    accepts(run(again({ a: '0 * * * *' }).at('11:45').stop().init({ a: '40 11 * * *' }), '11:45:01')));

  test('B5 E2 a name that went and came back begins anew', () =>
    accepts(run(again({}).stop().init({ a: '0 12 * * *' }), '12:00')));
});

describe('B5 before the first record', () => {
  const begun = trace().at('12:00').init({ a: '30 13 * * *' }).at('12:01').clockStep('07:00');

  test('B5 E4 what came due after the step counts for a schedule that comes later', () =>
    accepts(run(begun.at('08:01').stop().init({ a: '0 8 * * *' }), '08:01:01')));

  test('B5 E4 …and what lies before it does not', () =>
    refuses(run(begun.at('08:01').stop().init({ a: '0 6 * * *' }), '08:01:01'), 'S1'));

  test('B5 E2 the minute of a first coming counts there too', () =>
    accepts(
      run(
        begun
          .at('08:00:10')
          .stop()
          .init({ b: '0 6 * * *', a: '30 13 * * *', c: '0 8 * * *' })
          .at('08:00:20')
          .start('c')
          .succeed('c'),
        '13:30',
      ),
    ));
});

describe('B5 what was owed when the clock was set', () => {
  test('B5 a due that has not been served, and lies ahead again, is due when its time comes', async () => {
    const owed = trace().at('11:59').init({ a: '0 12 * * *' }).at('12:00:10').clockStep('11:59:50');
    await accepts(run(owed, '12:00'));
    await refuses(run(owed, '11:59:55'), 'S1');
  });

  test('B5 E2 a name whose first minute lies ahead again is due when that minute comes', async () => {
    const came = trace().at('12:00:10').init({ a: '0 12 * * *' }).clockStep('11:50');
    await accepts(run(came, '12:00'));
    await refuses(run(came, '11:50:01'), 'S1');
    await refuses(came.at('12:05').stop(), 'L1');
  });

  test('B5 a run goes on: what is running is a flag, and no matter of instants', () =>
    accepts(
      trace()
        .at('11:59')
        .init({ a: '0 12 * * *' })
        .at('12:00')
        .start('a')
        .at('12:00:10')
        .clockStep('06:00')
        .at('06:00:05')
        .succeed('a')
        .stop(),
    ));

  test('WF the step explains that time goes back; without it the line is named', async () => {
    const verdict = await judge(trace().at('12:00').init({ a: '0 6 * * *' }).at('11:00').stop());
    assert.deepEqual([brokenBy(verdict), verdict.blame], [['WF'], 'environment']);
    assert.match(violationOf(verdict, 'WF').because, /line 3: time goes back from .*12:00.* to .*11:00/);
  });
});

describe('B5 a second step, that nobody was there to see', () => {
  /** Served at 12:00:05 and set back twice, the second time at rest; at noon the machine goes down. */
  const goneDown = (): Trace =>
    trace()
      .at('11:59')
      .init({ a: '0 12 * * *' })
      .at('12:00:05')
      .startDurable('a')
      .start('a')
      .succeed('a')
      .endDurable('a')
      .at('12:00:06')
      .clockStep('12:00:04')
      .stop()
      .clockStep('11:59:40')
      .at('12:00:10')
      .crash('12:00:20')
      .init({ a: '0 12 * * *' });

  test('B5 what was served does not come due again, so that no start of it can have been cut off', async () => {
    await accepts(goneDown().at('12:05').stop());
    await refuses(run(goneDown().at('12:00:21').startDurable('a'), '12:00:21'), 'S1', 'S2');
  });
});

describe('B5 E4 another list, after the clock has passed what was served', () => {
  /** The minute of the first coming lies ahead of the step, noon passes while nobody is there, and the next list has one name more. */
  const again = (): Trace =>
    trace()
      .at('11:58:34')
      .init({ a: '0 12 * * *', b: '* * * * *' })
      .startDurable('b')
      .start('b')
      .succeed('b')
      .endDurable('b')
      .at('11:58:35')
      .clockStep('11:57:50')
      .crash('12:30')
      .init({ a: '0 12 * * *', c: '0 0 * * *' });

  test('B5 L1 a schedule that has not changed is owed what it was', async () => {
    await refuses(again().at('12:45').stop(), 'L1');
    await accepts(run(again().startDurable('a'), '12:30').at('12:45').stop());
  });
});
