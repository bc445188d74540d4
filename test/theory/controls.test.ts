/** What an operator may ask for (I), as the oracle sees it: for each rule traces that keep it and traces that break it. */
import { describe, test } from 'node:test';
import { accepts, refuses } from './judge.ts';
import { type Trace, trace } from './traces.ts';

const task = { a: '0 * * * *' };
const begun = trace().at('11:59').init(task);
const run = (from: Trace, start: string, end: string, how: 'succeed' | 'fail' = 'succeed'): Trace =>
  from.at(start).start('a').at(end)[how]('a');
const ran = run(begun, '12:00', '12:01');

describe('I2 a request to run', () => {
  test('I2 S1 S2 it is a reason to start, once', async () => {
    const asked = ran.at('12:10').request('a');
    await accepts(run(asked, '12:10:01', '12:11'));
    await refuses(run(run(asked, '12:10:01', '12:11'), '12:12', '12:13'), 'S1', 'S2');
    await refuses(run(ran, '12:10:01', '12:11'), 'S1', 'S2');
  });

  test('I2 L1 it is started promptly', () => refuses(ran.at('12:10').request('a').at('12:12').stop(), 'L1'));

  test('I2 A5 during a run it is remembered, and one start serves it with a due', async () => {
    const busy = begun.at('12:00').start('a').at('12:10').request('a').request('a').at('13:10').succeed('a');
    await accepts(run(busy, '13:10:01', '13:11'));
    await refuses(run(run(busy, '13:10:01', '13:11'), '13:12', '13:13'), 'S1', 'S2');
    await refuses(busy.at('13:12').stop(), 'L1');
  });

  test('I2 it waits for the next scheduler', async () => {
    const waits = ran.at('12:10').request('a').stop();
    await accepts(run(waits.at('12:20').init(task), '12:20:01', '12:21'));
    await refuses(waits.at('12:20').init(task).at('12:22').stop(), 'L1');
    await accepts(run(ran.at('12:10').request('a').crash('12:20').init(task), '12:20:01', '12:21'));
  });
});

describe('I3 pause and resume', () => {
  const paused = ran.at('12:30').pause('a');

  test('I3 S1 a paused task is started for nothing but a request', async () => {
    await accepts(paused.at('13:30').stop());
    await refuses(run(paused, '13:00', '13:01'), 'S1');
    await accepts(run(paused.at('13:10').request('a'), '13:10:01', '13:11'));
    await refuses(paused.at('13:10').request('a').at('13:12').stop(), 'L1');
  });

  test('I3 a retry and a restart after a crash wait too', async () => {
    const failed = begun.at('12:00').start('a').at('12:01').pause('a').fail('a');
    await accepts(failed.at('12:30').stop());
    await refuses(run(failed, '12:01:05', '12:02'), 'S1');
    const cut = begun.at('12:00').start('a').at('12:01').pause('a').crash('12:10').init(task);
    await accepts(cut.at('12:30').stop());
    await accepts(run(cut.at('12:30').resume('a'), '12:30:01', '12:31'));
  });

  test('I3 what runs goes on', () =>
    accepts(begun.at('12:00').start('a').at('12:01').pause('a').at('12:02').succeed('a').at('13:30').stop()));

  test('I3 a start that was on its way may come', () =>
    accepts(
      begun.at('12:00').startDurable('a').pause('a').start('a').at('12:01').succeed('a').endDurable('a'),
    ));

  test('I3 resume serves everything up to its instant', async () => {
    const resumed = paused.at('13:30').resume('a');
    await accepts(run(resumed, '14:00', '14:01'));
    await refuses(run(resumed, '13:30:01', '13:31'), 'S1');
  });

  test('I3 resume that catches up leaves what was missed owed', async () => {
    const resumed = paused.at('13:30').resume('a', 'before');
    await accepts(run(resumed, '13:30:01', '13:31'));
    await refuses(run(resumed, '14:00', '14:01'), 'L1');
  });

  test('I3 a pause outlives stops, overrides and crashes, and ends with the name', async () => {
    await refuses(run(paused.stop().at('12:40').init({ a: '0,30 * * * *' }), '13:00', '13:01'), 'S1');
    const gone = paused.stop().init({}).stop().at('12:40').init(task);
    await accepts(run(gone, '13:00', '13:01'));
    await accepts(paused.crash('12:40').init(task).at('13:30').stop());
  });

  test('I3 a crash may lose a pause, or the end of one: the next scheduler takes the request in again', async () => {
    await accepts(run(paused.at('12:35').crash('12:40').init(task), '13:00', '13:01'));
    const resumed = paused.at('13:30').resume('a').crash('13:40').init(task);
    await accepts(run(resumed, '14:00', '14:01'));
    await accepts(run(resumed.at('14:10').resume('a'), '15:00', '15:01'));
    await accepts(run(resumed.at('14:10').resume('a', 'before'), '14:10:01', '14:11'));
  });

  test('I3 S1 a crash does not lose a pause once the end of a later run is durable', async () => {
    const both = { a: '0 * * * *', b: '30 * * * *' };
    const begins = trace()
      .at('11:59')
      .init(both)
      .at('12:00')
      .startDurable('a')
      .start('a')
      .succeed('a')
      .endDurable('a');
    const unproven = begins.at('12:10').pause('a').at('12:30').startDurable('b').start('b');
    const again = (from: Trace): Trace =>
      from.crash('12:50').init(both).at('13:00').startDurable('a').start('a').succeed('a').endDurable('a');
    const served = (from: Trace): Trace => from.at('12:50:01').startDurable('b').start('b');
    await accepts(again(unproven.succeed('b').at('12:31')));
    await refuses(again(unproven.succeed('b').endDurable('b').at('12:31')), 'S1');
    await accepts(served(unproven.at('12:31').crash('12:50').init(both)));
    // The end of a run that ended before the pause says nothing.
    const early = begins.at('12:30').startDurable('b').start('b').succeed('b').pause('a').endDurable('b');
    await accepts(again(early.at('12:31')));
  });
});

describe('I4 cancel', () => {
  const failed = begun.at('12:00').start('a').at('12:01').cancel('a').fail('a');

  test('I4 what was cancelled and failed is not retried', async () => {
    await accepts(failed.at('12:30').stop());
    await refuses(run(failed, '12:01:05', '12:02'), 'S1');
    await accepts(run(failed, '13:00', '13:01'));
  });

  test('I4 the next run is not cancelled', async () => {
    const next = run(failed, '13:00', '13:01', 'fail');
    await accepts(run(next, '13:01:05', '13:02'));
    await refuses(next.at('13:03').stop(), 'L1');
  });
});

describe('T21 I4 a run that was cancelled, and that a crash cuts off', () => {
  const cut = begun.at('12:00').start('a').at('12:01').cancel('a').crash('12:05').init(task);

  test('T21 it is not owed again', () => accepts(cut.at('12:30').stop()));

  test('T21 it may be started again: the store may not have heard', async () => {
    await accepts(run(cut, '12:05:01', '12:06'));
    await refuses(run(run(cut, '12:05:01', '12:06'), '12:07', '12:08'), 'S1', 'S2');
  });

  test('T21 T11 also if its end was not durable', async () => {
    const ran = begun.at('12:00').startDurable('a').start('a').at('12:01').cancel('a').fail('a');
    const lost = ran.crash('12:05').init(task);
    const again = (from: Trace, at: string): Trace =>
      from.at(at).startDurable('a').start('a').succeed('a').endDurable('a');
    await accepts(lost.at('12:30').stop());
    await accepts(again(lost, '12:05:01'));
    await refuses(again(again(lost, '12:05:01'), '12:07'), 'S1', 'S2');
  });

  test('T21 it may be cancelled after it was cut off', async () => {
    const waits = begun.at('12:00').start('a').at('12:01').crash('12:05').init(task);
    await refuses(waits.at('12:30').stop(), 'L1');
    await accepts(waits.cancel('a').at('12:30').stop());
    await refuses(run(waits.cancel('a'), '12:05:01', '12:06'), 'S1');
  });
});

describe('T23 I5 a start that is durable when another list comes', () => {
  const durable = begun.at('12:00').startDurable('a');

  test('T23 it may be called, though the list has it at another time, or has it not', async () => {
    await accepts(durable.reload({ a: '30 * * * *' }).start('a').succeed('a').endDurable('a'));
    await accepts(durable.reload({}).start('a').succeed('a').endDurable('a').at('12:30').stop());
    await refuses(begun.at('12:00').reload({ a: '30 * * * *' }).startDurable('a').start('a'), 'S1');
  });

  test('T23 T20 a list that has it again finds it as it was', async () => {
    const back = durable.reload({}).reload(task);
    await accepts(run(back, '12:00:01', '12:00:02').at('12:30').stop());
    await refuses(run(run(back, '12:00:01', '12:00:02'), '12:00:03', '12:00:04'), 'S1', 'S2', 'WA');
  });
});

describe('I5 reload', () => {
  test('I5 the list changes while the scheduler is active, and what runs goes on', async () => {
    const both = begun.at('12:00').start('a').at('12:10').reload({ a: '30 * * * *', b: '10 * * * *' });
    await accepts(
      both.at('12:10:01').start('b').at('12:11').succeed('b').succeed('a').at('12:30').start('a'),
    );
    await refuses(both.at('12:10:01').start('b').start('a'), 'S1');
  });

  test('I5 S1 S4 the run of a removed task ends, and is not started again', async () => {
    const removed = begun.at('12:00').start('a').at('12:10').reload({}).at('12:11').fail('a');
    await accepts(removed.at('12:30').stop());
    await refuses(removed.at('12:11:05').start('a'), 'S1');
  });

  test('I5 E2 …and a crash after that end may leave its name in the store, so that it does not come for the first time', async () => {
    const left = begun.at('12:00').start('a').at('12:00:10').reload({}).succeed('a').crash('12:00:20');
    await accepts(left.init(task).at('12:00:30').start('a').succeed('a'));
    await accepts(left.init(task).at('12:30').stop());
  });

  test('I5 S5 a valid list is not refused because the scheduler is active', async () => {
    const refused = begun.at('11:59:30').initStart({}, { reload: true });
    await refuses(refused.initFailure('SchedulerAlreadyActiveError', 'valid'), 'S5');
    await accepts(begun.at('11:59:30').initStart({}).initFailure('SchedulerAlreadyActiveError', 'valid'));
  });

  test('I5 calls are served one after the other', () =>
    accepts(
      begun
        .at('11:59:10')
        .initStart(task, { reload: true })
        .initStart({}, { reload: true })
        .initSuccess(2)
        .initSuccess(3),
    ));

  test('I5 a start that is durable and not called stays on its way', () =>
    accepts(
      begun
        .at('12:00')
        .startDurable('a')
        .reload({ a: '0 * * * *', b: '0 * * * *' })
        .start('a')
        .start('b')
        .without('RunStart'),
    ));

  test('I5 T11 a crash during a reload: the new list may be stored, or not', async () => {
    const cut = ran
      .at('12:10')
      .initStart({ a: '0 * * * *', b: '15 12 * * *' }, { reload: true })
      .crash('12:20');
    const next = cut.init({ a: '0 * * * *', b: '15 12 * * *' });
    await accepts(next.at('12:20:01').start('b'));
    await accepts(next.at('12:40').stop());
  });

  test('I5 E9 the same for one that the store refused', async () => {
    const refused = ran.at('12:10').initStart({ a: '0 * * * *', b: '15 12 * * *' }, { reload: true });
    const cut = refused.initFailure('StoreBusyError', 'valid').at('12:11').crash('12:20');
    await refuses(cut.init({ a: '0 * * * *', b: '15 12 * * *' }).at('12:20:01').start('b'));
  });
});
