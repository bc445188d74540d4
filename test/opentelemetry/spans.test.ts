/** Spans as the real SDK sees them, of a real scheduler on the test clock. It begins at 12:00:30. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { minutes, seconds, task } from '../../src/index.ts';
import { fails, spans, stage, tracerProvider } from './stage.ts';

before(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
beforeEach(() => spans.reset());
after(() => context.disable());

const of = (name: string): ReadableSpan[] => spans.getFinishedSpans().filter((span) => span.name === name);
const instant = ([second, nanosecond]: readonly [number, number]): string =>
  new Date(second * 1000 + nanosecond / 1e6).toISOString();

describe('spans', () => {
  test('F4 one span per run, from its call to its end, with what the run is', async () => {
    const { clock, scheduler, wrap, close } = stage();
    await scheduler.initialize(
      wrap([
        task({ name: 'report', cron: '2 12 * * *', run: () => clock.sleep(seconds(3)), timeZone: 'Etc/UTC' }),
      ]),
    );
    await clock.advance(minutes(2));
    const [span] = of('run report');
    assert.equal(instant(span.startTime), '2026-01-01T12:02:00.000Z');
    assert.equal(instant(span.endTime), '2026-01-01T12:02:03.000Z');
    assert.equal(span.parentSpanContext, undefined);
    const {
      'obbligato.run.id': id,
      'obbligato.run.key': key,
      'faas.invocation_id': same,
      ...rest
    } = span.attributes;
    assert.ok(typeof id === 'string' && typeof key === 'string' && id === same);
    assert.deepEqual(rest, {
      'obbligato.task.name': 'report',
      'obbligato.task.cron': '2 12 * * *',
      'obbligato.task.time_zone': 'Etc/UTC',
      'obbligato.run.attempt': 1,
      'obbligato.run.reason': 'due',
      'obbligato.run.scheduled_for': '2026-01-01T12:02:00.000Z',
      'obbligato.run.start_delay_ms': 0,
      'obbligato.run.outcome': 'success',
      'faas.trigger': 'timer',
      'faas.cron': '2 12 * * *',
    });
    assert.equal(span.status.code, SpanStatusCode.UNSET);
    await scheduler.stop();
    close();
  });

  test('F4 a retry has a link to the first attempt, and a new due has none', async () => {
    const { clock, scheduler, wrap, close } = stage();
    await scheduler.initialize(wrap([['bad', '1,10 12 * * *', fails, 60_000]]));
    await clock.advance(minutes(10));
    const [first, second, third, ...more] = of('run bad');
    assert.equal(first.links.length, 0);
    for (const retry of [second, third]) {
      assert.equal(retry.attributes['obbligato.run.reason'], 'retry');
      assert.deepEqual(
        retry.links.map(({ context: { spanId, traceId } }) => [spanId, traceId]),
        [[first.spanContext().spanId, first.spanContext().traceId]],
      );
      assert.notEqual(retry.spanContext().traceId, first.spanContext().traceId);
    }
    const due = more.find((span) => span.attributes['obbligato.run.reason'] === 'due');
    assert.deepEqual(due?.links, []);
    await scheduler.stop();
    close();
  });

  test('A6 a failure is an error with its exception; without its text if that is not wanted', async () => {
    const { clock, scheduler, wrap, close } = stage();
    await scheduler.initialize(wrap([task({ name: 'bad', cron: '1 12 * * *', run: fails, retry: false })]));
    await clock.advance(minutes(1));
    const [span] = of('run bad');
    assert.deepEqual(span.status, { code: SpanStatusCode.ERROR, message: 'on purpose' });
    assert.equal(span.attributes['error.type'], 'TypeError');
    assert.equal(span.attributes['obbligato.run.outcome'], 'gave_up');
    assert.deepEqual(
      span.events.map(({ name, attributes }) => [name, attributes?.['exception.message']]),
      [['exception', 'on purpose']],
    );
    await scheduler.stop();
    close();

    const quiet = stage({ recordErrors: false });
    await quiet.scheduler.initialize(quiet.wrap([['secret', '1 12 * * *', fails, 60_000]]));
    await quiet.clock.advance(minutes(1));
    const [silent] = of('run secret');
    assert.equal(silent.attributes['error.type'], 'TypeError');
    assert.doesNotMatch(JSON.stringify([silent.events, silent.status, silent.attributes]), /on purpose/);
    await quiet.scheduler.stop();
    quiet.close();
  });

  test('F1 the span is active in the callback and in what it awaits; a run is no child of the caller of initialize', async () => {
    const { clock, scheduler, wrap, close } = stage();
    const tracer = tracerProvider.getTracer('test');
    const list = wrap([
      [
        'parent',
        '1 12 * * *',
        async () => {
          tracer.startSpan('at once').end();
          await clock.sleep(seconds(1));
          tracer.startSpan('later').end();
        },
        0,
      ],
    ]);
    const request = tracer.startSpan('request');
    await context.with(trace.setSpan(context.active(), request), () => scheduler.initialize(list));
    await clock.advance(minutes(2));
    const [run] = of('run parent');
    assert.equal(run.parentSpanContext, undefined);
    assert.notEqual(run.spanContext().traceId, request.spanContext().traceId);
    for (const child of [...of('at once'), ...of('later')])
      assert.equal(child.parentSpanContext?.spanId, run.spanContext().spanId);
    assert.deepEqual([of('at once').length, of('later').length], [1, 1]);
    await scheduler.stop();
    close();
  });

  test('G2 wrap leaves what is no registration to initialize, which refuses it', async () => {
    const { scheduler, wrap, close } = stage();
    for (const wrong of [
      [['a', '* * * * *', 'no function', 0]],
      [['a', '* * * * *', () => {}]],
      'no list',
      [null],
    ])
      await assert.rejects(scheduler.initialize(wrap(wrong as never)), { name: /^Registration/ });
    close();
  });
});
