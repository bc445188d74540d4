/**
 * Kills real schedulers at random, in rounds: each round has a store of its own, an owner and a standby. SIGKILL hits the owner, now and
 * then the standby, now and then both. Its tasks are quick, slow, failing at first, and programs, one of which ignores SIGTERM. The last
 * life of a round is left alone, on a clock that stands still, until it owes nothing.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '../outcome.ts';
import type { Attack } from './attack.ts';
import type { Ground } from './ground.ts';
import { type AttackedTask, lastLife, Owner, planFor } from './owner.ts';
import { judged } from './verdict.ts';

const KILLS_PER_ROUND = 25;
/** How long an owner is left alone at most, in milliseconds of the machine: a due minute is one second. */
const LONGEST_LIFE_MS = 1500;

/** Says whether the program before it still runs, then works for a while. */
const program = (name: string, setup: string, works: string): string =>
  `${setup} old=$(cat ${name}.pid 2>/dev/null || echo none); ` +
  `if grep -qs '^State:.[^ZX]' /proc/$old/status; then echo "${name}: $$ runs next to $old" >> overlaps; fi; ` +
  `echo $$ > ${name}.pid; echo begun >> begun; ${works}`;

const TASKS: readonly AttackedTask[] = [
  { name: 'quick', cron: '* * * * *', takesMs: 0, failures: 0 },
  { name: 'slow', cron: '* * * * *', takesMs: 400, failures: 0 },
  { name: 'long', cron: '* * * * *', takesMs: 3000, failures: 0 },
  { name: 'failing at first', cron: '* * * * *', takesMs: 10, failures: 2 },
  { name: 'once', cron: '30 12 1 6 *', takesMs: 200, failures: 1 },
  // Longer than any life but the last: it is cut off again and again, and nothing but that starts it again.
  { name: 'once, long', cron: '30 12 1 6 *', takesMs: 6000, failures: 0 },
  { name: 'program', cron: '* * * * *', takesMs: 0, failures: 0, program: program('short', '', 'sleep 0.3') },
  {
    name: 'stubborn program',
    cron: '* * * * *',
    takesMs: 0,
    failures: 0,
    program: program('stubborn', 'trap "" TERM;', 'for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done'),
  },
  {
    name: 'failing program',
    cron: '* * * * *',
    takesMs: 0,
    failures: 0,
    program: program('failing', '', 'test -e failed && exit 0; touch failed; exit 1'),
  },
];

export const killStorm: Attack = {
  name: 'kill-storm',
  what: 'SIGKILL of owners and standbys with programs, retries and long runs: nothing is lost, nothing overlaps, no program is left, the oracle finds nothing',
  unit: 'kills',
  short: 8,
  long: 1000,
  async play(ground, count) {
    const totals = { kills: 0, takeovers: 0, crashes: 0, starts: 0, 'repeated starts': 0, programs: 0 };
    const violations: string[] = [];
    for (let left = count; left > 0; left -= KILLS_PER_ROUND) {
      const outcome = await round(ground, Math.min(left, KILLS_PER_ROUND));
      for (const key of Object.keys(totals) as (keyof typeof totals)[])
        totals[key] += Number(outcome.figures[key]);
      violations.push(...outcome.violations);
    }
    return { violations, figures: totals };
  },
};

async function round(ground: Ground, kills: number): Promise<Outcome> {
  const place = ground.place();
  const plan = { ...planFor(place, place, TASKS), waits: true };
  let owner = new Owner(ground, plan);
  // Whether the tasks have come before the first initialize that is known to have taken effect is not known (T11).
  await owner.says('initialized');
  let standby: Owner | undefined;
  let takeovers = 0;
  let killed = 0;
  while (killed < kills) {
    standby ??= new Owner(ground, plan);
    await pause(ground.draw(LONGEST_LIFE_MS));
    const hit = ground.draw(8);
    const victims = hit === 0 ? [standby] : hit === 1 ? [owner, standby] : [owner];
    await Promise.all(victims.map((victim) => victim.kill()));
    killed += victims.length;
    for (const _ of victims) ground.advance();
    const isAlive = !victims.includes(standby);
    if (victims.includes(owner)) {
      if (isAlive) takeovers++;
      owner = isAlive ? standby : new Owner(ground, plan);
      await owner.says('owner');
    }
    standby = undefined;
  }
  await standby?.kill();
  await owner.kill();
  const last = await lastLife(ground, plan);
  const { violations, starts, crashes, repeated } = await judged(plan);
  return {
    violations: [...last, ...programFaults(ground, place), ...violations].map(
      (found) => `${place}: ${found}`,
    ),
    figures: {
      kills: killed + 1,
      takeovers,
      crashes,
      starts,
      'repeated starts': repeated,
      programs: linesOf(join(place, 'begun')).length,
    },
  };
}

/** Programs that ran next to an earlier run of theirs, and programs that outlived the last scheduler. */
function programFaults(ground: Ground, place: string): readonly string[] {
  const left = ground.programs(place).map((pid) => `the program ${pid} still runs`);
  return [...linesOf(join(place, 'overlaps')), ...left];
}

const linesOf = (file: string): readonly string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
