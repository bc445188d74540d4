/**
 * One span per run.
 *
 *     nothing ──started──▶ open ──completed, failed──▶ ended
 *
 * A span is begun by the event of the start, which comes right before the call, and ended by the event of the end; so it says what the scheduler
 * made of the run, and not only what the callback did. It is the root of a trace: a run has no parent, not even the context in which
 * `initialize` was called. While the callback runs it is the active span (`during`), so that spans of the callback's own are its children.
 * A later attempt of the same work has a link to the span of the first attempt, if that was in this process.
 *
 * Memory: an open span per run that goes on, and one remembered first attempt per task that fails, at most `MOST_FIRSTS`.
 */
import {
  type Attributes,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import type { SchedulerEvent } from '../index.ts';
import { describeError } from '../text/describe-error.ts';

type Of<Type extends SchedulerEvent['type']> = Extract<SchedulerEvent, { type: Type }>;

const MOST_FIRSTS = 10_000;

export interface SpanOptions {
  readonly provider: TracerProvider | undefined;
  readonly recordErrors: boolean;
  /** What the list says of a task: its expression, and its zone if it has one of its own. */
  factsOf(task: string): { readonly cron: string; readonly timeZone?: string | undefined } | undefined;
}

export class Spans {
  readonly #options: SpanOptions;
  /** By the identity of the run. */
  readonly #open = new Map<string, Span>();
  /** By task: the first attempt of the work that failed last. */
  readonly #firsts = new Map<string, { readonly key: string; readonly span: SpanContext }>();

  constructor(options: SpanOptions) {
    this.#options = options;
  }

  readonly hear = (event: SchedulerEvent): void => {
    switch (event.type) {
      case 'TaskRunStarted':
      case 'TaskRetryStarted':
        this.#started(event);
        break;
      case 'TaskStartedLate':
        this.#late(event);
        break;
      case 'TaskRunCompleted':
        this.#firsts.delete(event.task);
        this.#end(event, 'success');
        break;
      // The next start is a span of the same trace: the work goes on.
      case 'TaskRunInterrupted':
        this.#end(event, 'interrupted');
        break;
      case 'TaskRunFailed':
        this.#failed(event);
        break;
      default:
    }
  };

  /** Calls a callback while the span of its run is active. */
  during<T>(runId: string, call: () => T): T {
    const span = this.#open.get(runId);
    return span === undefined ? call() : context.with(trace.setSpan(ROOT_CONTEXT, span), call);
  }

  get #tracer(): Tracer {
    return (this.#options.provider ?? trace.getTracerProvider()).getTracer('obbligato');
  }

  #started(event: Of<'TaskRunStarted' | 'TaskRetryStarted'>): void {
    const { task, runId, key, at } = event;
    const first = this.#firsts.get(task);
    const links: Link[] =
      first?.key === key
        ? [{ context: first.span, attributes: { 'obbligato.link.kind': 'first_attempt' } }]
        : [];
    const attributes = { ...startAttributes(event), ...scheduleAttributes(this.#options.factsOf(task)) };
    const span = this.#tracer.startSpan(
      `run ${task}`,
      { kind: SpanKind.INTERNAL, root: true, startTime: at, attributes, links },
      ROOT_CONTEXT,
    );
    this.#open.set(runId, span);
    if (first?.key !== key) this.#remember(task, key, span.spanContext());
  }

  #remember(task: string, key: string, span: SpanContext): void {
    this.#firsts.delete(task);
    this.#firsts.set(task, { key, span });
    const [oldest] = this.#firsts.keys();
    if (this.#firsts.size > MOST_FIRSTS && oldest !== undefined) this.#firsts.delete(oldest);
  }

  #late({ runId, lateMs, unnoticedMs, queuedMs, storeMs, culprit, at }: Of<'TaskStartedLate'>): void {
    const parts = {
      'obbligato.late.total_ms': lateMs,
      'obbligato.late.unnoticed_ms': unnoticedMs,
      'obbligato.late.queue_ms': queuedMs,
      'obbligato.late.store_ms': storeMs,
    };
    const who = culprit === undefined ? {} : { 'obbligato.late.culprit': culprit };
    this.#open.get(runId)?.addEvent('started late', { ...parts, ...who }, at);
  }

  #failed(event: Of<'TaskRunFailed'>): void {
    const { task, runId, error, outcome, pendingRetryUntil, at } = event;
    const { name, message, text } = describeError(error);
    const span = this.#open.get(runId);
    const isKept = this.#options.recordErrors;
    span?.setAttribute('error.type', name);
    span?.recordException({ name, ...(isKept ? { message, stack: text } : {}) }, at);
    span?.setStatus({ code: SpanStatusCode.ERROR, ...(isKept ? { message } : {}) });
    if (outcome === 'gave up' || outcome === 'cancelled') this.#firsts.delete(task);
    if (pendingRetryUntil !== null)
      span?.setAttribute('obbligato.run.next_try_at', new Date(pendingRetryUntil).toISOString());
    this.#end(event, outcome.replaceAll(' ', '_'));
  }

  #end({ runId, at }: { readonly runId: string; readonly at: number }, outcome: string): void {
    const span = this.#open.get(runId);
    this.#open.delete(runId);
    span?.setAttribute('obbligato.run.outcome', outcome);
    span?.end(at);
  }
}

function startAttributes(event: Of<'TaskRunStarted' | 'TaskRetryStarted'>): Attributes {
  return {
    'obbligato.task.name': event.task,
    'obbligato.run.id': event.runId,
    'obbligato.run.key': event.key,
    'obbligato.run.attempt': event.attempt,
    'obbligato.run.reason': event.reason,
    'obbligato.run.scheduled_for': new Date(event.scheduledFor).toISOString(),
    'obbligato.run.start_delay_ms': event.lateMs,
    // So that a backend that knows functions as a service knows what this is.
    'faas.trigger': 'timer',
    'faas.invocation_id': event.runId,
  };
}

function scheduleAttributes(facts: ReturnType<SpanOptions['factsOf']>): Attributes {
  if (facts === undefined) return {};
  const { cron, timeZone } = facts;
  const zone = timeZone === undefined ? {} : { 'obbligato.task.time_zone': timeZone };
  return { 'obbligato.task.cron': cron, 'faas.cron': cron, ...zone };
}
