/**
 * Faults planted one by one into the scheduler and its core that worlds do not find: each costs time, memory or a turn, or shows only at one
 * moment of a stop. The test that finds each is named.
 */
import type { PlantedFault } from '../planted-fault.ts';

export const SCHEDULER_FAULTS: readonly PlantedFault[] = [
  {
    name: 'the pauses stay long after trouble has ended',
    file: 'scheduler/writer.ts',
    find: '    this.#inTrouble = false;\n    this.#backoff.reset();\n',
    replace: '    this.#inTrouble = false;\n',
    foundBy: [
      'scheduler/trouble.test.ts',
      'E8 when trouble begins again after it has ended, the pauses are short again',
    ],
  },
  {
    name: 'the clock is not looked at between two slices of calls',
    file: 'scheduler/caller.ts',
    find: '      this.#ports.readClock();\n',
    replace: '',
    foundBy: [
      'scheduler/slices.test.ts',
      'B5 a clock that is set between two slices of calls is noticed before the next call',
    ],
  },
  {
    name: 'a failed stop forgets the moves that were on their way',
    file: 'scheduler/unwritten.ts',
    find: 'const kept = [...moves, ...later.moves]',
    replace: 'const kept = [...later.moves]',
    foundBy: [
      'scheduler/lifecycle-final-write.test.ts',
      'D7 B5 a cursor that a clock step has moved stays moved, although the store never took the move',
    ],
  },
  {
    name: 'a move that a failed stop left behind moves a task that begins anew',
    file: 'scheduler/unwritten.ts',
    find: '    for (const task of fresh) isOver.add(tasks.nameOf(task));\n',
    replace: '',
    foundBy: [
      'scheduler/lifecycle-unwritten.test.ts',
      'D7 H10 a move that the store never took does not move a task that begins anew',
    ],
  },
  {
    name: 'the timer of the final write goes on after the stop',
    file: 'scheduler/final-write.ts',
    find: '      this.#timer?.cancel();\n      const { trouble } = writer;\n',
    replace: '      const { trouble } = writer;\n',
    foundBy: [
      'scheduler/lifecycle-final-write.test.ts',
      'D7 a store that recovers in time: stop resolves, and the end is durable',
    ],
  },
  {
    name: 'a deadline that was overtaken puts its task into the queue',
    file: 'core/retries.ts',
    find: 'if (this.#tasks.retryOf(owner) <= now) tell(owner);',
    replace: 'tell(owner);',
    foundBy: [
      'core/retries.test.ts',
      'X4 a deadline that was overtaken puts no task into the queue; the one that stands does',
    ],
  },
  {
    name: 'deadlines that were overtaken pile up',
    file: 'core/retries.ts',
    find: 'if (this.#deadlines.size > 2 * this.#tasks.count + 64) this.gather();',
    replace: '',
    foundBy: [
      'core/retries.test.ts',
      'A7 deadlines that were overtaken are dropped before they pile up; those that stand are not',
    ],
  },
  {
    name: 'starts do not wait for ends that do not fit into a batch',
    file: 'scheduler/outbox.ts',
    find: 'return this.#ends.length <= 1;',
    replace: 'return true;',
    foundBy: ['scheduler/outbox.test.ts', 'A4 starts wait while more ends wait than go into one batch'],
  },
  {
    name: 'moves overtake ends that do not fit into a batch',
    file: 'scheduler/outbox.ts',
    find: 'this.#ends.length === 0 ? this.#takeMoves() : []',
    replace: 'this.#takeMoves()',
    foundBy: [
      'scheduler/outbox.test.ts',
      'A4 B5 a move is written no earlier than the ends that waited before it',
    ],
  },
  {
    name: 'starts that were taken back count as written without a look',
    file: 'scheduler/read-back.ts',
    find: '    isShown(unstarts, showsUnstart) &&\n',
    replace: '',
    foundBy: [
      'scheduler/outbox.test.ts',
      'E9 a start that was taken back counts as written only if the record shows it',
    ],
  },
];
