/** Faults of moves: by an old list, back to where the cursor was, and decided again by what decided them before. */
import type { PlantedFault } from '../../faults/fault.ts';
import { keptWorld } from './cluster-faults.ts';

export const MOVE_FAULTS: readonly PlantedFault[] = [
  {
    name: 'K5 a move that old configurations have decided is granted',
    in: 'grantsTo',
    find: '(knows || change.isByList !== true) &&',
    foundBy: [
      'store/cluster/moves.test.ts',
      'K5 a move that a list has decided is refused once another list counts, with what follows it',
    ],
  },
  {
    name: 'K2 a move takes the cursor back that another instance has moved further',
    in: 'grantsTo',
    find: '&& !goesBack(record, change, now)',
    foundBy: [
      'store/cluster/moves.test.ts',
      'K2 no move takes a cursor back that another instance has moved further',
    ],
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
    name: 'I3 I5 a resume during a run of the list before is not stored with its end',
    in: 'Retired.add',
    find: 'this.#inForce?.cursorOfBusy(name)',
    replace: '(name === undefined ? 0 : undefined)',
    foundBy: [
      'scheduler/shared-skips.test.ts',
      'I3 I5 a resume during a run of the list before is stored with the end of the run: no other instance can start for what it lets pass',
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
