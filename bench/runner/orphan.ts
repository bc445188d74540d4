/**
 * Ends a benchmark whose runner has been killed. A thread sees to it, because a benchmark may hold its event loop for minutes. The
 * contenders of scenarios do not need it: they notice that their channel to the runner is closed.
 */
import { ownThread } from '../../src/thread.ts';

/** What its environment has to say. */
export interface GuardedEnvironment {
  /** The process id of the runner. */
  readonly BENCH_RUNNER: string;
}

const thread = ownThread<number>(import.meta.url, 'benchmark guard');
const runner = Number(process.env.BENCH_RUNNER);

if (thread.options === undefined) thread.start(runner).unref();
else
  setInterval(() => {
    if (process.ppid !== thread.options) process.kill(process.pid, 'SIGKILL');
  }, 1000);
