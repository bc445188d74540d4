/**
 * Short lives of the real scheduler, in a world whose clock is moved: each puts one rule to the test, and ends with a record that shows
 * how far time had come. The traces are judged; that of the scheduler as it ships must be clean, that of one with a fault must not.
 */
import type { TraceRecord } from '../../src/trace/record.ts';
import { fail, MINUTE, noop, SECOND, Stage } from '../scheduler/scenario.ts';
import { heldCallback } from '../scheduler/world.ts';

export type Life = (stage: Stage) => Promise<readonly TraceRecord[]>;

const START = '2026-03-02T11:59:30Z';

/** What was recorded so far, and until when. */
function seen(stage: Stage): readonly TraceRecord[] {
  const now = stage.clock.now();
  return [...stage.world.trace, { event: 'Frozen', at: now, from: now - 1, to: now }];
}

export const lives: Readonly<Record<string, Life>> = {
  /** Due at 12:00, fails, is retried after five seconds, succeeds; then two minutes of nothing. */
  async retried(stage) {
    let runs = 0;
    await stage.initialize(['a', '0 12 * * *', () => (++runs === 1 ? fail() : undefined), 5 * SECOND]);
    await stage.clock.advance(3 * MINUTE);
    await stage.stop();
    return seen(stage);
  },

  /** Due again while it runs: one start right after the end. */
  async dueWhileRunning(stage) {
    const { callback, runs } = heldCallback();
    await stage.initialize(['a', '0,1 12 * * *', callback, 0]);
    await stage.clock.advance(2 * MINUTE);
    runs[0].succeed();
    await stage.clock.advance(2 * MINUTE);
    runs[1]?.succeed();
    await stage.clock.advance(SECOND);
    await stage.stop();
    return seen(stage);
  },

  /** Not due in the minute of its first coming. */
  async firstComing(stage) {
    await stage.initialize(['a', '0 6 * * *', noop, 0]);
    await stage.clock.advance(MINUTE);
    await stage.stop();
    return seen(stage);
  },

  /** Due in the minute of its first coming. */
  async dueAtFirstComing(stage) {
    await stage.initialize(['a', '59 11 * * *', noop, 0]);
    await stage.clock.advance(3 * MINUTE);
    await stage.stop();
    return seen(stage);
  },

  /** A name twice: rejected. */
  async duplicates(stage) {
    await stage.initialize(['a', '0 6 * * *', noop, 0], ['a', '0 7 * * *', noop, 0]).catch(() => undefined);
    return seen(stage);
  },

  /** A stop while a callback runs, with a due of another task to come. */
  async stopped(stage) {
    const { callback, runs } = heldCallback();
    await stage.initialize(['a', '0 12 * * *', callback, 0], ['b', '1 12 * * *', noop, 0]);
    await stage.clock.advance(40 * SECOND);
    const stopping = stage.stop();
    await stage.clock.advance(MINUTE);
    runs[0].succeed();
    await stage.clock.advance(2 * MINUTE);
    // A stop that never ends is for the oracle to find, not to wait for.
    void stopping;
    return seen(stage);
  },

  /** A crash cuts a run off; the next life has another schedule for it, which is not due. */
  async orphaned(stage) {
    const { callback } = heldCallback();
    await stage.initialize(['a', '0 12 * * *', callback, 0]);
    await stage.clock.advance(MINUTE);
    const from = stage.clock.now();
    const before = stage.world.trace;
    await stage.crash();
    await stage.clock.advance(10 * MINUTE);
    const to = stage.clock.now();
    await stage.initialize(['a', '0 6 * * *', noop, 0]);
    await stage.clock.advance(2 * MINUTE);
    await stage.stop();
    const death: TraceRecord[] = [
      { event: 'UnexpectedShutdown', at: from },
      { event: 'Frozen', at: to, from, to },
    ];
    return [...before, ...death, ...seen(stage)];
  },
};

export const live = (name: string): Promise<readonly TraceRecord[]> => {
  const life = lives[name];
  if (life === undefined) throw new RangeError(`there is no life ${name}`);
  return life(new Stage(START));
};
