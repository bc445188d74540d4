/** B5 as the oracle applies it to retries: where a deadline is after the clock was set back, once or twice, under one delay or several. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepts, brokenBy, judge, refuses } from './judge.ts';
import { type Trace, trace } from './traces.ts';

const MINUTE_MS = 60_000;

const run = (before: Trace, time: string): Trace => before.at(time).start('a').succeed('a');

const failed = (retryDelayMs: number, to: string): Trace =>
  trace()
    .at('11:59')
    .init({ a: ['0 12 * * *', retryDelayMs] })
    .at('12:00')
    .start('a')
    .at('12:00:01')
    .fail('a')
    .at('12:00:02')
    .clockStep(to);

test('B5 a retry deadline farther away than its delay becomes now + delay', async () => {
  await accepts(run(failed(10 * MINUTE_MS, '11:00'), '11:10'));
  await refuses(run(failed(10 * MINUTE_MS, '11:00'), '11:09:59.999'), 'S1');
  await refuses(
    failed(10 * MINUTE_MS, '11:00')
      .at('11:20')
      .stop(),
    'L1',
  );
});

test('B5 a nearer one stays', async () => {
  await accepts(run(failed(10 * MINUTE_MS, '12:00:01'), '12:10:01'));
  await refuses(run(failed(10 * MINUTE_MS, '12:00:01'), '12:10:00.999'), 'S1');
});

/** The deadline was moved to 11:10, and nothing in the store says any more that its delay was ten minutes. */
const moved = (): Trace =>
  failed(10 * MINUTE_MS, '11:00')
    .stop()
    .init({ a: ['0 12 * * *', 0] })
    .at('11:01')
    .stop();

test('B5 E4 a deadline that was moved may be moved to the present under a shorter delay', async () => {
  const again = moved().init({ a: ['0 12 * * *', 0] });
  await accepts(run(again, '11:01'));
  await accepts(run(again, '11:10'));
  await refuses(again.at('11:20').stop(), 'L1');
});

test('B5 T11 …also by an initialization of which only the store knows', async () => {
  const again = moved()
    .initStart({ a: ['0 12 * * *', 0] })
    .initFailure('StoreError', 'valid')
    .at('11:02')
    .init({ a: ['30 12 * * *', MINUTE_MS] });
  assert.deepEqual(brokenBy(await judge(run(again, '11:02'))), []);
});

test('B5 E4 a retry that was due at once may be ahead again under a longer delay', async () => {
  const again = (to: string): Trace =>
    failed(0, '12:00:02')
      .stop()
      .init({ a: ['0 12 * * *', 30 * MINUTE_MS] })
      .stop()
      .clockStep(to)
      .init({ a: ['0 12 * * *', 30 * MINUTE_MS] });
  await accepts(run(again('11:50'), '11:50'));
  await accepts(run(again('11:50'), '12:00:01'));
  await accepts(run(again('11:00'), '11:30'));
  await refuses(again('11:00').at('11:40').stop(), 'L1');
});
