/**
 * Ends a benchmark whose runner has been killed. A thread sees to it, because a benchmark may hold its event loop for minutes. The
 * contenders of scenarios do not need it: they notice that their channel to the runner is closed.
 */
import { startThread } from '../../src/thread.ts';

/** What its environment has to say. */
export interface GuardedEnvironment {
  /** The process id of the runner. */
  readonly BENCH_RUNNER: string;
}

startThread(
  new URL('./orphan-thread.ts', import.meta.url),
  'benchmark guard',
  Number(process.env.BENCH_RUNNER),
).unref();
