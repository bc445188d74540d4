/** WA: a start is durable before it is called (A4), also where runs have no names, and not by what was durable before a crash. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace } from '../../src/theory/check.ts';
import type { TraceRecord } from '../../src/trace/record.ts';
import { brokenBy, everything, judge, violationOf } from './judge.ts';
import { instant, trace } from './traces.ts';

const noon = { a: '0 12 * * *' };
const begun = trace().at('11:59').init(noon).at('12:00');

describe('a trace whose runs have no names', () => {
  const record = (event: 'StartDurable' | 'RunStart' | 'RunSuccess' | 'EndDurable', time: string) =>
    ({ event, at: instant(time), task: 'a' }) as const;
  const statusOf = async (...records: readonly TraceRecord[]) =>
    (await checkTrace([...trace().at('11:59').init({ a: '* * * * *' }), ...records], { theory: everything }))
      .axioms.WA;

  test('is asked all the same: the next start is the one that is durable', async () => {
    const first = [record('StartDurable', '12:00'), record('RunStart', '12:00')];
    const end = [record('RunSuccess', '12:00:01'), record('EndDurable', '12:00:01')];
    const second = [record('StartDurable', '12:01'), record('RunStart', '12:01')];
    assert.equal((await statusOf(...first)).status, 'holds');
    assert.equal((await statusOf(...first, ...end, ...second)).status, 'holds');
    assert.equal((await statusOf(...first, ...end, record('RunStart', '12:01'))).status, 'violated');
  });

  test('also where only one of the two records has a name', async () => {
    const named = { ...record('RunStart', '12:00'), runId: 'r1' };
    assert.equal((await statusOf(record('StartDurable', '12:00'), named)).status, 'holds');
  });
});

describe('what was durable and not called counts no longer', () => {
  test('A4 after a crash', async () => {
    const crashed = begun.startDurable('a', 'r1').at('12:00:02').crash('12:01').init(noon);
    const stale = await judge(crashed.start('a', 'r1'));
    assert.deepEqual(brokenBy(stale), ['WA']);
    assert.equal(violationOf(stale, 'WA').task, 'a');
    assert.deepEqual(brokenBy(await judge(crashed.startDurable('a', 'r2').start('a', 'r2'))), []);
  });

  test('A4 nor does what was durable and called before the crash', async () => {
    const crashed = begun.startDurable('a', 'r1').start('a', 'r1').at('12:00:02').crash('12:01').init(noon);
    assert.deepEqual(brokenBy(await judge(crashed.start('a', 'r1'))), ['WA']);
    assert.deepEqual(brokenBy(await judge(crashed.startDurable('a', 'r2').start('a', 'r2'))), []);
  });

  test('A4 after a stop, which takes it back', async () => {
    const stopped = begun.startDurable('a', 'r1').at('12:00:01').stop().at('12:01').init(noon);
    assert.deepEqual(brokenBy(await judge(stopped.start('a', 'r1'))), ['WA']);
    assert.deepEqual(brokenBy(await judge(stopped.startDurable('a', 'r2').start('a', 'r2'))), []);
  });
});

describe('whether WA is asked', () => {
  test('of a trace that does not tell of durability it is not', async () => {
    assert.equal((await judge(begun.start('a'))).axioms.WA.status, 'vacuous');
  });

  test('of a recorder that is known to tell it is, though no record of it ever came', async () => {
    const verdict = await judge(begun.start('a'), { durability: 'recorded' });
    assert.deepEqual([verdict.axioms.WA.status, verdict.of('a').WA], ['violated', 'violated']);
    assert.equal((await judge(begun, { durability: 'recorded' })).axioms.WA.status, 'vacuous');
  });
});

test('runs that overlap and never end are not remembered for ever', async () => {
  const many = Array.from({ length: 40 }, (_, index) => `r${index}`);
  const overlapping = many.reduce((all, runId) => all.start('a', runId), begun);
  const verdict = await judge(overlapping.at('12:00:01').succeed('a', 'r38').succeed('a', 'r0'));
  // The end of the last but one is known for what it is; of the first nobody remembers that it was ever started.
  assert.deepEqual(
    verdict.axioms.WF.violations.map(({ because }) => /run (\w+) of "a" ends/.exec(because)?.[1]),
    ['r0'],
  );
});
