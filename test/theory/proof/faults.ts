/** Faults of the decision, a line each; the exploration must refute every one. */
import type { Edit, Fault } from '../../faults/fault.ts';
import { type Entry, even, every, MINUTE_MS, odd, type Subject, shipped } from './instance.ts';
import { plant } from './plant.ts';

export const PROOF_FAULTS: readonly Fault[] = [
  {
    name: 'A9: a due at the very instant of a start is served again',
    in: 'Tasks.reasonToRun',
    find: 'lastDue > this.#numbers[numbersOf(task) + NUMBER.servedThrough]',
    replace: 'lastDue >= this.#numbers[numbersOf(task) + NUMBER.servedThrough]',
  },
  {
    name: 'A9: a due at the very instant of the first coming is not owed',
    in: 'Planner.plan',
    find: 'cursors.of(place)',
    replace: 'cursors.of(place) + 1',
  },
  {
    name: 'A7: a retry is not due at its deadline, but after it',
    in: 'Tasks.reasonToRun',
    find: 'this.#failures.retryAt(task) <= now',
    replace: 'this.#failures.retryAt(task) < now',
  },
  {
    name: 'A3: a start leaves the retry waiting',
    in: 'Tasks.call',
    find: 'this.#failures.called(task);',
  },
  {
    name: 'A3: a start leaves the mark of an orphan',
    in: 'Tasks.call',
    find: 'PAUSED',
    replace: '(PAUSED | ORPHANED)',
  },
  {
    name: 'A3: a start does not move the cursor',
    in: 'Tasks.call',
    find: 'this.#numbers[numbersOf(task) + NUMBER.servedThrough] = calledAt;',
  },
  {
    name: 'A5: a due while running is lost at the end of the run',
    in: 'Tasks.end',
    find: 'cells[row + ROW.endedAt] = endedAt;',
    replace:
      'cells[row + ROW.endedAt] = endedAt; this.#numbers[numbersOf(task) + NUMBER.servedThrough] = endedAt;',
  },
  {
    name: 'A5: a due while running is lost in the store',
    in: 'ended',
    find: 'end.servedThrough ?? calledAt',
    replace: 'endedAt',
  },
  {
    name: 'A6: a retry waits for the delay of the wrong moment',
    in: 'Tasks.end',
    find: 'this.#failures.failed(task, endedAt,',
    replace: 'this.#failures.failed(task, this.#numbers[numbersOf(task) + NUMBER.servedThrough],',
  },
  {
    name: 'T2: the store keeps the retry of an older failure',
    in: 'ended',
    find: 'pendingRetryUntil: end.pendingRetryUntil',
    replace: 'pendingRetryUntil: end.pendingRetryUntil ?? record.pendingRetryUntil',
  },
  {
    name: 'T1: boot-due in the first instant only',
    in: 'Planner.plan',
    find: 'cursors.of(place)',
    replace: 'now - 1',
  },
  {
    name: 'E2: the first coming does not move the cursor: the whole past is owed',
    in: 'Planner.plan',
    find: 'cursors.of(place)',
    replace: 'now - 3_600_000',
  },
  {
    name: 'E4: an override clears the history',
    in: 'Planner.add',
    find: 'this.#isKnown[place] = 1',
    replace: 'if (!this.#isStoredSo(place, record)) return; this.#isKnown[place] = 1',
  },
  {
    name: 'E4: an override forgets the retry',
    in: 'Planner.plan',
    find: 'const move = tasks.afterStep(',
    replace:
      'if (this.#delaysBefore.has(place)) moves.push({ ...tasks.moveCursor(task, tasks.stateOf(task).servedThrough), pendingRetryUntil: null }); const move = tasks.afterStep(',
  },
  {
    name: 'E4: an override forgets the retry in memory only',
    in: 'Planner.#addNew',
    find: 'this.tasks.fill(task, record)',
    replace: 'this.tasks.fill(task, { ...record, pendingRetryUntil: null })',
  },
  {
    name: 'E4: the removed are not forgotten',
    in: 'Planner.add',
    find: 'this.#removes.push(name);',
  },
  {
    name: 'E6: who was cut off by a crash is not marked',
    in: 'Tasks.fill',
    find: 'record.run === null ? 0 : ORPHANED',
    replace: '0',
  },
  {
    name: 'A4: an orphan that is taken back at a stop is forgotten',
    in: 'Tasks.unclaim',
    find: 'this.#bytes[bytesOf(task) + BYTE.flags] &= ~CLAIMED',
    replace: 'this.#bytes[bytesOf(task) + BYTE.flags] = 0',
  },
  {
    name: 'A6: an end leaves the run in the store',
    in: 'ended',
    find: ', run: null',
  },
  {
    name: 'A4: taking back does not reach the store',
    in: 'overlayOf',
    find: "change('unstart', batch.unstarts, apply.unstart);",
  },
  {
    name: 'D6: a first coming is a minute later than its plan',
    in: 'Planner.plan',
    find: 'new Cursors(registrations, now, zone)',
    replace: 'new Cursors(registrations, now + 60_000, zone)',
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
