/** K9: the traces of several instances are one trace of one scheduler. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace } from '../../src/theory/check.ts';
import type { Verdict } from '../../src/theory/verdict/verdict.ts';
import { mergeTraces } from '../../src/trace/merge/merge.ts';
import type { TraceRecord } from '../../src/trace/record.ts';
import { merged, T0, Traced } from './cluster-traces.ts';

const MINUTE = 60_000;

const inWords = (records: readonly TraceRecord[]): string[] =>
  records.map((record) => {
    const { event, at } = record;
    const of = 'task' in record ? ` ${record.task}` : 'tasks' in record ? ` ${record.tasks?.join()}` : '';
    return `${at - T0} ${event}${of}`;
  });

const judged = async (...traces: readonly Traced[]): Promise<Verdict> =>
  checkTrace(mergeTraces(traces.map(({ text }) => [text])), { witnesses: { lagMs: 20_000 } });

const broken = ({ axioms }: Verdict): string[] =>
  Object.entries(axioms).flatMap(([id, { violations }]) => (violations.length > 0 ? [id] : []));

describe('K9 merging', () => {
  test('the order is that of the store’s clock, and of the traces where that is the same', async () => {
    const a = new Traced('a').join(5, ['t', 'u']).start(10, 't', '1').end(30, 't', '1').stop(50);
    const b = new Traced('b').join(7, ['t', 'u']).start(10, 'u', '1').end(20, 'u', '1').stop(60);
    assert.deepEqual(inWords(await merged(a, b)), [
      '5 InitStart',
      '5 InitSuccess',
      '10 StartDurable t',
      '10 StartDurable u',
      '11 RunStart t',
      '11 RunStart u',
      '20 RunSuccess u',
      '21 EndDurable u',
      '30 RunSuccess t',
      '31 EndDurable t',
      '60 Paused t',
      '60 Paused u',
      '61 StopStart',
      '61 StopEnd',
    ]);
    assert.deepEqual(broken(await judged(a, b)), []);
  });

  test('K6 what an instance wrote by the clock of its host is where the store’s clock says', async () => {
    const a = new Traced('a').join(5, ['t'], { hostAt: 3_600_000 }).start(10, 't', '1').end(20, 't', '1');
    a.write({ event: 'Frozen', at: 3_600_040, from: T0 + 3_600_035, to: T0 + 3_600_040 }).stop(70);
    const [first, ...rest] = await merged(a);
    assert.equal(first.at, T0 + 5);
    const trouble = rest.find(({ event }) => event === 'StoreTrouble');
    assert.deepEqual(trouble, {
      event: 'StoreTrouble',
      at: T0 + 45,
      from: T0 + 40,
      to: T0 + 45,
      error: 'frozen',
    });
  });

  test('K5 a join with the same list says nothing; one with another is a change of the list while it runs', async () => {
    const a = new Traced('a').join(5, ['t']).start(10, 't', '1').end(50, 't', '1');
    const b = new Traced('b').join(30, ['t']).join(40, ['t', 'u'], { reload: true });
    const records = await merged(a, b);
    const lists = records.filter(({ event }) => event === 'InitStart');
    assert.deepEqual(
      lists.map((list) => [list.at - T0, Object(list).reload ?? false, Object(list).registrations.length]),
      [
        [5, false, 1],
        [40, true, 2],
      ],
    );
  });

  test('K5 a name is forgotten by the list that lacks it once no other instance has it', async () => {
    const a = new Traced('a').join(5, ['t', 'u']).stop(100);
    const b = new Traced('b').join(50, ['t']).join(200, ['t'], { reload: true });
    const lists = (await merged(a, b)).filter(({ event }) => event === 'InitStart');
    const names = lists.map((list) =>
      Object(list)
        .registrations.map(({ name }: { name: string }) => name)
        .join(),
    );
    assert.deepEqual(names, ['t,u', 't']);
  });

  test('K5 what no active instance has is not owed, and all of it is when one has it again', async () => {
    const a = new Traced('a').join(0, ['t', 'u']).start(5, 't', '1').end(20, 't', '1').start(6, 'u', '1');
    a.end(30, 'u', '1').stop(1000);
    const b = new Traced('b').join(500, ['t']);
    for (let minute = 1; minute < 5; minute++)
      b.start(minute * MINUTE + 10, 't', `${minute}`).end(minute * MINUTE + 20, 't', `${minute}`);
    b.join(5 * MINUTE - 10_000, ['t', 'u'], { reload: true });
    b.start(5 * MINUTE - 9000, 'u', '9')
      .end(5 * MINUTE - 8000, 'u', '9')
      .stop(5 * MINUTE - 1000);
    assert.deepEqual(broken(await judged(a, b)), []);
    const never = new Traced('b').join(500, ['t', 'u']);
    for (let minute = 1; minute < 5; minute++)
      never.start(minute * MINUTE + 10, 't', `${minute}`).end(minute * MINUTE + 20, 't', `${minute}`);
    assert.deepEqual(broken(await judged(a, never)), ['L1']);
  });

  test('a start that seems to come before the end of the run before it, by a clock that is measured, comes after it', async () => {
    const a = new Traced('a')
      .join(0, ['t'])
      .start(5, 't', '1')
      .end(MINUTE + 40, 't', '1')
      .stop(MINUTE + 900);
    const b = new Traced('b')
      .join(1, ['t'])
      .start(MINUTE + 30, 't', '1')
      .end(MINUTE + 700, 't', '1')
      .stop(MINUTE + 990);
    assert.deepEqual(broken(await judged(a, b)), []);
    const words = inWords(await merged(a, b));
    assert.ok(
      words.indexOf(`${MINUTE + 40} RunSuccess t`) < words.indexOf(`${MINUTE + 40} RunStart t`),
      words.join('\n'),
    );
  });
});

describe('K9 the oracle on merged traces', () => {
  test('K3 the death of an instance cuts off its runs and no others, and they are owed at once', async () => {
    const a = new Traced('a').join(0, ['t', 'u']).start(5, 't', '1');
    const b = new Traced('b')
      .join(1, ['t', 'u'])
      .start(6, 'u', '1')
      .gone(15_000, 'a')
      .start(15_100, 't', '2');
    b.end(15_200, 't', '2').end(15_300, 'u', '1').stop(16_000);
    const verdict = await judged(a, b);
    assert.deepEqual(broken(verdict), []);
    const late = new Traced('b')
      .join(1, ['t', 'u'])
      .start(6, 'u', '1')
      .gone(15_000, 'a')
      .end(15_300, 'u', '1');
    late.stop(58_000);
    assert.deepEqual(broken(await judged(a, late)), ['L1'], 'the orphaned run was never started again');
  });

  test('K1 two current runs of one task break S1', async () => {
    const a = new Traced('a').join(0, ['t']).start(5, 't', '1').end(9000, 't', '1').stop(10_000);
    const b = new Traced('b').join(1, ['t']).start(100, 't', '1').end(200, 't', '1').stop(10_001);
    assert.ok(broken(await judged(a, b)).includes('S1'));
  });

  test('K4 a callback that goes on after its instance was declared dead is not current', async () => {
    const a = new Traced('a').join(0, ['t']).start(5, 't', '1').end(40_000, 't', '1');
    a.gone(40_001, 'a').lines.push(
      ...new Traced('a2').join(40_500, ['t'], { follows: true }).stop(50_000).lines,
    );
    const b = new Traced('b').join(1, ['t']).gone(15_000, 'a').start(15_100, 't', '1').end(45_000, 't', '1');
    b.stop(50_100);
    assert.deepEqual(broken(await judged(a, b)), []);
  });

  test('A10 an end that may not be durable when its instance dies is accepted either way', async () => {
    const a = new Traced('a').join(0, ['t']).start(5, 't', '1').end(20, 't', '1');
    a.lines.pop();
    const repeats = new Traced('b')
      .join(1, ['t'])
      .gone(15_000, 'a')
      .start(15_100, 't', '1')
      .end(15_200, 't', '1');
    assert.deepEqual(broken(await judged(a, repeats.stop(16_000))), []);
    const not = new Traced('b').join(1, ['t']).gone(15_000, 'a').stop(58_000);
    assert.deepEqual(broken(await judged(a, not)), []);
  });

  test('K3 a run that its instance never heard of is started again, whatever list counts by then', async () => {
    const cutOff = { task: 't', runId: 'a-2' };
    const a = new Traced('a').join(0, ['t']).start(10, 't', '1').end(20, 't', '1');
    // The second list of b has no due at 12:01: by that alone nothing is owed.
    const b = (): Traced =>
      new Traced('b').join(30, ['t']).join(61_000, ['t'], { reload: true }, '30 * * * *');
    const run = (trace: Traced, at: number, id: string): Traced =>
      trace.start(at, 't', id).end(at + 10, 't', id);
    const heard = (): Traced => run(b().gone(79_000, 'a').gone(79_500, 'a', cutOff), 80_000, '1');
    assert.deepEqual(broken(await judged(a, heard().stop(120_000))), []);
    const unheard = run(b().gone(79_000, 'a'), 80_000, '1').stop(120_000);
    assert.ok(broken(await judged(a, unheard)).includes('S1'));
    const twice = run(heard().gone(81_000, 'a', cutOff), 82_000, '2').stop(120_000);
    assert.ok(broken(await judged(a, twice)).includes('S1'), 'one run, said twice');
  });

  test('A10 that is so too where no instance could start the task when its run ended, and one can by now', async () => {
    const a = new Traced('a').join(0, ['t']).start(5, 't', '1');
    a.write({ event: 'StopStart', at: 10, call: 9 }).end(20, 't', '1').lines.pop();
    a.write({ event: 'StopEnd', at: 15_500, call: 9, error: 'StopSchedulerError' });
    const b = new Traced('b').join(3000, ['t']).gone(15_000, 'a').start(15_100, 't', '1');
    assert.deepEqual(broken(await judged(a, b.end(15_200, 't', '1').stop(16_000))), []);
  });

  test('K3 after all have died nothing is owed until one comes', async () => {
    const a = new Traced('a').join(0, ['t']).start(5, 't', '1');
    const b = new Traced('b').join(10 * MINUTE, ['t']).gone(10 * MINUTE + 15_000, 'a');
    b.start(10 * MINUTE + 15_001, 't', '1')
      .end(10 * MINUTE + 15_100, 't', '1')
      .stop(10 * MINUTE + 16_000);
    assert.deepEqual(broken(await judged(a, b)), []);
  });
});

describe('K9 traces that cannot be merged', () => {
  const rejects = (traces: readonly string[], message: RegExp): Promise<void> =>
    assert.rejects(async () => {
      for await (const _ of mergeTraces(traces.map((text) => [text])));
    }, message);

  test('the same trace twice, with both places', () => {
    const { text } = new Traced('a').join(0, ['t']);
    return rejects([text, text], /has instance a in line 2, and so has .*, line 2: give each trace once/);
  });

  test('a trace without its beginning, or without names', async () => {
    const { lines } = new Traced('a').join(0, ['t']);
    await rejects([`${lines[1]}\n`], /InitSuccess without its InitStart in line 1: its beginning is missing/);
    await rejects(
      [`${lines[0]}\n${lines[1].replace(/"instance":"a",/, '')}\n`],
      /names no instance in line 2/,
    );
  });

  test('a clock of the store that was set back', () => {
    const a = new Traced('a').join(0, ['t']);
    a.write({ event: 'ClockStep', at: 0, from: T0 + 7_200_000, to: T0 });
    return rejects([a.text], /line 3 that the clock of the store was set back by 7200000 ms/);
  });

  test('a line that is no record is named by its file and line, and the rest is judged', async () => {
    const a = new Traced('a').join(0, ['t']).start(5, 't', '1').end(20, 't', '1').stop(30);
    a.lines.splice(2, 0, 'nonsense');
    const b = new Traced('b').join(1, ['t']).stop(31);
    const verdict = await judged(a, b);
    assert.deepEqual(broken(verdict), ['WF']);
    assert.match(verdict.axioms.WF.violations[0].because, /line 3.*nonsense/);
  });
});
