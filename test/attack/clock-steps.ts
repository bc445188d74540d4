/**
 * The machine's wall clock is set under a running scheduler, forth and back, by less than a minute and by more than a day, as `date -s`, a time server and a
 * resumed machine set it: a library in front of the operating system's tells the process another time (fixtures/stepped-clock.c). Each step is
 * reported, nothing that was served is served again, what was missed is caught up once, and no task is wedged. The oracle judges the trace;
 * the judge of the crash tests knows no steps.
 */
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import type { Attack } from './attack.ts';
import { type AttackedTask, lastLife, Owner, planFor } from './owner.ts';
import { noCompiler, preloaded } from './preload.ts';
import { TASKS } from './troubled.ts';
import { brokenIn, recordsIn } from './verdict.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** By how much the clock is set, in its own milliseconds; it begins at 12:30. Together they are nothing, so that it does not run away. */
const STEPS = [45 * MINUTE, -30_000, -2 * HOUR, 3 * HOUR, 26 * HOUR, -27.75 * HOUR + 30_000];
/** Its hour is not `*`, so the step back over 13:00 by less than three hours does not repeat it. */
const AT_ITS_HOUR: AttackedTask = { name: 'at its hour', cron: '0 13 * * *', takesMs: 0, failures: 0 };

export const clockSteps: Attack = {
  name: 'clock-steps',
  what: 'the wall clock is set forth and back: it is reported, nothing is served twice, what was missed is caught up once, no task is wedged',
  unit: 'steps',
  short: STEPS.length,
  long: 120,
  missing: noCompiler,
  async play(ground, count) {
    const place = ground.place();
    const plan = { ...planFor(place, place, [...TASKS, AT_ITS_HOUR]), wallStartAt: Date.now() };
    const { place: library, env } = preloaded(ground, 'stepped-clock.c');
    const shift = join(library, 'shift');
    let shiftMs = 0;
    writeFileSync(shift, new Uint8Array(8));
    const owner = new Owner(ground, plan, { ...env, ATTACK_SHIFT: shift });
    await owner.says('initialized');
    await owner.succeeds(3);
    for (let step = 0; step < count; step++) {
      const before = owner.said.length;
      shiftMs += STEPS[step % STEPS.length] / plan.speed;
      setTo(shift, shiftMs);
      await owner.says('ClockStepped', before);
      await owner.succeeds(3);
      ground.advance();
    }
    // The last life is told no other time than the machine's.
    setTo(shift, 0);
    const end = await owner.stop();
    const unwell = end.type === 'stopped' ? [] : [`it ended with ${JSON.stringify(end)}`];
    const last = await lastLife(ground, plan);
    const records = await recordsIn(plan.trace);
    const starts = records.filter(({ event }) => event === 'RunStart').length;
    const seen = records.filter(({ event }) => event === 'ClockStep').length;
    const missed = seen < count ? [`of ${count} steps the trace has ${seen}`] : [];
    return {
      violations: [...unwell, ...last, ...missed, ...(await brokenIn(records))],
      figures: { steps: count, starts },
    };
  },
};

/** Writes the shift in place: the file is mapped, and never without its eight bytes. */
function setTo(path: string, shiftMs: number): void {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setBigInt64(0, BigInt(Math.round(shiftMs)), endianness() === 'LE');
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, 8, 0);
  closeSync(file);
}
