/**
 * Stands between a scheduler and the sink of its trace.
 *
 * A sink may throw, or reject if it is asynchronous: that is logged once, and the schedule goes on, with a hole in its trace.
 *
 * A trace must say when the clock was set back, or its records seem to come from the future. A scheduler that is active notices a step
 * by itself and records it. At any other time nothing watches the clock, so this adapter writes the `ClockStep` in front of the
 * first record that lies before the last one. It knows from the records which of the two it is:
 *
 *                InitStart                 InitSuccess
 *     stopped ──────────────▶ initializing ───────────▶ active
 *        ▲                         │                      │
 *        └───────── StopStart ─────┴──────────────────────┘
 *
 * - *stopped*: before the first `initialize`, and from the start of each `stop`.
 * - *initializing*: from the start of an `initialize`, also after it failed.
 * - *active*: the scheduler watches the clock itself.
 *
 * An `InitSuccess` after a `StopStart` does not make the scheduler active: a stop came during that `initialize` (D7).
 */

import { callGuest } from '../guest.ts';
import { describeError } from '../text/describe-error.ts';
import type { TraceSink, WrittenRecord } from '../trace/record.ts';
import type { Logger } from './logger.ts';

type State = 'stopped' | 'initializing' | 'active';

function stateAfter(state: State, record: WrittenRecord): State {
  const { event } = record;
  // A scheduler that takes over another list goes on watching the clock (I5).
  if (event === 'InitStart') return record.reload && state === 'active' ? state : 'initializing';
  if (event === 'InitSuccess' && state === 'initializing') return 'active';
  return event === 'StopStart' ? 'stopped' : state;
}

export function guardTrace(sink: TraceSink, logger: Logger): TraceSink {
  let state: State = 'stopped';
  let lastAt = Number.NEGATIVE_INFINITY;
  let hasFailed = false;
  const failed = (error: unknown): void => {
    if (hasFailed) return;
    hasFailed = true;
    const { name, message } = describeError(error);
    logger.error(`the trace has a hole: its sink threw ${name}: ${message}`);
  };
  return (record) => {
    const { at, event } = record;
    if (at < lastAt && state !== 'active' && event !== 'ClockStep')
      callGuest(() => sink({ event: 'ClockStep', at, from: lastAt, to: at }), failed);
    lastAt = at;
    state = stateAfter(state, record);
    callGuest(() => sink(record), failed);
  };
}
