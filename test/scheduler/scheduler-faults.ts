/**
 * Faults planted one by one into the scheduler and its core that worlds do not find: each costs time, memory or a turn, or shows only at one
 * moment of a stop. The test that finds each is named.
 */
import type { PlantedFault } from '../faults/fault.ts';

const guarded = [
  'scheduler/reload.test.ts',
  'I6 a list that would forget more than half of ten or more stored tasks is refused, names them, and changes nothing',
] as const;

export const SCHEDULER_FAULTS: readonly PlantedFault[] = [
  {
    name: 'A11 on the test clock, alarms of one instant ring in no order',
    in: 'MovedClock.#next',
    find: 'alarm.order < first.order',
    replace: 'alarm.order > first.order',
    foundBy: [
      'testing/clock.test.ts',
      'A11 what is to happen at one instant happens in the order in which it was asked for',
    ],
  },
  {
    name: 'E6 on the test clock, a process that dies while it opens a store keeps it',
    in: 'TestStore.#openOnce',
    find: 'if (!life.isAlive) await session.close();',
    foundBy: ['testing/crash.test.ts', 'E6 a store that a process was opening when it died is free'],
  },
  {
    name: 'H4 a due is too old at the very millisecond of its limit',
    in: 'Tasks.#isInTime',
    find: 'now - dueAt <=',
    replace: 'now - dueAt <',
    foundBy: [
      'core/tasks.test.ts',
      'H4 a due is in time to the millisecond of its limit, and too old right after it',
    ],
  },
  {
    name: 'F4 H5 an orphan forgets that the due it was serving was moved',
    in: 'Tasks.#isNewer',
    find: '+ this.#offset(task)',
    foundBy: [
      'core/tasks.test.ts',
      'F4 H5 an orphan whose moved due comes again, after a clock was set back, is the same work',
    ],
  },
  {
    name: 'E2 the minute of a first coming goes on across a change of the clock',
    in: 'cursorOfFirstComing',
    find: '&& zone.at(start - 1).offset === offset',
    foundBy: [
      'core/first-coming.test.ts',
      'E2 B1 where a clock changed within the minute, it stands right before the change',
    ],
  },
  {
    name: 'I3 a start that a resume catches up is called late',
    in: 'Pauses.resume',
    find: 'owed.freed(task, now);',
    foundBy: [
      'scheduler/controls.test.ts',
      'I3 G4 what a resume catches up is owed from the resume on: the start is not late',
    ],
  },
  {
    name: 'I3 H10 a paused task goes on if its list lets it begin again',
    in: 'Planner.#firstComing',
    find: 'if (pausedAt !== null) this.tasks.pause(task, pausedAt);',
    foundBy: [
      'scheduler/controls.test.ts',
      'I3 H10 a paused task stays paused through a list that lets it begin again',
    ],
  },
  {
    name: 'I3 H9 the run of a paused task is replaced',
    in: 'Dues.#dueWhileRunning',
    find: 'if (!this.#tasks.isPaused(task))',
    foundBy: ['scheduler/controls.test.ts', 'I3 H9 a due does not replace the run of a paused task'],
  },
  {
    name: 'E8 trouble that the store has found by itself is over when it was read',
    in: 'Writer.#lookThenSend',
    find: '!isEmpty(batch) &&',
    foundBy: [
      'scheduler/store-trouble.test.ts',
      'E8 trouble that the store has found by itself is over when the store has written something, not when it was read',
    ],
  },
  {
    name: 'the pauses stay long after trouble has ended',
    in: 'Writer.#answered',
    find: 'this.#backoff.reset();',
    foundBy: [
      'scheduler/trouble.test.ts',
      'E8 when trouble begins again after it has ended, the pauses are short again',
    ],
  },
  {
    name: 'the clock is not looked at between two slices of calls',
    in: 'Caller.#deferSlice',
    find: 'this.#ports.readClock();',
    foundBy: [
      'scheduler/slices.test.ts',
      'B5 a clock that is set between two slices of calls is noticed before the next call',
    ],
  },
  {
    name: 'a task whose record was gone starts when the record is back',
    in: 'Tasks.reasonToRun',
    find: '(UNLISTED | GONE)',
    replace: 'UNLISTED',
    foundBy: [
      'scheduler/record-gone.test.ts',
      'E7 a record that is put back by hand counts from the next initialize on',
    ],
  },
  {
    name: 'a stop that has failed goes on writing',
    in: 'FinalWrite.settle',
    find: 'writer.abandon();',
    foundBy: [
      'scheduler/lifecycle-final-write.test.ts',
      'D7 a store that failsBefore: stop rejects after finalWrite, not before, and lets go of everything',
    ],
  },
  {
    name: 'the timer of the final write goes on after the stop',
    in: 'FinalWrite.settle',
    find: 'this.#timer?.cancel(); this.#timer = undefined;',
    foundBy: [
      'scheduler/lifecycle-final-write.test.ts',
      'D7 a store that recovers in time: stop resolves, and the end is durable',
    ],
  },
  {
    name: 'a deadline that was overtaken puts its task into the queue',
    in: 'Retries.advance',
    find: 'if (this.#tasks.retryOf(owner) <= now)',
    foundBy: [
      'core/retries.test.ts',
      'X4 a deadline that was overtaken puts no task into the queue; the one that stands does',
    ],
  },
  {
    name: 'deadlines that were overtaken pile up',
    in: 'Retries.add',
    find: 'if (this.#deadlines.size > 2 * this.#tasks.count + 64) this.gather();',
    foundBy: [
      'core/retries.test.ts',
      'A7 deadlines that were overtaken are dropped before they pile up; those that stand are not',
    ],
  },
  {
    name: 'starts do not wait for ends that do not fit into a batch',
    in: 'Outbox.mayStart',
    find: 'this.#ends.length <= 1',
    replace: 'true',
    foundBy: ['scheduler/outbox.test.ts', 'A4 starts wait while more ends wait than go into one batch'],
  },
  {
    name: 'K2 a move names the version that its record has after the claim of the same batch',
    in: 'Outbox.#takeMoves',
    find: 'isClaimed(task) ? 2 : 1',
    replace: 'isClaimed(task) ? 1 : 1',
    foundBy: [
      'scheduler/outbox.test.ts',
      'K2 a move names the version that the record has when the store comes to it, whatever is in the same batch',
    ],
  },
  {
    name: 'moves overtake ends that do not fit into a batch',
    in: 'Outbox.#takeMoves',
    find: 'if (waiting.has(task)) continue;',
    foundBy: [
      'scheduler/outbox.test.ts',
      'A4 B5 a move is written no earlier than the end of its task, and together with it',
    ],
  },
  {
    name: 'starts that were taken back count as written without a look',
    in: 'isApplied',
    find: 'isShown(unstarts, showsUnstart) &&',
    foundBy: [
      'scheduler/outbox.test.ts',
      'E9 a start that was taken back counts as written only if the record shows it',
    ],
  },
  {
    name: 'nobody guards removals',
    in: 'makePlanDurable',
    find: 'if (options.guardRemovals) checkRemovals(plan);',
    foundBy: guarded,
  },
  {
    name: 'a list that forgets half is refused',
    in: 'forgetsMost',
    find: 'removes.length > stored / 2',
    replace: 'removes.length >= stored / 2',
    foundBy: guarded,
  },
  {
    name: 'few tasks are guarded, too',
    in: 'forgetsMost',
    find: 'stored >= GUARDED &&',
    foundBy: guarded,
  },
  {
    name: 'without a logger every failure is a line',
    in: 'FailureLog.failed',
    find: '!this.#isSparing || isDoubled',
    replace: 'true',
    foundBy: [
      'scheduler/failures-heard.test.ts',
      'H8 without a logger: the first failure, those at which their number has doubled, and the recovery',
    ],
  },
  {
    name: 'without a logger nothing is heard',
    in: 'settleOptions',
    find: 'lastResort',
    replace: 'silent',
    foundBy: [
      'scheduler/failures-heard.test.ts',
      'H8 without a logger: given-up work, a timeout that is not obeyed, and store trouble are heard',
    ],
  },
  {
    name: 'a recovery is not heard',
    in: 'FailureLog.recovered',
    find: 'this.#logger.error(line)',
    replace: 'return',
    foundBy: [
      'scheduler/failures-heard.test.ts',
      'H8 without a logger: the first failure, those at which their number has doubled, and the recovery',
    ],
  },
  {
    name: 'with a logger failures are left out',
    in: 'FailureLog.failed',
    find: 'if (!isSaid) return;',
    replace: 'if (!isDoubled) return;',
    foundBy: [
      'scheduler/failures-heard.test.ts',
      'H8 with a logger each failure is one line at error, and a recovery one at info',
    ],
  },
  {
    name: 'logger: false is taken for none',
    in: 'settleOptions',
    find: 'silent',
    replace: 'lastResort',
    foundBy: ['scheduler/failures-heard.test.ts', 'H8 logger: false is silence'],
  },
  {
    name: 'a very late start is not heard',
    in: 'FailureLog.late',
    find: 'lateMs <= VERY_LATE_MS',
    replace: 'lateMs >= VERY_LATE_MS',
    foundBy: ['scheduler/failures-heard.test.ts', 'H8 a start that is more than a minute late is a line'],
  },
  {
    name: 'a preview leaves out what was asked for',
    in: 'plan',
    find: "if (owner !== 'held') takeIn(requests, planned, at);",
    foundBy: [
      'scheduler/plan-preview.test.ts',
      'I2 I3 counts what was asked for since the last scheduler ran',
    ],
  },
  {
    name: 'a preview takes a file that a start refuses',
    in: 'lookInto',
    find: 'if (refusal !== undefined) throw refusal;',
    foundBy: ['scheduler/plan-preview.test.ts', 'E6 a file with two names is refused, as a start refuses it'],
  },
  {
    name: 'G1 the first line of a refused list has no place, and no way out',
    in: 'placed',
    find: 'error.headline',
    replace: 'error.message',
    foundBy: [
      'core/registration-place.test.ts',
      'an error of task() says the task, and its message is that of the parser',
    ],
  },
  {
    name: 'G1 a cause is written by its name and once more in the error that quotes it',
    in: 'describeInto',
    find: 'isOfLibrary(error) &&',
    replace: 'false &&',
    foundBy: [
      'text/describe-error.test.ts',
      'G1 a cause of ours that an error of ours quotes is not written again, and what is below it is',
    ],
  },
  {
    name: 'G1 the details have the cause among what is enumerated, so that Node prints it twice',
    in: 'ObbligatoError',
    find: 'hide({ ...details }, holder)',
    replace: '({ ...details, ...holder })',
    foundBy: ['errors-printed.test.ts', 'each cause is printed once, and so is each particular'],
  },
  {
    name: 'A13 withTimeout takes the signal in the name of its callback',
    in: 'withTimeout',
    find: 'const clock = clockIn(context)',
    replace: 'const clock = clockIn({ ...context })',
    foundBy: ['scheduler/interrupted.test.ts', 'A13 a wrapper of ours takes it only if the callback does'],
  },
  {
    name: 'I5 B5 what a list changes is not judged by a clock that was set back',
    in: 'EditEffects.inForce',
    find: 'of applied.judged)',
    replace: 'of [] as [number, number][])',
    foundBy: [
      'scheduler/reload-doubt.test.ts',
      'I5 B5 a clock that was set back is judged again by a list that changes the expression',
    ],
  },
  {
    name: 'I5 a name that goes is forgotten before the end of its run is written',
    in: 'Planner.#planKnown',
    find: '|| living.ending.has(task)',
    foundBy: [
      'scheduler/reload-doubt.test.ts',
      'I5 a name goes while the end of its run waits for the store: the end is written, and then the name is forgotten',
    ],
  },
  {
    name: 'A13 a name that a list has left out is forgotten when a stop interrupts its run',
    in: 'EditEffects.forgetLeft',
    find: '&& tasks.runOf(task) === null',
    foundBy: [
      'scheduler/interrupted.test.ts',
      'A13 I5 of a name that a list has left out stays for the next initialize',
    ],
  },
  {
    name: 'A13 the oracle counts an attempt that a stop has interrupted',
    in: 'Tasks.#ends',
    find: 'Math.max(history.attempt - 1, 0)',
    replace: 'history.attempt',
    foundBy: [
      'theory/interrupted.test.ts',
      'A13 H2 the attempt after it is the same one: when it fails, one more is owed',
    ],
  },
  {
    name: 'A13 the oracle lets a cluster forget what one instance has interrupted',
    in: 'Lives.interrupted',
    find: 'tasks.own(task, goesOn(tasks, tasks.slices.of(task.past)), ledger.now);',
    foundBy: ['theory/interrupted.test.ts', 'A13 K9 while other instances go on it is owed at once'],
  },
];
