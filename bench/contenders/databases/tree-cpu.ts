/** The CPU time of a PostgreSQL server: of its first process, of those that are there now, and of those that have ended. Linux alone counts it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The unit of /proc, on every machine of today. */
const TICK_MS = 10;

interface Times {
  readonly parent: number;
  readonly own: number;
  /** Of children that have ended. */
  readonly ended: number;
}

/** Undefined if the process is gone. */
function timesOf(pid: number): Times | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in brackets and may have blanks; the state follows it.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((place) => fields[place]);
    return { parent, own: user + system, ended: endedUser + endedSystem };
  } catch {
    return undefined;
  }
}

export function treeCpuMs(dataFolder: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const first = Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), times: timesOf(Number(name)) }));
  let ticks = 0;
  for (const { pid, times } of all) {
    if (times === undefined) continue;
    if (pid === first) ticks += times.own + times.ended;
    else if (times.parent === first) ticks += times.own;
  }
  return ticks * TICK_MS;
}
