/**
 * What a failed stop leaves behind for the next initialization of the same scheduler (D7): changes, not records. The store grants them as
 * far as it has not got them already, and as far as no rival has ended the run before. So what counts is what they make of the store at the
 * time of the plan.
 */
import type { TaskRecord } from '../../core/record.ts';
import type { Batch, EndChange, MoveChange, UnstartChange } from '../../store/port.ts';
import { applyBatch } from './batches.ts';
import type { LiveTasks } from './live-tasks.ts';
import { moveOf } from './texts.ts';

export interface Carried {
  readonly ends: readonly EndChange[];
  readonly unstarts: readonly UnstartChange[];
  readonly moves: readonly MoveChange[];
}

export const NOTHING_CARRIED: Carried = { ends: [], unstarts: [], moves: [] };

/** The changes of a batch that matter if nobody learns whether it is durable. */
export const carriedBy = ({ ends = [], unstarts = [], moves = [] }: Batch): Carried => ({
  ends: [...ends],
  unstarts: [...unstarts],
  moves: [...moves],
});

/** What a life has not handed to the store when it stops. A claim that was not called is taken back. */
export function leftBy(life: LiveTasks): Carried {
  const { unwritten, instance: instanceId } = life;
  const claims = [...life.known()].flatMap(({ claim }) => claim ?? []);
  return {
    ends: unwritten.ends.flatMap(({ work, ...end }) =>
      work === null ? [] : { ...end, work, instanceId, error: null },
    ),
    unstarts: claims.map(({ promised: { runId }, before: { name, work, run } }) => ({
      name,
      runId,
      work,
      run,
    })),
    moves: [...unwritten.moves, ...claims.flatMap(({ before, isMoved }) => (isMoved ? moveOf(before) : []))],
  };
}

/** What was on its way, and what came later: of several moves of a task, the last. */
export function together(onItsWay: Carried, later: Carried): Carried {
  const lastMoves = new Map([...onItsWay.moves, ...later.moves].map((move) => [move.name, move]));
  return {
    ends: [...onItsWay.ends, ...later.ends],
    unstarts: [...onItsWay.unstarts, ...later.unstarts],
    moves: [...lastMoves.values()],
  };
}

/** What is stored, once these changes are made. */
export function withCarried(
  stored: ReadonlyMap<string, TaskRecord>,
  carried: Carried,
): ReadonlyMap<string, TaskRecord> {
  const known = new Map(stored);
  applyBatch(known, carried);
  return known;
}
