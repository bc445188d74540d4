/** The repairs T6, T7 and T12: what the calls of `initialize` and `stop` may do, as the monitor sees it on records. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brokenBy, judge, violationOf } from './judge.ts';
import { shown, trace } from './traces.ts';

const noon = { a: '0 12 * * *' };

describe('T6: when a valid list may be rejected', () => {
  const active = trace().at('11:59').init(noon).at('11:59:10');

  test('T6 D4 while the scheduler is active, it may, and nobody is to blame', async () => {
    const verdict = await judge(
      active.initStart({ b: '0 12 * * *' }).initFailure('SchedulerAlreadyActiveError', 'valid'),
    );
    assert.deepEqual(brokenBy(verdict), []);
    assert.equal(verdict.axioms.S5.status, 'holds');
    assert.equal(verdict.blame, 'none');
  });

  test('T6 D4 …and the rejected list has no effect: the first one is still in force', async () => {
    const rejected = active
      .initStart({ b: '0 12 * * *' })
      .initFailure('SchedulerAlreadyActiveError', 'valid');
    assert.deepEqual(brokenBy(await judge(rejected.at('12:00').start('a'))), []);
    assert.deepEqual(brokenBy(await judge(rejected.at('12:00').start('b'), { theory: ['scheduler'] })), [
      'S1',
    ]);
  });

  test('T6 D4 while another initialization is in progress, it may', async () => {
    const first = trace().at('11:59').initStart(noon).at('11:59:01').initStart({ b: '0 12 * * *' });
    const verdict = await judge(first.initFailure('SchedulerAlreadyActiveError', 'valid').initSuccess());
    assert.deepEqual([brokenBy(verdict), verdict.blame], [[], 'none']);
  });

  test('T6 D4 while the scheduler is stopping, it may, even if the stop has ended when the rejection comes', async () => {
    const stopping = active
      .stopStart()
      .at('11:59:11')
      .initStart({ b: '0 12 * * *' })
      .at('11:59:12')
      .stopEnd();
    const verdict = await judge(stopping.at('11:59:13').initFailure('SchedulerAlreadyActiveError', 'valid'));
    assert.deepEqual([brokenBy(verdict), verdict.blame], [[], 'none']);
  });

  test('T6 because of the store it may, and the environment is to blame', async () => {
    const verdict = await judge(
      trace().at('11:59').initStart(noon).initFailure('ScheduleTaskError', 'valid'),
    );
    assert.equal(verdict.axioms.S5.status, 'holds');
    assert.deepEqual([verdict.conformant, verdict.blame], [true, 'environment']);
    assert.match(verdict.axioms.S5.notes.join(), /because of the store: ScheduleTaskError/);
  });

  test('S5 T6 with an error that calls the list invalid it may not', async () => {
    const verdict = await judge(
      trace().at('11:59').initStart(noon).initFailure('InvalidRegistrationError', 'valid'),
    );
    assert.deepEqual(brokenBy(verdict), ['S5']);
    assert.equal(verdict.blame, 'scheduler');
  });

  for (const error of ['TypeError', 'Error', 'unknown', 'SomeError', 'TaskTimeoutError'])
    test(`S5 T6 ${error} is no error of the store, and no excuse`, async () => {
      const verdict = await judge(trace().at('11:59').initStart(noon).initFailure(error, 'valid'));
      assert.deepEqual([brokenBy(verdict), verdict.blame], [['S5'], 'scheduler']);
    });

  test('S5 T6 calling itself active when it is not is no excuse, and none of the store’s', async () => {
    const stopped = trace().at('11:59').init(noon).at('11:59:10').stop().at('11:59:20').initStart(noon);
    const verdict = await judge(stopped.initFailure('SchedulerAlreadyActiveError', 'valid'));
    assert.deepEqual(brokenBy(verdict), ['S5']);
    assert.equal(verdict.blame, 'scheduler');
  });

  test('S5 the word of the scheduler does not count: a valid list that it records as invalid is valid', async () => {
    const verdict = await judge(
      trace().at('11:59').initStart(noon).initFailure('CronExpressionInvalidError', 'invalid'),
    );
    assert.deepEqual(brokenBy(verdict), ['S5']);
  });

  test('S5 a list that could not be written down is empty in the trace, and may be rejected', async () => {
    const verdict = await judge(
      trace().at('11:59').initStart({}).initFailure('RegistrationsNotArrayError', 'invalid'),
    );
    assert.deepEqual(brokenBy(verdict), []);
    assert.match(verdict.axioms.S5.notes.join(), /the trace does not show was rejected/);
  });
});

test('S5 D5 an empty list is valid: who rejects it and does not say that it was none breaks S5', async () => {
  const rejected = trace().at('11:59').initStart({}).initFailure('RegistrationShapeError', 'valid');
  assert.deepEqual(brokenBy(await judge(rejected)), ['S5']);
});

describe('T7: a stop during initialize', () => {
  const stopped = trace()
    .at('11:59:50')
    .initStart(noon)
    .at('11:59:55')
    .stopStart()
    .at('11:59:56')
    .initSuccess();

  test('T7 D7 nothing starts, though a due comes, and that is right', async () => {
    const verdict = await judge(stopped.at('12:00:10').stopEnd().at('12:30').initStart({}).initSuccess());
    assert.deepEqual([brokenBy(verdict), verdict.blame], [[], 'none']);
  });

  test('T7 …and a start after it is S1, which names the stop', async () => {
    const verdict = await judge(
      stopped.at('12:00').start('a').at('12:00:01').succeed('a').at('12:00:02').stopEnd(),
    );
    assert.deepEqual(brokenBy(verdict), ['S1', 'P3']);
    const { task, because, events } = violationOf(verdict, 'S1');
    assert.equal(task, 'a');
    assert.match(
      because,
      new RegExp(`"a" was started at ${shown('12:00')}, after StopStart at ${shown('11:59:55')}`),
    );
    assert.deepEqual(events.at(-1), {
      event: 'RunStart',
      at: violationOf(verdict, 'S1').at,
      task: 'a',
      line: 4,
    });
  });

  test('T7 the due that came meanwhile is owed to the next initialization', async () => {
    const again = stopped.at('11:59:57').stopEnd().at('12:30').init(noon);
    assert.deepEqual(brokenBy(await judge(again.at('12:30:01').start('a'))), []);
    assert.deepEqual(brokenBy(await judge(again.at('12:40').stop(), { theory: ['scheduler'] })), ['L1']);
  });
});

describe('T12: every stop is awaited', () => {
  test('T12 L3 one before any initialization too', async () => {
    const verdict = await judge(trace().at('12:00').stopStart().at('12:02').stopEnd(), {
      theory: ['scheduler'],
    });
    assert.deepEqual(brokenBy(verdict), ['L3']);
  });

  test('T12 L3 one during a second initialization is right if it ends in time', async () => {
    const again = trace()
      .at('11:00')
      .init(noon)
      .at('11:30')
      .stop()
      .at('11:59:59')
      .initStart({ b: '0 0 * * *' });
    const verdict = await judge(
      again.at('12:00').stopStart().at('12:00:10').initSuccess().at('12:00:11').stopEnd(),
    );
    assert.deepEqual([brokenBy(verdict), verdict.axioms.L3.status], [[], 'holds']);
  });

  test('L3 a crash ends the wait', async () => {
    const verdict = await judge(trace().at('12:00').init(noon).stopStart().at('12:00:30').crash('13:00'));
    assert.deepEqual([brokenBy(verdict), verdict.axioms.L3.status], [[], 'holds']);
  });
});
