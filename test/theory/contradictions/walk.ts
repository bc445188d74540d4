/** The moves of a game as positions of a trace, for the naive evaluator. */
import type { Position } from '../reference/position.ts';
import type { Universe } from './slice.ts';
import type { Move } from './world.ts';

export function positionsOf(universe: Universe, moves: readonly Move[]): Position[] {
  const dueIn = (due: number): ReadonlySet<string> =>
    new Set(universe.schedules.filter((_, schedule) => (due & (1 << schedule)) !== 0));
  let list = -1;
  let live = true;
  return moves.map((move, at): Position => {
    switch (move.event) {
      case 'Minute':
        return { at, event: 'Minute', due: dueIn(move.due) };
      case 'IS':
        list = move.list;
        live = true;
        return { at, event: 'IS' };
      case 'SS':
        live = false;
        return { at, event: 'SS' };
      case 'Commit':
        live = false;
        return { at, event: 'IEs', list: String(list), registrations: universe.lists[list], live };
      case 'IEs':
        return { at, event: 'IEs', list: String(list), registrations: universe.lists[list], live };
      case 'RS': {
        const task = universe.names[move.task];
        return { at, event: 'RS', task, ...(move.due === undefined ? {} : { pulse: dueIn(move.due) }) };
      }
      case 'REs':
      case 'REf':
      case 'RetryDue':
        return { at, event: move.event, task: universe.names[move.task] };
      default:
        return { at, event: move.event };
    }
  });
}
