/**
 * SIGSTOP and SIGCONT, as a suspended machine, a debugger or a full cgroup do it. The owner still owns: a standby that waits for the store must not get
 * it. When the owner goes on, it catches up; when it stops, the standby takes over.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { Owner, planFor } from './owner.ts';
import { TASKS } from './troubled.ts';
import { concluded } from './verdict.ts';

const LONGEST_PAUSE_MS = 2000;

export const paused: Attack = {
  name: 'paused',
  what: 'SIGSTOP and SIGCONT of an owner with a standby: the standby waits, the owner catches up, nothing runs twice',
  unit: 'pauses',
  short: 2,
  long: 100,
  missing: () => (process.platform === 'win32' ? 'there is no SIGSTOP' : undefined),
  async play(ground, count) {
    const place = ground.place();
    const plan = { ...planFor(place, place, TASKS), waits: true };
    const owner = new Owner(ground, plan);
    await owner.says('initialized');
    const standby = new Owner(ground, plan);
    const violations: string[] = [];
    for (let time = 0; time < count; time++) {
      await pause(ground.draw(300));
      owner.child.kill('SIGSTOP');
      await pause(ground.draw(LONGEST_PAUSE_MS));
      if (standby.has('owner')) violations.push('the standby has the store of an owner that is only paused');
      owner.child.kill('SIGCONT');
      await owner.succeeds(2);
      ground.advance();
    }
    const end = await owner.stop();
    if (end.type !== 'stopped') violations.push(`the owner ended with ${JSON.stringify(end)}`);
    await standby.says('initialized');
    const { violations: found, starts } = await concluded(ground, plan, standby);
    return { violations: [...violations, ...found], figures: { pauses: count, starts } };
  },
};
