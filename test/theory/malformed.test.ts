/** Traces that are broken, read from real files: what is wrong is named by its line, and judging goes on. It never throws. */
import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { describe, type TestContext, test } from 'node:test';
import { checkTrace } from '../../src/theory/check.ts';
import type { Verdict } from '../../src/theory/verdict/verdict.ts';
import { traceFile } from '../../src/trace/file.ts';
import { readTrace } from '../../src/trace/read.ts';
import type { WrittenRecord } from '../../src/trace/record.ts';
import { fc } from '../property.ts';
import { temporaryPath, textOf } from '../trace/kit.ts';
import { brokenBy, everything, violationOf } from './judge.ts';
import { instant, type Trace, trace } from './traces.ts';

const good = trace()
  .at('11:59')
  .init({ a: '0 12 * * *' })
  .at('12:00')
  .start('a')
  .at('12:00:01')
  .succeed('a')
  .at('12:01')
  .stop();
const lines = textOf(good.records).split('\n').slice(0, -1);

function judgeFile(t: TestContext, text: string): Promise<Verdict> {
  const path = temporaryPath(t);
  writeFileSync(path, text);
  return checkTrace(readTrace(path), { theory: everything });
}

/** The good trace with a line of our own after the first `after` lines. */
const withLine = (after: number, line: string): string =>
  [...lines.slice(0, after), line, ...lines.slice(after), ''].join('\n');

/** Only WF is violated; the environment is to blame; and the sentence names the line. */
async function assertNamed(t: TestContext, text: string, sentence: RegExp): Promise<void> {
  const verdict = await judgeFile(t, text);
  assert.deepEqual([brokenBy(verdict), verdict.conformant, verdict.blame], [['WF'], true, 'environment']);
  assert.match(violationOf(verdict, 'WF').because, sentence);
  assert.equal(verdict.counts.problems, 1);
}

describe('WF: a line that is no record is named, and the rest is judged', () => {
  test('WF an event that nobody knows', (t) =>
    assertNamed(
      t,
      withLine(3, '{"at":1772452800000,"event":"Coffee"}'),
      /line 4: there is no event "Coffee"/,
    ));

  test('WF garbage in the middle', (t) =>
    assertNamed(t, withLine(2, '%%% \u0000'), /line 3: the line is not JSON/));

  test('WF a wrong type', (t) =>
    assertNamed(
      t,
      withLine(3, '{"at":"noon","event":"RunStart","task":"a"}'),
      /line 4: RunStart: .*"at".*"noon"/,
    ));

  test('WF a missing field', (t) =>
    assertNamed(
      t,
      withLine(3, '{"at":1772452800000,"event":"RunStart"}'),
      /line 4: RunStart: .*"task" is missing/,
    ));

  test('WF a last line that was cut off', (t) =>
    assertNamed(t, `${lines.join('\n')}\n{"at":17724`, /line 7: the last line was cut off/));

  test('WF time that goes back without a ClockStep', (t) =>
    assertNamed(
      t,
      withLine(6, JSON.stringify({ at: instant('11:00'), event: 'StoreTrouble', from: 1, to: 2 })),
      /line 7: time goes back/,
    ));

  test('WF a stop that ends and never began', (t) =>
    assertNamed(
      t,
      withLine(6, JSON.stringify({ at: instant('12:02'), event: 'StopEnd', call: 9 })),
      /line 7: a stop ends that never began/,
    ));

  test('WF another run ends than the one that runs', async (t) => {
    const text = textOf(good.records).replace(
      '"RunSuccess","task":"a","runId":"a-1"',
      '"RunSuccess","task":"a","runId":"b-7"',
    );
    await assertNamed(t, text, /line 4: run b-7 of "a" ends, but another one runs/);
  });

  for (const workers of [0, 0.5])
    test(`WF L1 ${workers} workers: nobody is excused by them`, async (t) => {
      const list = { a: '0 12 * * *', b: '0 12 * * *' };
      const bounded = trace().at('11:59').init(list, { workers }).at('12:00').start('a').at('15:00').stop();
      const verdict = await judgeFile(t, textOf(bounded.succeed('a').records));
      assert.match(
        violationOf(verdict, 'WF').because,
        new RegExp(`line 1: InitStart: "workers" must be a whole number of at least 1, and it is ${workers}`),
      );
      assert.match(violationOf(verdict, 'L1').because, /"b" was owed a run from .* was not started/);
      assert.equal(verdict.axioms.S1.status, 'holds');
    });

  test('WF a line before the first record has no instant', async (t) => {
    const verdict = await judgeFile(t, `garbage\n${textOf(good.records)}`);
    const { at, events } = violationOf(verdict, 'WF');
    assert.deepEqual([at, events], [undefined, [{ event: 'malformed', line: 1 }]]);
  });

  test('WF a thousand broken lines are counted, and a hundred are kept', async (t) => {
    const verdict = await judgeFile(t, `${lines.join('\n')}\n${'nonsense\n'.repeat(1000)}`);
    assert.deepEqual([verdict.axioms.WF.count, verdict.axioms.WF.violations.length], [1000, 100]);
  });

  test('WF a malformed line says nothing against the scheduler, and hides nothing of it', async (t) => {
    const unowed = good.at('12:05').start('a');
    const verdict = await judgeFile(t, `garbage\n${textOf(unowed.records)}`);
    assert.equal(verdict.blame, 'scheduler');
    assert.deepEqual([verdict.axioms.S1.status, verdict.axioms.WF.status], ['violated', 'violated']);
    assert.equal(violationOf(verdict, 'S1').events.at(-1)?.line, 8);
  });
});

describe('traces that are odd', () => {
  test('WF a trace of two schedulers is outside the model, whatever the axioms say of it', async (t) => {
    const two = good.at('12:05').init({ a: '0 12 * * *' }).at('12:30').start('a').at('12:31').succeed('a');
    const text = textOf(two.records).replaceAll('"InitSuccess"', '"InitSuccess","instance":"one"');
    const verdict = await judgeFile(t, text.replaceAll('"RunStart"', '"RunStart","instance":"another"'));
    assert.deepEqual([verdict.blame, verdict.conformant], ['outside', false]);
    const { because, events, blame } = violationOf(verdict, 'WF');
    assert.match(
      because,
      /"a" was started at .*12:00.* by another, while one is .*: a trace of two schedulers/,
    );
    assert.deepEqual([events[0].line, blame, verdict.axioms.WF.count], [3, 'outside', 1]);
    assert.equal((await judgeFile(t, text)).blame, 'scheduler', 'S1, if it is one scheduler');
  });

  for (const event of ['InitStart', 'StopStart'] as const)
    test(`EA3 ${event} is recorded twice: the recorder’s fault, and one call all the same`, async (t) => {
      const twice = good.records.flatMap((record) => (record.event === event ? [record, record] : [record]));
      const text = textOf(twice) + textOf(trace().at('13:00').init({ a: '0 12 * * *' }).records);
      const verdict = await judgeFile(t, text);
      assert.deepEqual([brokenBy(verdict), verdict.blame], [['EA3'], 'environment']);
      const { because, events } = violationOf(verdict, 'EA3');
      assert.match(because, new RegExp(`${event} of one and the same call, number \\d, was recorded twice`));
      assert.equal(events[0].line, event === 'InitStart' ? 2 : 6);
    });

  test('an empty file: nothing is broken, and nothing was tested', async (t) => {
    const verdict = await judgeFile(t, '');
    assert.deepEqual([brokenBy(verdict), verdict.blame, verdict.fitted.lagMs], [[], 'none', 0]);
    assert.equal(verdict.axioms.S1.status, 'vacuous');
    assert.equal(verdict.axioms.L1.status, 'vacuous');
  });

  test('S1 WF without its InitStart an initialization is unknown, and what starts after it was not owed', async (t) => {
    const verdict = await judgeFile(t, `${lines.slice(1).join('\n')}\n`);
    assert.match(violationOf(verdict, 'WF').because, /line 1: an initialization ends that never began/);
    assert.match(violationOf(verdict, 'S1').because, /"a" .* in no registration list/);
  });

  test('S4 an end without a start', async (t) => {
    const verdict = await judgeFile(t, textOf(good.without('RunStart').records));
    assert.equal(violationOf(verdict, 'S4').events.at(-1)?.line, 3);
    assert.equal(violationOf(verdict, 'S4').blame, 'environment');
  });

  test('S5 an unknown zone is no valid list', async (t) => {
    const there = trace().at('11:59').init({ a: '0 12 * * *' }, { timeZone: 'Mars/Olympus' });
    const verdict = await judgeFile(t, textOf(there.records));
    assert.match(violationOf(verdict, 'S5').because, /not valid .*Mars\/Olympus/);
  });

  test('S5 C1 a line break within an expression or a zone is refused, whatever stands before it', async (t) => {
    const within = await judgeFile(t, textOf(trace().at('11:59').init({ a: '0 12 * * *\n5' }).records));
    assert.deepEqual(brokenBy(within), ['S5']);
    const zone = { timeZone: 'UTC\n* * * * *' };
    const accepted = await judgeFile(t, textOf(trace().at('11:59').init({ a: '0 12 * * *' }, zone).records));
    assert.deepEqual(brokenBy(accepted), ['S5']);
  });

  for (const name of ['n'.repeat(1_000_000), '__proto__', 'constructor', ' ', '"\n\u2028', '😀'])
    test(`a task named ${JSON.stringify(name.slice(0, 20))} is judged as any other`, async (t) => {
      const named = (run: Trace): Trace => run.at('12:00').start(name).at('12:00:01').succeed(name);
      const begun = trace()
        .at('11:59')
        .init([{ name, cron: '0 12 * * *', retryDelayMs: 0 }]);
      const verdict = await judgeFile(t, textOf(named(begun).records));
      assert.deepEqual([brokenBy(verdict), verdict.of(name).S1], [[], 'holds']);
    });

  test('a task that the trace does not speak of has no verdict', async (t) => {
    const verdict = await judgeFile(t, textOf(good.records));
    assert.throws(() => verdict.of('b'), /does not speak of a task "b"/);
  });

  test('any damage to a file is survived: random mutations never throw', async () => {
    // A damaged digit may send the clock centuries away, with something due every minute until then.
    const whole = trace()
      .at('11:59')
      .init({ a: '* * * * *', b: '1 0 1 1 *' })
      .at('12:00')
      .startDurable('a')
      .start('a')
      .at('12:00:01')
      .fail('a')
      .endDurable('a');
    const text = textOf(
      whole.at('12:00:02').crash('12:00:03').init({ a: '* * * * *' }).clockStep('11:59').stop().records,
    );
    const edit = fc.record({
      at: fc.nat(text.length - 1),
      cut: fc.nat(12),
      put: fc.string({ unit: 'binary', maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 6 }), async (edits) => {
        const damaged = edits.reduce(
          (from, { at, cut, put }) => from.slice(0, at) + put + from.slice(at + cut),
          text,
        );
        const verdict = await checkTrace(readTrace([damaged]), { theory: everything });
        assert.equal(typeof verdict.conformant, 'boolean');
      }),
      { numRuns: 500 },
    );
  });
});

describe('a file that is continued after a kill', () => {
  const written = (records: Iterable<unknown>): WrittenRecord[] => [...records] as WrittenRecord[];
  const life = (from: Trace): Trace => from.init({ a: '0 12 * * *' });

  /** What a process leaves that is killed while `a` runs, and what the next one writes after it. */
  async function continued(t: TestContext, after: Trace, debris = ''): Promise<Verdict> {
    const path = temporaryPath(t);
    const killed = life(trace().at('11:59')).at('12:00').startDurable('a').start('a');
    writeFileSync(path, textOf(killed.records));
    appendFileSync(path, debris);
    const file = traceFile(path, { watch: false, now: () => instant('14:00') });
    for (const record of written(after)) file(record);
    await file.close();
    return checkTrace(readTrace(path), { theory: everything });
  }

  test('EA1 P10 the run is an orphan, the downtime is a freeze, and its restart is right', async (t) => {
    const back = life(trace().at('14:00'))
      .at('14:00:01')
      .startDurable('a', 'second')
      .start('a')
      .at('14:00:02')
      .succeed('a');
    const verdict = await continued(t, back);
    assert.deepEqual([brokenBy(verdict), verdict.blame, verdict.counts.crashes], [[], 'none', 1]);
    for (const axiom of ['EA1', 'EA2', 'P10', 'S1', 'L1'])
      assert.equal(verdict.axioms[axiom].status, 'holds', axiom);
  });

  test('WF a line that the kill cut off is gone, and no harm is done', async (t) => {
    const back = life(trace().at('14:00')).at('14:00:01').startDurable('a', 'second').start('a');
    assert.deepEqual(brokenBy(await continued(t, back, '{"at":17724528')), []);
  });

  test('L1 P10 a scheduler that forgets the run is caught across the kill', async (t) => {
    const verdict = await continued(t, life(trace().at('14:00')).at('14:10').stop());
    assert.deepEqual(brokenBy(verdict), ['L1', 'EN3', 'P10']);
    assert.match(violationOf(verdict, 'L1').because, /"a" was owed a run from .*14:00:00/);
  });
});
