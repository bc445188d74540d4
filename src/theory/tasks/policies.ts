/** What policies (H) and operators (I) do to tasks: dues that are skipped, requests, pauses. */
import type { RecordOf, TraceRecord } from '../../trace/record.ts';
import { type Enlisted, isSameRegistration } from '../calendar/valid-list.ts';
import { bits } from '../logic/atoms.ts';
import { probes } from '../logic/compiled.ts';
import { type Past, perhapsStored, skipsWhileRunning, type Task } from './task.ts';
import type { Tasks } from './tasks.ts';

/** The scheduler says that it skips a due, or what an operator asked for is done or taken in. Answers whether the record is one of these. */
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
    const { group, history } = past;
    const isRunning = tasks.slices.says(past, probes.running);
    const schedule = why === 'running' ? history.startedAs?.schedule : group.schedule;
    if (schedule?.matcher?.previous(now, dueAt - 1) !== dueAt) return false;
    if (why === 'running') return isRunning && dueAt > history.servedTo && skipsWhileRunning(history);
    return !isRunning && now - dueAt > (group.rules.startWithinMs ?? Number.POSITIVE_INFINITY);
  };
  skipped(tasks, task, isRightful, now);
}

/** The scheduler says that it skips a due of a task (H4, H9). That changes nothing: whether a due is skipped follows from the registration and from instants. */
export function skipped(tasks: Tasks, task: Task, isRightful: (past: Past) => boolean, now: number): void {
  const letterOf = (past: Past): number =>
    tasks.automaton.letter(bits.DueSkipped | (isRightful(past) ? bits.Rightful : 0));
  tasks.pasts.admit(task, letterOf);
  const letters = task.pasts.map(letterOf);
  tasks.slices.begin();
  for (const [i, past] of task.pasts.entries()) tasks.slices.see(past, letters[i], now);
  tasks.pasts.merge(task);
}

/** A task is paused (I3). */
function pause(tasks: Tasks, task: Task, now: number): void {
  for (const past of task.pasts) past.history.mayBeClaimed = tasks.slices.says(past, probes.waits);
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
  if (!catchUp) for (const past of task.pasts) passed(past, now);
  const possible = onTheirWay.filter(({ origin }) => task.pasts.includes(origin));
  pasts.addAll(possible, now);
  pasts.merge(task);
}

/** The dues up to an instant count as served. A crash may find that the store does not know. */
export function passed({ history }: Past, upTo: number): void {
  if (upTo <= history.servedTo) return;
  history.stored = perhapsStored(history);
  history.servedTo = upTo;
  history.isFirstComing = false;
}

/** Whether a registration takes the place of another one, and says that its task begins again (H10). */
export const isResetBy = (enlisted: Enlisted | undefined, before: Enlisted | undefined): boolean =>
  enlisted?.policy?.onOverride === 'reset' && before !== undefined && !isSameRegistration(enlisted, before);
