/** Listeners and sinks of the configuration, next to those of `run` itself. They are guests: what one throws, at once or later, harms no other. */
import { callGuest } from '../../guest.ts';
import type { SchedulerEvent, TraceSink } from '../../index.ts';

/** One listener for many. */
export function toEach(
  listeners: ReadonlyArray<((event: SchedulerEvent) => unknown) | undefined>,
): (event: SchedulerEvent) => void {
  return (event) => {
    for (const listener of listeners) callGuest(() => listener?.(event));
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
        let isLater = false;
        callGuest(
          () => sink(record),
          (error) => (isLater ? rejectedOnce(error) : errors.push(error)),
        );
        isLater = true;
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}
