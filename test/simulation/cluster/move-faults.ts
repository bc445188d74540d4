/** Faults of moves: by an old list, back to where the cursor was, and decided again by what decided them before. */
import type { PlantedFault } from '../../faults/fault.ts';
import { keptWorld } from './cluster-faults.ts';

export const MOVE_FAULTS: readonly PlantedFault[] = [
  {
    name: 'K5 a move that old configurations have decided is granted',
    in: 'grantsTo',
    find: '(knows || change.isByList !== true) &&',
    foundBy: keptWorld('a due was skipped under the list of before, when another one counted already'),
  },
  {
    name: 'K2 a move takes the cursor back that another instance has moved further',
    in: 'grantsTo',
    find: '&& !goesBack(record, change, now)',
    foundBy: keptWorld(
      'two instances skipped dues as too old, by one list after the other: the later move took the cursor back',
    ),
  },
  {
    name: 'K2 a move that was refused for its cursor waits as if its list were old',
    in: 'SharedView.movesRefused',
    find: '&& !goesBack(record, move, now)',
    foundBy: [
      'store/sharing/refused-moves.test.ts',
      'K2 one that was refused because another instance has moved the cursor further is decided again at once',
    ],
  },
  {
    name: 'K5 a move that was refused for its list is decided by the same list again, at once',
    in: 'SharedView.refused',
    find: '&& !this.#outdated.has(task)',
    foundBy: [
      'store/sharing/refused-moves.test.ts',
      'K5 a move that was refused for its list is decided again after a while, and not at once by the same list',
    ],
  },
  {
    name: 'K9 a skip that its instance hears of late counts once more',
    in: 'PassedDues.skipped',
    find: '|| isLateWord',
    foundBy: keptWorld('a skip that its instance heard of when another one had skipped a later due'),
  },
  {
    name: 'K9 a skip of a due that was over when it was decided is taken for one that is heard of late',
    in: 'PassedDues.skipped',
    find: '&& decidedAt <= passed.at',
    foundBy: [
      'trace/merge-told-twice.test.ts',
      'H4 K9 an instance hears late that its skip was granted: what is over by then is not skipped again',
    ],
  },
  {
    name: 'H9 K2 a due during a run of the list before is said to be skipped before the store has granted that',
    in: 'CursorMoves.skip',
    find: 'undefined',
    replace: "undefined || why === 'running'",
    foundBy: keptWorld(
      'another instance started for a due before the instance of the run before heard that its end was stored: the due was said to be skipped',
    ),
  },
  {
    name: 'H9 I5 a due during a run of a name that its instance has dropped is left to the others',
    in: 'Engine.#isLeft',
    find: 'this.#dues.cluster === undefined || !this.#handover.hasDropped(this.#tasks.nameOf(task))',
    replace: 'true',
    foundBy: [
      'scheduler/shared-skips.test.ts',
      'H9 I5 a due during a run of a name that its instance has dropped is skipped, since the others have the name',
    ],
  },
  {
    name: 'H9 I5 what was skipped during a run of the list before is stored after the end of the run',
    in: 'Retired.add',
    find: 'this.#inForce?.endsElsewhere(name)',
    replace: '(name === undefined ? 0 : undefined)',
    foundBy: keptWorld(
      'a due was skipped during a run of the list before: another instance started for it when the end was stored, and the skip was not',
    ),
  },
  {
    name: 'H9 I5 a due that came before the list which skips it is skipped after the end of the run is stored',
    in: 'Dues.endsElsewhere',
    find: "whileRunning === 'skip' && lastDue > this.#tasks.cursorOf(task)",
    replace: "whileRunning !== 'skip' && lastDue < this.#tasks.cursorOf(task)",
    foundBy: [
      'scheduler/shared-skips.test.ts',
      'H9 I5 a due that came before the list which skips it is skipped with the end of the run, too',
    ],
  },
  {
    name: 'H9 I5 a due during a run of a name that was dropped is skipped by the list of before, though a later list has the name',
    in: 'Retired.add',
    find: 'this.#heir?.has(name) === false',
    replace: 'this.#heir !== undefined && name !== undefined',
    foundBy: [
      'scheduler/shared-skips.test.ts',
      'H9 I5 nothing is skipped of a name that its instance has dropped and brought back: the list in force decides',
    ],
  },
  {
    name: 'B5 K6 a deadline by a clock that is measured ahead is taken for one of a clock that was set back',
    in: 'Planner.plan',
    find: 'AHEAD_MS',
    replace: '0 * AHEAD_MS',
    foundBy: keptWorld(
      'a retry was set by a clock that was measured ahead: the next instance took that for a clock that was set back',
    ),
  },
];
