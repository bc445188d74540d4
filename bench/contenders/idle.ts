/** The CPU time of a real minute in which nothing is due. */
import { cpuMs, liveBytes, sleep } from './measuring.ts';

const MINUTE_MS = 60_000;
/** The process has come to rest when it takes less than this in a second. */
const RESTING_MS = 5;

export async function idleMinute(): Promise<number> {
  await liveBytes();
  for (let second = 0; second < 60; second++) {
    const before = cpuMs();
    await sleep(1000);
    if (cpuMs() - before < RESTING_MS) break;
  }
  const before = cpuMs();
  await sleep(MINUTE_MS);
  return cpuMs() - before;
}
