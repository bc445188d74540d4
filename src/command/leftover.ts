/** Programs that outlived their scheduler: ended, the whole group of each, before their task is started again (F2). */
import { setTimeout as wait } from 'node:timers/promises';
import { describeError } from '../text/describe-error.ts';
import { CommandLeftoverError } from './errors.ts';
import { findMemos, removeMemo } from './memo.ts';
import { isAlive, isLeft, type StartedProgram, signalProgram } from './process-table.ts';

/** There is no event for the end of a process that is not our child, so we poll. */
const LOOK_EVERY_MS = 20;
/** SIGKILL cannot be refused, but a process may hang in the kernel, on a network drive for instance. */
const KILLED_WITHIN_MS = 5000;

/** Resolves when no program of a task is left of any dead scheduler; rejects if one cannot be ended. */
export async function endLeftovers(folder: string, task: string, graceMs: number): Promise<void> {
  for (const { path, memo } of await findMemos(folder, task)) {
    if (memo === undefined) {
      throw new CommandLeftoverError(
        task,
        0,
        `what was remembered of it in "${path}" cannot be read; make sure that it has ended, then delete the file`,
      );
    }
    if (isAlive(memo.owner)) continue;
    await endProgram(task, memo.program, graceMs);
    await removeMemo(path);
  }
}

async function endProgram(task: string, program: StartedProgram, graceMs: number): Promise<void> {
  try {
    signalProgram(program, 'SIGTERM');
    if (await endsWithin(program, graceMs)) return;
    signalProgram(program, 'SIGKILL');
    if (await endsWithin(program, KILLED_WITHIN_MS)) return;
  } catch (error) {
    const reason = `it cannot be ended (${describeError(error).message})`;
    throw new CommandLeftoverError(task, program.pid, reason, error);
  }
  throw new CommandLeftoverError(task, program.pid, 'it has not ended, although it was sent SIGKILL');
}

async function endsWithin(program: StartedProgram, limitMs: number): Promise<boolean> {
  const began = performance.now();
  while (isLeft(program)) {
    if (performance.now() - began > limitMs) return false;
    await wait(LOOK_EVERY_MS);
  }
  return true;
}
