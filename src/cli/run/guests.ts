/** Listeners and sinks of the configuration, next to those of `run` itself. They are guests: what one throws, at once or later, harms no other. */
import type { SchedulerEvent, TraceSink } from '../../index.ts';

/** One listener for many. */
export function toEach(
  listeners: ReadonlyArray<((event: SchedulerEvent) => unknown) | undefined>,
): (event: SchedulerEvent) => void {
  return (event) => {
    for (const listener of listeners) {
      try {
        afterwards(listener?.(event), () => {});
      } catch {
        // As in the scheduler itself: what a listener throws is its own affair.
      }
    }
  };
}

/** One trace sink for many; none at all, if there are none. What one throws is thrown when the others have heard. */
export function composedTrace(
  sinks: ReadonlyArray<TraceSink | undefined>,
  rejected: (error: unknown) => void,
): { trace?: TraceSink } {
  const present = sinks.filter((sink) => sink !== undefined);
  if (present.length === 0) return {};
  let hasRejected = false;
  const rejectedOnce = (error: unknown): void => {
    if (!hasRejected) rejected(error);
    hasRejected = true;
  };
  return {
    trace(record) {
      const errors: unknown[] = [];
      for (const sink of present) {
        try {
          afterwards(sink(record), rejectedOnce);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}

/** An `async` guest answers a promise; its rejection must not reach the process. */
function afterwards(answer: unknown, rejected: (error: unknown) => void): void {
  if (typeof answer === 'object' && answer !== null && 'then' in answer)
    Promise.resolve(answer).then(undefined, rejected);
}
