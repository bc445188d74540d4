/** `verdict.of(task)`: what one task's own slice says, also of what was not kept, and of what it never tested. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brokenBy, judge, violationOf } from './judge.ts';
import { trace } from './traces.ts';

const noon = { a: '0 12 * * *' };
const served = trace().at('11:59').init(noon).at('12:00').start('a').at('12:00:01').succeed('a');

describe('a task that breaks an axiom', () => {
  test('is reported, also beyond the hundred violations that are kept', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `t${index}`);
    const begun = trace()
      .at('11:58')
      .init(Object.fromEntries(names.map((name) => [name, '0 12 * * *'])));
    const verdict = await judge(
      names.slice(0, 149).reduce((all, name) => all.at('11:58:30').start(name), begun),
    );
    assert.deepEqual([verdict.axioms.S1.count, verdict.axioms.S1.violations.length], [149, 100]);
    assert.equal(verdict.of('t0').S1, 'violated');
    assert.equal(verdict.of('t148').S1, 'violated');
    assert.equal(verdict.of('t149').S1, 'vacuous');
  });

  test('is reported where the delay is judged with the verdict only', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `t${index}`);
    const tasks = Object.fromEntries(names.map((name) => [name, '0 12 * * *']));
    const verdict = await judge(trace().at('11:58').init(tasks).at('12:10').stopStart());
    assert.equal(verdict.axioms.L1.count, 150);
    assert.equal(verdict.of('t149').L1, 'violated');
  });

  test('is reported for WA and EA3 too', async () => {
    const twice = served.at('12:00:02').startDurable('a').start('a').start('a', 'a-2');
    const verdict = await judge(twice);
    assert.equal(violationOf(verdict, 'EA3').task, 'a');
    assert.equal(verdict.of('a').EA3, 'violated');
    const unannounced = await judge(served.at('12:00:02').endDurable('a').at('12:00:03').start('a', 'a-2'));
    assert.equal(violationOf(unannounced, 'WA').task, 'a');
    assert.equal(unannounced.of('a').WA, 'violated');
  });
});

describe('P6 blames whom each of its halves is of', () => {
  const cut = trace().at('11:59').init(noon).at('12:00').start('a').at('12:00:01').crash('12:00:02');

  test('T9 an end after a crash is the environment’s, as it is for S4, EA6, P1 and P14', async () => {
    const verdict = await judge(cut.at('12:00:03').succeed('a'));
    assert.deepEqual(brokenBy(verdict), ['S4', 'EA6', 'P1', 'P6', 'P14']);
    assert.equal(violationOf(verdict, 'P6').blame, 'environment');
    assert.deepEqual([verdict.conformant, verdict.blame], [true, 'environment']);
  });

  test('a start after a crash is the scheduler’s', async () => {
    const verdict = await judge(cut.at('12:00:03').start('a'), { theory: ['polling'] });
    assert.equal(violationOf(verdict, 'P6').blame, 'scheduler');
    assert.deepEqual([verdict.conformant, verdict.blame], [false, 'scheduler']);
  });
});

describe('a task that keeps an axiom', () => {
  test('has put it to the test itself: others, and what was before it came, do not count', async () => {
    const stopped = served
      .at('12:00:02')
      .stop()
      .at('12:10')
      .init({ ...noon, z: '0 12 * * *' });
    const verdict = await judge(stopped);
    assert.deepEqual(brokenBy(verdict), []);
    for (const axiom of ['S3', 'Q3', 'P5', 'P9', 'S1', 'S4', 'L1', 'Q2', 'P12', 'P13', 'EA3']) {
      assert.equal(verdict.of('a')[axiom], 'holds', `${axiom} of a`);
      assert.equal(verdict.of('z')[axiom], 'vacuous', `${axiom} of z`);
    }
    // It was started, but nothing was made up for, no crash cut it off, and no retry came with a due.
    for (const axiom of ['P10', 'P11', 'Q1', 'EA6', 'P6', 'P14', 'WA'])
      assert.equal(verdict.of('a')[axiom], 'vacuous', `${axiom} of a`);
  });

  test('P10 is tested by who was cut off, P4 by who starts before anything comes due', async () => {
    const cut = trace()
      .at('11:59')
      .init({ ...noon, b: '0 12 * * *', c: '0 13 * * *' })
      .at('12:00');
    const crashed = cut.start('a').start('b').at('12:00:01').succeed('b').at('12:00:02').crash('12:05');
    const again = crashed
      .init({ ...noon, b: '0 12 * * *', c: '0 13 * * *' })
      .at('12:05:01')
      .start('a');
    const verdict = await judge(again);
    assert.deepEqual(brokenBy(verdict), []);
    const statuses = (axiom: string) => ['a', 'b', 'c'].map((task) => verdict.of(task)[axiom]);
    assert.deepEqual(statuses('P10'), ['holds', 'vacuous', 'vacuous']);
    assert.deepEqual(statuses('P4'), ['holds', 'vacuous', 'vacuous']);
    assert.deepEqual(statuses('Q1'), ['holds', 'holds', 'holds']);
  });

  test('is asked only of the parts that were chosen', async () => {
    const verdict = await judge(served, { theory: ['polling'] });
    assert.ok('P2' in verdict.of('a') && !('S1' in verdict.of('a')) && !('WA' in verdict.of('a')));
  });
});
