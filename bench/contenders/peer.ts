/**
 * A scheduler that keeps nothing, with tasks that are all due at one instant. These libraries take seconds in their expressions, so the
 * instant is the beginning of a second, not of a minute.
 */
import { contend } from '../runner/contend.ts';
import type { Figures } from '../runner/scenario.ts';
import { liveBytes, sleep, wallClock } from './measuring.ts';

export type PeerName = 'croner' | 'node-cron' | 'cron' | 'node-schedule';

export interface PeerParams {
  readonly peer: PeerName;
  readonly tasks: number;
}

/** Takes a job. Each peer is a module that exports its own. */
export type Register = (expression: string, call: () => void) => { stop(): unknown };

/** A registration takes the slowest of them less than this. */
const leadMs = (tasks: number): number => 4000 + tasks * 2.5;
/** If none is called for so many seconds, the rest will not be called. */
const PATIENCE_SECONDS = 15;

/** Waits until all tasks are called, or no more of them are. Answers how many were not. */
async function missedOf(tasks: number, called: () => number): Promise<number> {
  let seen = 0;
  for (let silentSeconds = 0; called() < tasks && silentSeconds < PATIENCE_SECONDS; silentSeconds++) {
    await sleep(1000);
    if (called() > seen) silentSeconds = 0;
    seen = called();
  }
  return tasks - called();
}

await contend<PeerParams>(async ({ peer, tasks }): Promise<Figures> => {
  const { register }: { register: Register } = await import(`./peers/${peer}.ts`);
  const dueAt = Math.ceil((Date.now() + leadMs(tasks)) / 1000) * 1000;
  const at = new Date(dueAt);
  const expression = `${at.getSeconds()} ${at.getMinutes()} ${at.getHours()} * * *`;
  let called = 0;
  let lastCallAt = 0;
  const call = (): void => {
    called++;
    lastCallAt = wallClock();
  };
  const before = await liveBytes();
  const startedAt = wallClock();
  const jobs = Array.from({ length: tasks }, () => register(expression, call));
  const initializeMs = wallClock() - startedAt;
  if (Date.now() > dueAt) throw new Error('the registrations took longer than the time that was left');
  const heapBytes = ((await liveBytes()) - before) / tasks;
  await sleep(dueAt - Date.now());
  const missed = await missedOf(tasks, () => called);
  for (const job of jobs) job.stop();
  return { initializeMs, heapBytes, lastStartMs: lastCallAt - dueAt, missed };
});
