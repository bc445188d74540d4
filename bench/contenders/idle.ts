/** The CPU time of a real minute in which nothing is due. */
import { cpuMs, liveBytes, sleep } from './measuring.ts';

const MINUTE_MS = 60_000;
/** The process has come to rest when it takes less than this in each of ten seconds: V8 collects for the last time some seconds after the work. */
const RESTING_MS = 5;
const RESTING_SECONDS = 10;
const PATIENCE_SECONDS = 60;

export async function idleMinute(): Promise<number> {
  await liveBytes();
  let resting = 0;
  for (let second = 0; second < PATIENCE_SECONDS && resting < RESTING_SECONDS; second++) {
    const before = cpuMs();
    await sleep(1000);
    resting = cpuMs() - before < RESTING_MS ? resting + 1 : 0;
  }
  const before = cpuMs();
  await sleep(MINUTE_MS);
  return cpuMs() - before;
}
