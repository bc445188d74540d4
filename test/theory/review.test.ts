/**
 * Traces on which an independent review found the oracle wrong, each with the verdict that it should have: violations that it missed
 * (F1–F4), and accusations that were wrong (A, B, D, G, H). What is asserted is everything that S1–S5 and L1–L3 say.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace, type Witnesses } from '../../src/theory/index.ts';
import type { TraceRecord } from '../../src/trace/record.ts';
import { breaks, broken } from './both.ts';
import { Campaign } from './independent/campaign.ts';
import { origins } from './independent/traces.ts';
import { instant, RETRY_DELAY_MS, Trace, trace } from './traces.ts';

const noon = { a: '0 12 * * *' };
const seldom = { a: '0 0 1 1 *' };

describe('F1 what was late before a crash stays late', () => {
  const waiting = trace().at('11:59').init(noon).at('12:00:01');

  test('F1 L1 A4 a start that was durable and not called for ten minutes', () =>
    breaks(waiting.startDurable('a').at('12:10').crash('12:10:01'), 'L1'));

  test('F1 L1 …the same without durability records', () =>
    breaks(waiting.at('12:10').crash('12:10:01'), 'L1'));

  test('F1 L1 …the same with a stop instead of the crash', () =>
    breaks(waiting.startDurable('a').at('12:10').stop(), 'L1'));

  test('F1 L1 T11 an initialization that the crash cuts off does not excuse it', () =>
    breaks(waiting.at('12:09:50').initStart({}).at('12:10').crash('12:10:01'), 'L1'));
});

describe('F2 after a crash that leaves doubt, each possibility is read on its own', () => {
  test('F2a S1 T11 a task that is due in no reading may not start', () =>
    breaks(
      trace()
        .at('12:01:24')
        .initStart(seldom)
        .at('12:01:24.010')
        .crash('12:01:25')
        .init(seldom)
        .at('12:01:26')
        .start('a'),
      'S1',
    ));

  test('F2a S1 T11 E4 nor one that was due by the list that was cut off, and is not by the next', () =>
    breaks(
      trace().at('12:00:02').initStart(noon).at('12:00:03').crash('12:00:06').init(seldom).start('a'),
      'S1',
    ));

  test('F2b L1 T11 a task that is due in both readings must start', () =>
    breaks(
      trace()
        .at('12:00:14')
        .initStart(noon)
        .at('12:00:15')
        .crash('12:00:22')
        .init(noon)
        .at('12:09')
        .frozen('12:09'),
      'L1',
    ));

  const durable = trace().at('11:59').init(noon).at('12:00').startDurable('a');

  test('F2c L1 A4 A10 a start that was durable and not called must be made up for', () =>
    breaks(durable.at('12:00:02').crash('12:02').init(noon).at('12:30').frozen('12:30'), 'L1'));

  test('F2c S1 …once', () =>
    breaks(
      durable.at('12:00:02').crash('12:02').init(noon).start('a').succeed('a').at('12:02:01').start('a'),
      'S1',
    ));

  test('F2c L1 E4 …under whatever schedule comes next', async () => {
    const orphaned = durable.at('12:00:02').crash('12:02').init(seldom);
    await breaks(orphaned.at('12:30').frozen('12:30'), 'L1');
    await breaks(orphaned.start('a').succeed('a'));
  });

  test('F2c A4 …unless a stop had begun: then it was taken back, or was not', async () => {
    const stopping = durable.at('12:00:01').stopStart().at('12:00:02').crash('12:02');
    await breaks(stopping.init(seldom).at('12:30').frozen('12:30'));
    await breaks(stopping.init(seldom).start('a'));
    await breaks(stopping.init(noon).at('12:30').frozen('12:30'), 'L1');
  });

  const twice = trace()
    .at('11:59')
    .init({ a: '0,3 12 * * *' })
    .at('12:00')
    .startDurable('a')
    .start('a')
    .succeed('a');

  test('F2d L1 A10 a due that was missed while nothing ran is owed whether or not the end was lost', () =>
    breaks(
      twice.at('12:00:02').crash('12:04').init({ a: '0,3 12 * * *' }).at('12:30').frozen('12:30'),
      'L1',
    ));

  test('F2d A10 a lost end: the run is repeated, or it is not', async () => {
    const back = twice.at('12:00:02').crash('12:01').init({ a: '0,3 12 * * *' });
    await breaks(back.start('a').succeed('a').at('12:02').stop());
    await breaks(back.at('12:02').stop());
  });

  test('F2d one reading must fit: too late to be the run that was cut off, and not due', async () => {
    const late = twice.at('12:00:02').crash('12:00:10').init({ a: '0,3 12 * * *' }).at('12:02').start('a');
    const found = broken(await checkTrace(late));
    assert.ok(found.length > 0 && found.every((axiom) => axiom === 'S1' || axiom === 'L1'), String(found));
  });
});

describe('F3, F4 what the oracle accepts although the rules exclude it, because a process that is killed can cause it', () => {
  test('F3 S1 E9 an initialization that the store refused may have been committed', () =>
    breaks(
      trace()
        .at('12:00:10')
        .initStart(noon)
        .initFailure('StoreClosedError', 'valid')
        .at('12:05')
        .init(noon)
        .start('a'),
    ));

  test('F3 S1 E5 …one that was refused for another reason has not', () =>
    breaks(
      trace()
        .at('12:00:10')
        .initStart(noon)
        .initFailure('SchedulerAlreadyActiveError', 'valid')
        .at('12:05')
        .init(noon)
        .start('a'),
      'S1',
      'S5',
    ));

  test('F4 S1 T10 a task that was pending at a crash may be orphaned: its start was durable, and the process died before the record', () =>
    breaks(
      trace()
        .at('11:59')
        .init({ a: '0 12 * * *', b: '59 11 * * *' })
        .startDurable('b')
        .start('b')
        .succeed('b')
        .endDurable('b')
        .at('12:00:01')
        .crash('12:00:02')
        .init({ a: '0 0 1 1 *', b: '59 11 * * *' })
        .start('a'),
    ));
});

describe('A a scheduler that accepts an invalid list', () => {
  const accepted = trace().at('12:00:10').init({ a: '* * * * *', b: '*/5 * * * *' });

  test('A S5 the other tasks are judged as they are', () => breaks(accepted.start('a').succeed('a'), 'S5'));

  test('A S5 L1 …also if they are not started', () =>
    breaks(accepted.at('12:10').frozen('12:10'), 'S5', 'L1'));

  test('A S5 S1 …or started twice', () => breaks(accepted.start('a').succeed('a').start('a'), 'S1', 'S5'));
});

describe('B the start of one run, recorded twice', () => {
  test('B S3 its end ends it', async () => {
    const twice = trace()
      .at('11:59')
      .init(noon)
      .at('12:00')
      .start('a', 'r1')
      .start('a', 'r1')
      .succeed('a', 'r1');
    const verdict = await checkTrace(twice.stop());
    assert.ok(!broken(verdict).includes('S3'), String(broken(verdict)));
    assert.equal(verdict.axioms.EA3.status, 'violated');
  });
});

describe('D what the environment took counts whenever it is recorded', () => {
  const late = trace().at('11:59').init(noon).at('12:05').start('a').succeed('a');
  const slow = trace()
    .at('11:50')
    .initStart(seldom)
    .at('11:55')
    .initSuccess()
    .stopStart()
    .at('12:00')
    .stopEnd();

  /** A record of a minute past the end of a trace, about a stretch before that. */
  const recorded = (
    before: Trace,
    event: 'Frozen' | 'StoreTrouble' | 'Compute',
    from: string,
    to: string,
  ): Trace => {
    const at = (before.records.at(-1)?.at ?? 0) + 60_000;
    const record = { event, at, from: instant(from), to: instant(to), units: 0 };
    return new Trace([...before.records, record as TraceRecord]);
  };

  test('D L1 L2 L3 without a record they are late', async () => {
    await breaks(late, 'L1');
    await breaks(slow, 'L2', 'L3');
  });

  for (const event of ['Frozen', 'StoreTrouble', 'Compute'] as const) {
    test(`D a ${event} of a start`, () => breaks(recorded(late, event, '12:00', '12:04:59')));
    test(`D L3 a ${event} of an initialization`, () =>
      breaks(recorded(slow, event, '11:50', '11:54:59'), 'L3'));
    test(`D L2 a ${event} of a stop`, () => breaks(recorded(slow, event, '11:55:01', '11:59:59'), 'L2'));
  }
});

/** As a foreign scheduler may record it: without the numbers of calls. */
const unnumbered = (made: Trace): Trace =>
  new Trace(
    made.records.map((record) => {
      if (!('call' in record)) return record;
      const { call: _, ...rest } = record;
      return rest as TraceRecord;
    }),
  );

describe('G, H initializations that overlap', () => {
  const list = { a: '* * * * *' };

  test('G S5 T6 a valid list may be refused while another initialization is open, on either side', async () => {
    const first = trace().at('11:59:30').initStart(list).at('11:59:31').initStart(list);
    await breaks(
      first.initFailure('SchedulerAlreadyActiveError', 'valid', 2).initSuccess(1).start('a').succeed('a'),
    );
    await breaks(
      first.initFailure('SchedulerAlreadyActiveError', 'valid', 1).initSuccess(2).start('a').succeed('a'),
    );
  });

  test('G S5 …and not after the other one has failed, and nothing was active', () =>
    breaks(
      trace()
        .at('11:59:30')
        .initStart(list)
        .initFailure('StoreClosedError', 'valid')
        .initStart(list)
        .initFailure('SchedulerAlreadyActiveError', 'valid'),
      'S5',
    ));

  test('G S5 S1 an end without a number is of the call that it fits', async () => {
    const bad = { a: '*/5 * * * *' };
    const open = trace().at('12:00:10').initStart(list).initStart(bad);
    const refused = open.initFailure('CronExpressionInvalidError', 'invalid', 2).initSuccess(1).start('a');
    await breaks(unnumbered(refused));
    const late = trace().at('12:00:10').initStart(list).initStart({ b: '* * * * *' });
    const second = late.initFailure('SchedulerAlreadyActiveError', 'valid', 2).initSuccess(1).start('a');
    await breaks(unnumbered(second));
  });

  test('G S5 …and if it fits none, something is wrong', () =>
    breaks(
      unnumbered(
        trace().at('12:00:10').initStart(list).initStart({}).initSuccess(1).initSuccess(2).start('b'),
      ),
      'S1',
    ));

  test('H S1 the list of the last success counts', async () => {
    const both = trace()
      .at('11:59:30')
      .initStart(list)
      .initStart({ b: '* * * * *' })
      .initSuccess(2)
      .initSuccess(1);
    await breaks(both.start('a').succeed('a'));
    await breaks(both.start('b'), 'S1');
  });

  test('H S1 T7 a stop holds back those that were called before it, and no others', async () => {
    const open = trace().at('11:59:30').initStart(list).stopStart().initStart(list);
    await breaks(open.initSuccess(1).start('a'), 'S1');
    await breaks(open.initSuccess(3).start('a').succeed('a').stopEnd(2));
  });

  test('H S2 T8 a name that came back between two successes', () =>
    breaks(
      trace()
        .at('12:00:10')
        .initStart(list)
        .initStart({})
        .initSuccess(1)
        .start('a')
        .succeed('a')
        .initSuccess(2)
        .at('12:00:20')
        .init(list)
        .start('a')
        .succeed('a'),
    ));
});

describe('RD1–RD3 the retry pulse, in the form of T2', () => {
  const failed = trace().at('11:59').init(noon).at('12:00').start('a').at('12:00:01').fail('a');
  const retried = failed.at('12:00:06');

  test('RD1 S1 there is none before a failure', () =>
    breaks(
      trace()
        .at('11:59')
        .init(noon)
        .at('12:00')
        .start('a')
        .at('12:00:01')
        .succeed('a')
        .at('12:00:06')
        .start('a'),
      'S1',
    ));

  test('RD1 S1 …nor before the delay is over', () => breaks(failed.at('12:00:05.999').start('a'), 'S1'));

  test('RD2 S1 one failure is retried once', async () => {
    await breaks(retried.start('a').succeed('a'));
    await breaks(retried.start('a').succeed('a').at('12:00:11').start('a'), 'S1');
  });

  test('RD2 …and each failure again', () =>
    breaks(retried.start('a').fail('a').at('12:00:11').start('a').succeed('a')));

  test('RD3 L1 after a failure the retry comes', () => breaks(failed.at('12:05').stop(), 'L1'));

  test('RD3 S1 …unless a start came first', async () => {
    const hourly = trace()
      .at('11:59')
      .init({ a: ['* * * * *', 90_000] })
      .at('12:00')
      .start('a')
      .at('12:00:01')
      .fail('a');
    const served = hourly.at('12:01').start('a').succeed('a');
    await breaks(served.at('12:01:31').start('a'), 'S1');
    await breaks(served.at('12:01:59').stop());
  });

  test('RD3 A6 I5 a run that began under an earlier list keeps the delay of that list', async () => {
    const begun = trace()
      .at('12:08')
      .init({ b: ['* * * * *', 90_000] })
      .start('b')
      .at('12:08:20');
    const failed = begun
      .initStart({ b: ['0 * * * *', 5000] })
      .at('12:09')
      .initSuccess()
      .fail('b');
    await breaks(failed.at('12:09:22').start('b'), 'S1');
    await breaks(failed.at('12:10:30').start('b').succeed('b'));
  });

  test('RD3 S1 …or a first coming', async () => {
    const back = failed.at('12:00:02').stop().init({}).stop().at('12:01').init(noon);
    await breaks(back.at('12:01:02').start('a'), 'S1');
    await breaks(back.at('12:05').stop());
  });
});

describe('T10 a record of durability is evidence, also of a name that is in no list', () => {
  test('T10 S1 a start that was durable and not called is cut off, and may be started again', () =>
    breaks(
      trace().at('12:01').startDurable('c').crash('12:04').init({ c: '0 * * * *' }).start('c').succeed('c'),
    ));

  test('T10 S1 S2 an end that was not durable may be lost: then only one run has succeeded', async () => {
    const started = trace().at('12:05').startDurable('a').start('a').at('12:06').succeed('a');
    await breaks(started.crash('12:07').start('a').succeed('a'), 'S1');
    await breaks(started.endDurable('a').crash('12:07').start('a').succeed('a'), 'S1', 'S2');
  });
});

describe('the example traces of the older model', () => {
  const one = { 1: '* * * * *' };
  const begun = trace()
    .at('11:59:30')
    .initStart({ 1: ['0,1 12 * * *', RETRY_DELAY_MS] })
    .initSuccess();

  test('1 normal operation: two dues, a failure and its retry', () =>
    breaks(
      begun
        .at('12:00')
        .start('1')
        .succeed('1')
        .at('12:01')
        .start('1')
        .fail('1')
        .at('12:01:05')
        .start('1')
        .succeed('1'),
    ));

  test('2 stop and restart: nothing in between', () =>
    breaks(begun.at('11:59:40').stop().at('11:59:50').init(one).at('12:00').start('1').succeed('1')));

  test('3 crash and restart: what was cut off is owed at once, so a restart at the next due is in time only within the lag', async () => {
    const cut = begun.at('12:00').start('1').at('12:00:10').crash('12:00:30');
    await breaks(cut.init({ 1: '0,1 12 * * *' }).at('12:01').start('1').succeed('1'));
    await breaks(cut.init({ 1: '0,2 12 * * *' }).at('12:02').start('1').succeed('1'), 'L1');
  });
});

describe('|R|, by which compute is granted', () => {
  /** How long `initialize` may take for a list, in milliseconds, if each bit of it is granted a unit. */
  async function grantedFor(retryDelayMs: number): Promise<number> {
    const witnesses: Witnesses = { a: 1, b: 0, lagMs: 0 };
    const isGranted = async (ms: number): Promise<boolean> => {
      const [start, end] = trace()
        .at('11:00')
        .init({ a: ['0 12 * * *', retryDelayMs] });
      const verdict = await checkTrace([start, { ...end, at: end.at + ms }], { witnesses });
      return verdict.axioms.L2.status !== 'violated';
    };
    let [low, high] = [0, 1 << 20];
    assert.ok(!(await isGranted(high)));
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (await isGranted(middle)) low = middle;
      else high = middle;
    }
    return low;
  }

  test('L2 the retry delay is part of a task, so it counts', async () => {
    assert.ok((await grantedFor(2 ** 40)) > (await grantedFor(0)));
  });
});

test('the oracle agrees with the reference checker on 800 random traces (the campaign "reference" has more)', async () => {
  const campaign = new Campaign();
  for (let seed = 1; seed <= 800; seed++)
    assert.deepEqual((await campaign.play(seed, origins[seed % origins.length])).violations, []);
});
