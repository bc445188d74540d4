/** What may be asked of the oracle. A slip must not switch an axiom off, and so say that all is well. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace, createMonitor } from '../../src/theory/check.ts';
import type { MonitorOptions } from '../../src/theory/options.ts';
import { instant, trace } from './traces.ts';

/** Half an hour too late. */
const late = trace().at('11:59').init({ a: '0 12 * * *' }).at('12:30').start('a');

/** As a program without types would give them. */
const untyped = (options: unknown): MonitorOptions => options as MonitorOptions;

describe('what is left undefined is the default', () => {
  for (const options of [
    { witnesses: undefined },
    { witnesses: { lagMs: undefined, a: undefined, b: undefined } },
    { theory: undefined, durability: undefined, onViolation: undefined },
  ])
    test(`L1 is judged by a minute: ${Object.keys(options)}`, async () => {
      const verdict = await checkTrace(late, untyped(options));
      assert.deepEqual(verdict.witnesses, { a: 0, b: 0, lagMs: 60_000 });
      assert.deepEqual([verdict.axioms.L1.status, verdict.conformant], ['violated', false]);
    });

  test('the others are as they were given', async () => {
    const verdict = await checkTrace(late, { witnesses: { lagMs: 3_600_000, b: 7 } });
    assert.deepEqual([verdict.witnesses, verdict.conformant], [{ a: 0, b: 7, lagMs: 3_600_000 }, true]);
  });
});

describe('what cannot be is thrown', () => {
  for (const [options, name, message] of [
    [{ witnesses: { lagMs: Number.NaN } }, 'RangeError', /witnesses\.lagMs .* got NaN/],
    [{ witnesses: { lagMs: -1 } }, 'RangeError', /witnesses\.lagMs .* not negative; got -1/],
    [{ witnesses: { a: Number.POSITIVE_INFINITY } }, 'RangeError', /witnesses\.a must be finite/],
    [{ witnesses: { b: null } }, 'TypeError', /witnesses\.b must be a number; got null/],
    [{ witnesses: { lagMs: '1s' } }, 'TypeError', /witnesses\.lagMs must be a number; got "1s"/],
    [{ witnesses: 5 }, 'TypeError', /witnesses must be an object/],
    [{ theory: ['nonsense'] }, 'RangeError', /theory\[0\] .*scheduler, environment, .*got "nonsense"/],
    [{ theory: ['scheduler', null] }, 'RangeError', /theory\[1\] .*got null/],
    [{ theory: [] }, 'RangeError', /theory must name at least one part: scheduler, environment/],
    [{ theory: 'scheduler' }, 'TypeError', /theory must be an array/],
    [{ durability: true }, 'RangeError', /durability must be 'recorded', or left out; got true/],
    [{ onViolation: 'log' }, 'TypeError', /onViolation must be a function; got "log"/],
    [null, 'TypeError', /options of a monitor must be an object; got null/],
  ] as const)
    test(`${name}: ${message.source}`, async () => {
      assert.throws(() => createMonitor(untyped(options)), { name, message });
      await assert.rejects(checkTrace(late, untyped(options)), { name, message });
    });

  for (const events of [5, null, undefined, 'trace.jsonl'])
    test(`TypeError: events that are ${events === null ? 'null' : typeof events}`, async () => {
      await assert.rejects(checkTrace(events as unknown as Iterable<never>), {
        name: 'TypeError',
        message: /events must be an iterable of records; got .*readTrace\(\)/,
      });
    });
});

describe('a listener for violations', () => {
  /** Two that nothing was owed to, and the end of the first. */
  const unowed = trace()
    .at('11:59')
    .init({ a: '0 12 * * *', b: '0 12 * * *' })
    .at('11:59:30')
    .start('a')
    .start('b')
    .at('11:59:31')
    .succeed('a');

  test('may throw: what it throws goes to the caller that gave the record, and the monitor is as if nothing had been thrown', () => {
    const monitor = createMonitor({
      onViolation: ({ task }) => {
        throw new Error(`heard of ${task}`);
      },
    });
    const thrown: string[] = [];
    for (const record of unowed)
      try {
        monitor.sink(record);
      } catch (error) {
        thrown.push(String(error));
      }
    assert.deepEqual(thrown, ['Error: heard of a', 'Error: heard of b']);
    const { S1, S4 } = monitor.verdict().axioms;
    assert.deepEqual([S1.count, S1.status, S4.status], [2, 'violated', 'holds']);
  });

  test('hears of all violations of a record, though it throws at the first; and checkTrace rejects with that', async () => {
    const heard: string[] = [];
    const together = trace().at('11:59').init({ a: '0 12 * * *', b: '0 12 * * *' }).at('12:00').start('a');
    const running = together.start('b').at('12:01').stop();
    const judged = checkTrace(running, {
      onViolation: ({ axiom, task }) => {
        heard.push(`${axiom} ${task}`);
        throw new Error(`first: ${axiom} ${task}`);
      },
    });
    await assert.rejects(judged, /first: S3 a/);
    assert.deepEqual(heard, ['S3 a', 'S3 b']);
  });

  test('may ask for the verdict, in which the violation stands', () => {
    const seen: unknown[] = [];
    const monitor = createMonitor({
      onViolation: () => seen.push([monitor.verdict().axioms.S1.count, monitor.verdict().counts.records]),
    });
    for (const record of unowed) monitor.sink(record);
    assert.deepEqual(seen, [
      [1, 3],
      [2, 4],
    ]);
    assert.equal(monitor.verdict().axioms.S1.violations[0].at, instant('11:59:30'));
  });
});
