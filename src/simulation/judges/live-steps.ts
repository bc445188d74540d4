/** What a clock that was set back does to a task of a living process (B5). */
import type { TaskRecord } from '../../core/record.ts';
import type { LiveTask } from './live-task.ts';
import { afterStep } from './rules.ts';
import { moveOf, moveText } from './texts.ts';
import type { Unwritten } from './unwritten.ts';

/** The scheduler has noticed at `now` that the clock was set back. It landed at `landedAt` and has gone on since. */
export function setBack(task: LiveTask, landedAt: number, now: number, unwritten: Unwritten): void {
  if (task.refusedAt !== undefined) task.refusedAt = Math.min(task.refusedAt, landedAt);
  task.mayBeQueued = true;
  const moved = (record: TaskRecord): TaskRecord => afterStep(record, record.cron, now);
  if (task.phase === 'running') {
    const servedThrough = task.cursorAtEnd ?? task.record.servedThrough;
    task.cursorAtEnd = moved({ ...task.record, servedThrough }).servedThrough;
    return;
  }
  const before = task.claim?.before ?? task.record;
  const after = moved(before);
  if (moveText(moveOf(before)) === moveText(moveOf(after))) return;
  if (task.claim !== undefined) task.claim = { ...task.claim, before: after, isMoved: true };
  else {
    task.record = after;
    unwritten.move(after);
  }
}
