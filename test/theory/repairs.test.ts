/**
 * The repairs T1–T13, as the monitor sees them: for each, a trace of a right scheduler that the letter of the theory would condemn
 * (or one of a wrong scheduler that it would let pass), and what the repaired theory says.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brokenBy, judge, violationOf } from './judge.ts';
import { shown, type Trace, trace } from './traces.ts';

const MINUTE_MS = 60_000;

async function accepts(good: Trace, ...tested: readonly string[]): Promise<void> {
  const verdict = await judge(good);
  assert.deepEqual(brokenBy(verdict), []);
  assert.equal(verdict.blame, 'none');
  for (const axiom of tested) assert.equal(verdict.axioms[axiom].status, 'holds', `${axiom} was not tested`);
}

async function refuses(bad: Trace, ...axioms: readonly string[]): Promise<void> {
  const verdict = await judge(bad, { theory: ['scheduler', 'environment'] });
  assert.deepEqual(brokenBy(verdict), axioms);
}

describe('T1: what was due in the minute of the first coming stays owed', () => {
  const two = trace().at('12:00:30').init({ a: '0 12 * * *', b: '0 12 * * *' });

  test('T1 two tasks, one start after the other: the second is still owed', () =>
    accepts(two.at('12:00:30.010').start('a').at('12:00:30.020').start('b'), 'S1', 'L1'));

  test('T1 …past the minute', () =>
    accepts(two.at('12:00:30.010').start('a').at('12:01:20').start('b'), 'S1', 'L1'));

  test('T1 …and never starting it is late', () =>
    refuses(two.at('12:00:30.010').start('a').at('12:01').succeed('a').at('12:02').stop(), 'L1'));
});

describe('T2: only the latest failure counts, and only until a start', () => {
  const succeeded = trace()
    .at('11:59')
    .init({ a: ['0 12,13 * * *', 90 * MINUTE_MS] })
    .at('12:00')
    .start('a')
    .at('12:00:01')
    .fail('a')
    .at('13:00')
    .start('a')
    .at('13:00:01')
    .succeed('a');

  test('T2 a retry that a due has overtaken is not owed when its time comes', () =>
    accepts(succeeded.at('13:45').stop(), 'S1', 'L1'));

  test('T2 …and starting it is a breach', () =>
    refuses(succeeded.at('13:30:01').start('a').at('13:30:02').succeed('a'), 'S1', 'S2'));

  test('T2 without the start in between the retry is owed', () =>
    accepts(
      trace()
        .at('11:59')
        .init({ a: ['0 12 * * *', 90 * MINUTE_MS] })
        .at('12:00')
        .start('a')
        .at('12:00:01')
        .fail('a')
        .at('13:30:01')
        .start('a'),
      'S1',
      'L1',
    ));
});

describe('T3: stop is awaited from the first quiescence at or after it', () => {
  const running = trace()
    .at('11:59')
    .init({ a: '0 12 * * *' })
    .at('12:00')
    .start('a')
    .at('12:00:10')
    .stopStart();

  test('T3 a run of an hour does not make stop late', () =>
    accepts(running.at('13:00').succeed('a').at('13:00:01').stopEnd(), 'L3', 'P16', 'S3'));

  test('T3 …but once it has ended, stop is', async () => {
    const verdict = await judge(running.at('13:00').succeed('a').at('13:02').stopEnd());
    assert.deepEqual(brokenBy(verdict), ['L3', 'EN3', 'P16']);
    assert.match(
      violationOf(verdict, 'L3').because,
      new RegExp(`stop\\(\\) .*${shown('13:00')}.* 120 s later`),
    );
  });
});

describe('T4: a crash orphans what was running right before it', () => {
  const ghost = trace()
    .at('11:59')
    .init({ a: '0 12 * * *' })
    .at('12:00')
    .start('a')
    .at('12:00:01')
    .crash('12:01')
    .init({ b: '0 0 * * *' })
    .at('12:02')
    .stop()
    .at('12:03')
    .init({ a: '0 12 * * *', b: '0 0 * * *' })
    .at('12:04')
    .crash('12:05')
    .init({ a: '0 12 * * *', b: '0 0 * * *' });

  test('T4 no ghost of a run that was removed comes back with a second crash', () =>
    accepts(ghost.at('12:10').stop(), 'L3', 'EA1'));

  test('T4 …and starting it is a breach', () => refuses(ghost.at('12:05:01').start('a'), 'S1'));
});

describe('T5: history is of the name, dues are of the current registration', () => {
  const changed = trace()
    .at('11:59')
    .init({ a: '0 12 * * *' })
    .at('12:00')
    .start('a')
    .at('12:00:01')
    .succeed('a')
    .at('12:10')
    .stop()
    .at('12:30');

  test('T5 a changed schedule does not owe a run for the whole past', () =>
    accepts(changed.init({ a: '0 11 * * *' }).at('12:40').stop(), 'S5'));

  test('T5 …and starting it is a breach', () =>
    refuses(changed.init({ a: '0 11 * * *' }).at('12:30:01').start('a'), 'S1'));

  test('T5 E4 a due of the new schedule after the last start is owed at once', () =>
    accepts(changed.init({ a: '20 12 * * *' }).at('12:30:01').start('a'), 'S1', 'L1'));

  test('T5 …and leaving it out is late', () =>
    refuses(changed.init({ a: '20 12 * * *' }).at('12:35').stop(), 'L1'));
});

describe('T13: pulses have positions of their own, before the records of their instant', () => {
  test('T13 a start at the very instant of its due is owed', () =>
    accepts(trace().at('11:59').init({ a: '0 12 * * *' }).at('12:00').start('a'), 'S1', 'L1'));

  test('T13 …and a millisecond earlier it is not', () =>
    refuses(trace().at('11:59').init({ a: '0 12 * * *' }).at('11:59:59.999').start('a'), 'S1'));

  test('T13 a retry delay of 0 is due directly after its failure', () =>
    accepts(
      trace()
        .at('11:59')
        .init({ a: ['0 12 * * *', 0] })
        .at('12:00')
        .start('a')
        .at('12:00:01')
        .fail('a')
        .start('a'),
      'S1',
      'L1',
    ));

  test('T13 a retry at the very instant of its deadline is owed, and a millisecond earlier it is not', async () => {
    const failed = trace()
      .at('11:59')
      .init({ a: '0 12 * * *' })
      .at('12:00')
      .start('a')
      .at('12:00:01')
      .fail('a');
    await accepts(failed.at('12:00:06').start('a'), 'S1', 'L1');
    await refuses(failed.at('12:00:05.999').start('a'), 'S1');
  });

  test('T13 A9 dues are derived from the minute of the first record on: that minute is due, the one before is not', async () => {
    await accepts(trace().at('12:00:59.999').init({ a: '0 12 * * *' }).at('12:01:10').start('a'), 'S1', 'L1');
    await refuses(trace().at('12:01').init({ a: '0 12 * * *' }).at('12:01:10').start('a'), 'S1');
  });
});
