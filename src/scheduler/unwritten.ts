/**
 * What a scheduler could not make durable when it stopped, for its next `initialize` (D7). The ends, taken-back claims and moves are kept as
 * what they are, and go into the transaction of that initialize, as far as the store grants them: what it has already is granted again, and what
 * another scheduler has overtaken since is not.
 *
 * That holds for every task that is stored, also if the new list lacks it (E4) or has it begin anew (H10). Why its run has the right row in the
 * history (J1): a batch makes ends and unstarts before records go or are written over, so the end finds its run. A move leaves nothing behind
 * but the record, so it goes with the record; the first record of a name that begins anew could otherwise be taken for the one that was moved.
 */
import type { EndChange, MoveChange, UnstartChange } from '../core/changes.ts';
import type { Plan } from '../core/plan.ts';
import type { TaskRecord } from '../core/record.ts';
import { runOverlayOf } from '../store/overlay.ts';
import type { Batch, Refusal } from '../store/port.ts';

export interface UnwrittenChanges {
  readonly ends: readonly EndChange[];
  readonly unstarts: readonly UnstartChange[];
  readonly moves: readonly MoveChange[];
}

/** What several engines could not write. */
export const together = (all: readonly UnwrittenChanges[]): UnwrittenChanges => ({
  ends: all.flatMap(({ ends }) => ends),
  unstarts: all.flatMap(({ unstarts }) => unstarts),
  moves: all.flatMap(({ moves }) => moves),
});

/**
 * What is left of a batch whose fate is unknown, of its claims, and of what came later: of two moves of a task the later one. `keeps` says which
 * moves stand whatever comes before they are written.
 */
export function unwrittenOf(
  { ends = [], unstarts = [], moves = [] }: Batch,
  claims: readonly UnstartChange[],
  later: UnwrittenChanges,
  keeps: (move: MoveChange) => boolean,
): UnwrittenChanges {
  const kept = [...moves, ...later.moves].filter(keeps);
  const lastMoves = new Map(kept.map((move) => [move.name, move]));
  return {
    ends: [...ends, ...later.ends],
    unstarts: [...unstarts, ...later.unstarts, ...claims],
    moves: [...lastMoves.values()],
  };
}

interface OfOneTask {
  readonly ends: EndChange[];
  readonly unstarts: UnstartChange[];
  readonly moves: MoveChange[];
}

export class Unwritten {
  readonly #byName = new Map<string, OfOneTask>();
  /** The changes of tasks that are stored. */
  readonly #used: OfOneTask = { ends: [], unstarts: [], moves: [] };

  constructor({ ends, unstarts, moves }: UnwrittenChanges = { ends: [], unstarts: [], moves: [] }) {
    for (const end of ends) this.#of(end.name).ends.push(end);
    for (const unstart of unstarts) this.#of(unstart.name).unstarts.push(unstart);
    for (const move of moves) this.#of(move.name).moves.push(move);
  }

  #of(name: string): OfOneTask {
    let changes = this.#byName.get(name);
    if (changes === undefined) {
      changes = { ends: [], unstarts: [], moves: [] };
      this.#byName.set(name, changes);
    }
    return changes;
  }

  /** The record as it is once these changes are made. */
  applied(record: TaskRecord): TaskRecord {
    const changes = this.#byName.size === 0 ? undefined : this.#byName.get(record.name);
    if (changes === undefined) return record;
    const { overlay, refused } = runOverlayOf(new Map([[record.name, record]]), changes, '');
    // What the store would refuse, because another scheduler has taken the run over, would take the moves of the plan with it.
    const isGranted = (change: Refusal['change']): boolean => refused.every((each) => each.change !== change);
    if (isGranted('end')) this.#used.ends.push(...changes.ends);
    if (isGranted('unstart')) this.#used.unstarts.push(...changes.unstarts);
    if (isGranted('move')) this.#used.moves.push(...changes.moves);
    return overlay.get(record.name) ?? record;
  }

  /** The parts of a batch with these changes. Of two moves of a task, the one of the plan counts: it was made on top of the other. */
  batch({ moves: planned, removes, tasks, fresh }: Plan): Pick<Batch, 'ends' | 'unstarts' | 'moves'> {
    const { ends, unstarts, moves } = this.#used;
    if (moves.length === 0) return { ends, unstarts, moves: planned };
    const isOver = new Set(removes);
    for (const { name } of planned) isOver.add(name);
    for (const task of fresh) isOver.add(tasks.nameOf(task));
    return { ends, unstarts, moves: [...moves.filter(({ name }) => !isOver.has(name)), ...planned] };
  }
}
