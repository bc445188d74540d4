/** What policies (H) and operators (I) do to tasks: skips, requests, pauses, and when a retry comes. */
import type { RecordOf, TraceRecord } from '../../trace/record.ts';
import { type Enlisted, isSameRegistration } from '../calendar/valid-list.ts';
import { bits } from '../logic/atoms.ts';
import { probes } from '../logic/compiled.ts';
import { type Past, perhapsStored, type Task } from './task.ts';
import type { Tasks } from './tasks.ts';

/** A due is skipped, or what an operator asked for is done or taken in. Answers whether the record is one of these. */
export function applyPolicy(tasks: Tasks, record: TraceRecord, now: number): boolean {
  switch (record.event) {
    case 'DueSkipped':
      skip(tasks, record, now);
      return true;
    case 'RunRequested':
      tasks.own(tasks.task(record.task), bits.Requested, now);
      return true;
    case 'Paused':
      pause(tasks, tasks.task(record.task), now);
      return true;
    case 'Resumed':
      resume(tasks, tasks.task(record.task), record.catchUp, now);
      return true;
    case 'CancelRequested':
      tasks.task(record.task).isCancelled = true;
      return true;
    default:
      return false;
  }
}

function skip(tasks: Tasks, { task: name, dueAt, why }: RecordOf<'DueSkipped'>, now: number): void {
  const task = tasks.task(name);
  const isRightful = (past: Past): boolean => {
    const { matcher, rules } = past.group;
    if (matcher === undefined || matcher.previous(now, dueAt - 1) !== dueAt) return false;
    if (why === 'late') return now - dueAt > (rules.startWithinMs ?? Number.POSITIVE_INFINITY);
    const isDuringRun = tasks.slices.says(past, probes.running) || dueAt <= task.endedAt;
    return rules.whileRunning === 'skip' && dueAt > past.history.servedTo && isDuringRun;
  };
  skipped(tasks, task, isRightful, dueAt, now);
}

/** A due of a task is skipped, and all that came before it (H4, H9). */
export function skipped(
  tasks: Tasks,
  task: Task,
  isRightful: (past: Past) => boolean,
  dueAt: number,
  now: number,
): void {
  const letterOf = (past: Past): number =>
    tasks.automaton.letter(bits.DueSkipped | bits.Passed | (isRightful(past) ? bits.Rightful : 0));
  tasks.pasts.admit(task, letterOf);
  const letters = task.pasts.map(letterOf);
  tasks.slices.begin();
  for (const [i, past] of task.pasts.entries()) {
    tasks.slices.see(past, letters[i], now);
    passed(tasks, past, Math.min(dueAt, now), now);
  }
  tasks.pasts.merge(task);
}

/** A task is paused (I3). */
function pause(tasks: Tasks, task: Task, now: number): void {
  for (const past of task.pasts) past.history.mayBeClaimed = tasks.slices.says(past, probes.pending);
  tasks.own(task, bits.Pause, now);
}

/** A paused task goes on, and without catching up it counts as served up to now (I3). A start that was on its way may still come (A2). */
export function resume(tasks: Tasks, task: Task, catchUp: boolean, now: number): void {
  const { automaton, pasts } = tasks;
  tasks.resumedTasks.add(task);
  const onTheirWay = pasts.instead(task.pasts, (past) => {
    const state = automaton.seeing(automaton.undemanded(past.state), bits.Resume);
    return past.mayBeClaimed && !catchUp ? [{ ...past, state }] : [];
  });
  tasks.own(task, bits.Resume | (catchUp ? 0 : bits.Passed), now);
  if (!catchUp) for (const past of task.pasts) passed(tasks, past, now, now);
  const possible = onTheirWay.filter(({ origin }) => task.pasts.includes(origin));
  pasts.addAll(possible, now);
  pasts.merge(task);
}

/** The dues up to an instant count as served. A crash may find that the store does not know. */
function passed(tasks: Tasks, past: Past, upTo: number, now: number): void {
  const { history } = past;
  if (upTo <= history.servedTo) return;
  history.stored = perhapsStored(history);
  history.servedTo = upTo;
  history.isFirstComing = false;
  // A skip that leaves a later due is not rightful, and leaves it all the same.
  if (past.group.dueAfter(upTo) <= now) tasks.reader.readAgain(past, now);
}

/** Whether a registration takes the place of another one, and says that its task begins again (H10). */
export const isResetBy = (enlisted: Enlisted | undefined, before: Enlisted | undefined): boolean =>
  enlisted?.policy?.onOverride === 'reset' && before !== undefined && !isSameRegistration(enlisted, before);
