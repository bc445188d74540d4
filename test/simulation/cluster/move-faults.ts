/** Faults of moves: by an old list, back to where the cursor was, and decided again by what decided them before. */
import type { PlantedFault } from '../../faults/fault.ts';
import { keptWorld } from './cluster-faults.ts';

export const MOVE_FAULTS: readonly PlantedFault[] = [
  {
    name: 'K2 a move is granted whatever version its record has',
    in: 'moved',
    find: 'if (!hasVersion(record, move)) return showsMove(record, move) ? record : undefined;',
    foundBy: [
      'store/cluster/moves.test.ts',
      'K2 of two moves that were decided by one record one is granted, and the same again is granted again',
    ],
  },
  {
    name: 'K2 what is written keeps its version',
    in: 'written',
    find: 'version: version + 1',
    replace: 'version',
    foundBy: [
      'store/cluster/decide.test.ts',
      'K2 a claim is refused after the run that served its due has ended',
    ],
  },
  {
    name: 'K5 what was refused for another configuration is decided by the old one again, at once',
    in: 'SharedView.refused',
    find: '&& !this.#outdated.has(task)',
    foundBy: [
      'store/sharing/refused-moves.test.ts',
      'K5 what was refused for another configuration is decided again after a while, and by no version of that',
    ],
  },
  {
    name: 'K5 an old configuration decides by the version of a new one',
    in: 'SharedView.#follow',
    find: 'isOutdated ||',
    foundBy: [
      'store/sharing/refused-moves.test.ts',
      'K5 what was refused for another configuration is decided again after a while, and by no version of that',
    ],
  },
  {
    name: 'I3 I5 a resume during a run of the list before is not stored with its end',
    in: 'CursorMoves.pass',
    find: 'if (this.isRunning(task)) this.#tasks.serve(task, upTo);',
    replace: 'if (this.isRunning(task)) return;',
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
