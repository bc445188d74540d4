/** Faults of the decision, a line each; the exploration must refute every one. */
import { type Entry, even, every, MINUTE_MS, odd, type Subject, shipped } from './instance.ts';
import { type Edit, plant } from './plant.ts';

export interface Fault extends Edit {
  readonly name: string;
}

const tasks = 'src/core/tasks.ts';
const plan = 'src/core/plan.ts';
const overlay = 'src/store/overlay.ts';

export const faults: readonly Fault[] = [
  {
    name: 'A9: a due at the very instant of a start is served again',
    file: tasks,
    from: 'if (lastDue > this.#numbers[numbersOf(task) + NUMBER.servedThrough])',
    to: 'if (lastDue >= this.#numbers[numbersOf(task) + NUMBER.servedThrough])',
  },
  {
    name: 'A9: a due at the very instant of the first coming is not owed',
    file: plan,
    from: 'tasks.firstComing(task, cursors.of(task));',
    to: 'tasks.firstComing(task, cursors.of(task) + 1);',
  },
  {
    name: 'A7: a retry is not due at its deadline, but after it',
    file: tasks,
    from: 'this.#failures.retryAt(task) <= now',
    to: 'this.#failures.retryAt(task) < now',
  },
  {
    name: 'A3: a start leaves the retry waiting',
    file: tasks,
    from: 'this.#failures.called(task);',
    to: '',
  },
  {
    name: 'A3: a start leaves the mark of an orphan',
    file: tasks,
    from: '(bytes[flagsAt] & PAUSED) | RUNNING;',
    to: '(bytes[flagsAt] & (PAUSED | ORPHANED)) | RUNNING;',
  },
  {
    name: 'A3: a start does not move the cursor',
    file: tasks,
    from: 'this.#numbers[numbersOf(task) + NUMBER.servedThrough] = calledAt;',
    to: '',
  },
  {
    name: 'A5: a due while running is lost at the end of the run',
    file: tasks,
    from: 'cells[row + ROW.endedAt] = endedAt;',
    to: 'cells[row + ROW.endedAt] = endedAt; this.#numbers[numbersOf(task) + NUMBER.servedThrough] = endedAt;',
  },
  {
    name: 'A5: a due while running is lost in the store',
    file: overlay,
    from: 'servedThrough: calledAt,',
    to: 'servedThrough: endedAt,',
  },
  {
    name: 'A6: a retry waits for the delay of the wrong moment',
    file: tasks,
    from: 'this.#failures.failed(task, endedAt,',
    to: 'this.#failures.failed(task, this.#numbers[numbersOf(task) + NUMBER.servedThrough],',
  },
  {
    name: 'T2: the store keeps the retry of an older failure',
    file: overlay,
    from: 'pendingRetryUntil: end.pendingRetryUntil,',
    to: 'pendingRetryUntil: end.pendingRetryUntil ?? record.pendingRetryUntil,',
  },
  {
    name: 'T1: boot-due in the first instant only',
    file: plan,
    from: 'tasks.firstComing(task, cursors.of(task));',
    to: 'tasks.firstComing(task, now - 1);',
  },
  {
    name: 'E2: the first coming does not move the cursor: the whole past is owed',
    file: plan,
    from: 'tasks.firstComing(task, cursors.of(task));',
    to: 'tasks.firstComing(task, now - 3_600_000);',
  },
  {
    name: 'E4: an override clears the history',
    file: plan,
    from: 'this.#isKnown[task] = 1;',
    to: 'if (record.cron !== this.#registrations[task].cron) return; this.#isKnown[task] = 1;',
  },
  {
    name: 'E4: an override forgets the retry',
    file: plan,
    from: 'const move = tasks.afterStep(',
    to: 'if (this.#delaysBefore.has(task)) moves.push({ ...tasks.moveCursor(task, tasks.stateOf(task).servedThrough), pendingRetryUntil: null }); const move = tasks.afterStep(',
  },
  {
    name: 'E4: an override forgets the retry in memory only',
    file: plan,
    from: 'this.tasks.fill(task, record);',
    to: 'this.tasks.fill(task, { ...record, pendingRetryUntil: null });',
  },
  {
    name: 'E4: the removed are not forgotten',
    file: plan,
    from: 'this.#removes.push(name);',
    to: '',
  },
  {
    name: 'E6: who was cut off by a crash is not marked',
    file: tasks,
    from: 'record.run === null ? 0 : ORPHANED',
    to: '0',
  },
  {
    name: 'A4: an orphan that is taken back at a stop is forgotten',
    file: tasks,
    from: 'this.#bytes[bytesOf(task) + BYTE.flags] &= ~CLAIMED;',
    to: 'this.#bytes[bytesOf(task) + BYTE.flags] = 0;',
  },
  {
    name: 'A6: an end leaves the run in the store',
    file: overlay,
    from: '    run: null,',
    to: '',
  },
  {
    name: 'A4: taking back does not reach the store',
    file: overlay,
    from: "change('unstart', batch.unstarts, apply.unstart);",
    to: '',
  },
  {
    name: 'D6: cursors stay behind when the minute rolls over under initialize',
    file: tasks,
    from: 'moveCursor(task: number, servedThrough: number): MoveChange {',
    to: 'moveCursor(task: number): MoveChange {\n    const servedThrough = this.#numbers[numbersOf(task) + NUMBER.servedThrough];',
  },
];

/** Small, and still every fault shows in it. */
export const faultLists: readonly (readonly Entry[])[] = [
  [],
  [['x', every, MINUTE_MS]],
  [['x', even, MINUTE_MS]],
  [['x', odd, 0]],
];

export async function subjectWith(edit: Edit): Promise<Subject> {
  return { ...shipped, ...(await plant(edit)) };
}
