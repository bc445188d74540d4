/**
 * Long silences. Of years of minutes only the last are derived, where no others matter; that must change nothing. The same trace with a
 * record that says nothing every few hours is derived minute by minute, and both are judged alike.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace } from '../../src/theory/check.ts';
import type { Verdict } from '../../src/theory/verdict/verdict.ts';
import type { TraceRecord } from '../../src/trace/record.ts';
import { everything } from './judge.ts';
import { instant, type Trace, trace } from './traces.ts';

const HOUR_MS = 3_600_000;

/** A freeze of no length, every eleven hours. */
function chatty(records: readonly TraceRecord[]): TraceRecord[] {
  return records.flatMap((record, index) => {
    const said: TraceRecord[] = [];
    const from = (index === 0 ? record : records[index - 1]).at;
    for (let at = from + 11 * HOUR_MS; at < record.at; at += 11 * HOUR_MS)
      said.push({ event: 'Frozen', at, from: at, to: at });
    return [...said, record];
  });
}

const plain = ({ axioms, fitted, blame }: Verdict): unknown => ({
  blame,
  fitted,
  axioms: Object.entries(axioms).map(([id, { status, violations, notes }]) =>
    // That something was said to be frozen tests EA2, and no more.
    id === 'EA2'
      ? id
      : { id, status, notes, violations: violations.map(({ at, because }) => ({ at, because })) },
  ),
});

const crons = [
  '* * * * *',
  '0-58 * * * *',
  '30 * * * *',
  '0 12 * * *',
  '0 12 9 3 *',
  '0 0 * * 0',
  '59 23 31 12 *',
];
const befores: Readonly<Record<string, (from: Trace) => Trace>> = {
  'active, and nothing starts': (from) => from,
  stopped: (from) => from.at('12:00:10').stop(),
  'during a run': (from) => from.at('12:00:10').start('a'),
  'after a failure': (from) => from.at('12:00:10').start('a').at('12:00:20').fail('a'),
  'after a failure, stopped': (from) => from.at('12:00:10').start('a').at('12:00:20').fail('a').stop(),
  'after a step back behind a due that was served': (from) =>
    from.at('12:00:10').start('a').at('12:00:20').succeed('a').clockStep('11:59:30'),
  'after a crash': (from) => from.at('12:00:10').start('a').at('12:00:20').shutdown(),
};

describe('a silence of ten days is judged as if every minute of it had been played', () => {
  for (const cron of crons)
    for (const [name, before] of Object.entries(befores))
      test(`${cron}, ${name}`, async () => {
        // The delay of the retry is within the silence, so that it is not all of one piece.
        const tasks = { a: [cron, 100 * HOUR_MS], b: '15 6 * * *' } as const;
        const silent = before(trace().at('11:59:30').init(tasks)).at('10 12:00:30');
        const back = silent
          .init({ ...tasks, c: cron })
          .at('10 12:00:40')
          .start('a')
          .start('c')
          .start('b')
          .succeed('b');
        const verdicts = [back.records, chatty(back.records)].map((records) =>
          checkTrace(records, { theory: everything }),
        );
        const [skipped, played] = (await Promise.all(verdicts)).map(plain);
        assert.deepEqual(skipped, played);
      });
});

describe('instants that are far away are no trap', () => {
  const begun = trace().at('11:59:30').init({ a: '* * * * *' });
  const stop = (at: number): TraceRecord => ({ event: 'StopStart', at });

  test('L1 the last instant that there is', async () => {
    const verdict = await checkTrace([...begun, stop(1e15 - HOUR_MS)]);
    assert.equal(verdict.axioms.L1.status, 'violated');
  });

  test('B5 a clock that is set back to 1970, and forward again', async () => {
    const set: TraceRecord = { event: 'ClockStep', at: instant('12:00'), from: instant('12:00'), to: 1 };
    const verdict = await checkTrace([...begun, set, stop(instant('12:01'))]);
    assert.equal(verdict.axioms.WF.status, 'holds');
  });
});
