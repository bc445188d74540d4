/** The repairs T8 and T9: what renews the right to a run that succeeds, and whose the ends are. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brokenBy, judge } from './judge.ts';
import { type Trace, trace } from './traces.ts';

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

describe('T8: what renews the right to a success', () => {
  const ran = (tasks: Record<string, string>): Trace =>
    trace().at('12:00:10').init(tasks).at('12:00:11').start('a').at('12:00:12').succeed('a');

  test('T8 a task that was removed and came back within its minute runs again', () =>
    accepts(
      ran({ a: '0 12 * * *' })
        .at('12:00:20')
        .stop()
        .init({})
        .at('12:00:25')
        .stop()
        .init({ a: '0 12 * * *' })
        .at('12:00:31')
        .start('a')
        .at('12:00:32')
        .succeed('a'),
      'S1',
      'S2',
    ));

  test('T8 E4 an override whose new schedule was due before it came into force runs again', () =>
    accepts(
      ran({ a: '0 12 * * *' })
        .at('12:06')
        .stop()
        .at('12:07')
        .init({ a: '5 12 * * *' })
        .at('12:07:01')
        .start('a')
        .at('12:07:02')
        .succeed('a'),
      'S1',
      'S2',
      'P4',
      'P12',
    ));

  test('T8 …but once: the due of the new schedule is spent then', () =>
    refuses(
      ran({ a: '0 12 * * *' })
        .at('12:06')
        .stop()
        .at('12:07')
        .init({ a: '5 12 * * *' })
        .at('12:07:01')
        .start('a')
        .at('12:07:02')
        .succeed('a')
        .at('12:07:03')
        .start('a')
        .at('12:07:04')
        .succeed('a'),
      'S1',
      'S2',
    ));

  test('T8 an override that keeps the schedule does not renew', () =>
    refuses(
      ran({ a: '0 12 * * *' })
        .at('12:00:20')
        .stop()
        .init({ a: '00 12 * * *' })
        .at('12:00:31')
        .start('a')
        .at('12:00:32')
        .succeed('a'),
      'S1',
      'S2',
    ));
});

describe('T9: ends are the environment’s', () => {
  test('T9 an end without a run blames the environment, and the scheduler stays conformant', async () => {
    const verdict = await judge(trace().at('12:00').init({ a: '0 6 * * *' }).at('12:00:01').succeed('a'));
    assert.deepEqual(brokenBy(verdict), ['S4', 'P1']);
    assert.equal(verdict.conformant, true);
    assert.equal(verdict.blame, 'environment');
  });

  test('T9 a failure without a run owes no retry: the scheduler is not blamed for what nobody ran', async () => {
    const stray = trace().at('12:00').init({ a: '0 6 * * *' }).at('12:00:01').fail('a').at('12:05').stop();
    const verdict = await judge(stray);
    assert.deepEqual([brokenBy(verdict), verdict.blame], [['S4', 'P1'], 'environment']);
  });
});
