/** What a request of an operator does to a task (I2–I4). */
import type { WrittenRecord } from '../../trace/record.ts';
import type { WorldTime } from './judge.ts';
import type { LiveTask } from './live-task.ts';
import type { Unwritten } from './unwritten.ts';
import type { Blame } from './violations.ts';

export type RequestRecord = Extract<
  WrittenRecord,
  { event: 'RunRequested' | 'Paused' | 'Resumed' | 'CancelRequested' }
>;

export function control(
  task: LiveTask,
  record: RequestRecord,
  time: WorldTime,
  unwritten: Unwritten,
  blame: Blame,
): void {
  const { name } = task.record;
  const isPaused = task.record.pausedAt !== null;
  switch (record.event) {
    case 'RunRequested':
      task.requestedSince ??= time.passed;
      if (task.refusedAt !== undefined && task.phase === 'idle') task.idleSince = time.passed;
      task.refusedAt = undefined;
      break;
    case 'Paused':
      if (isPaused) blame('I3', `${name} was paused twice`);
      setPaused(task, time.now, unwritten);
      break;
    case 'Resumed':
      if (!isPaused) blame('I3', `${name} was resumed, and was not paused`);
      setPaused(task, null, unwritten);
      if (!record.catchUp) passOver(task, time.now, unwritten);
      if (task.phase === 'idle') task.idleSince = time.passed;
      break;
    case 'CancelRequested':
      if (task.run === undefined) blame('I4', `${name} was cancelled while ${task.phase}`);
      else task.run.isCancelled = true;
  }
}

/** The flag belongs to the name, and nothing takes it back (I3). */
function setPaused(task: LiveTask, pausedAt: number | null, unwritten: Unwritten): void {
  task.record = { ...task.record, pausedAt };
  if (task.claim !== undefined) task.claim = { ...task.claim, before: { ...task.claim.before, pausedAt } };
  task.mayBeQueued = true;
  unwritten.pause(task.record);
}

/** What came due during the pause is not owed. */
function passOver(task: LiveTask, now: number, unwritten: Unwritten): void {
  if (task.phase === 'running') {
    task.cursorAtEnd = Math.max(task.cursorAtEnd ?? task.record.servedThrough, now);
    return;
  }
  const before = task.claim?.before ?? task.record;
  if (before.servedThrough >= now) return;
  const moved = { ...before, servedThrough: now };
  if (task.claim !== undefined) task.claim = { ...task.claim, before: moved, isMoved: true };
  else {
    task.record = moved;
    unwritten.move(moved);
  }
}
