/**
 * Looks for contradictions in a theory, over every short trace.
 *
 * A position is *stuck* if something is demanded (L1, L2, L3) and every move that the scheduler has would break an axiom: no
 * scheduler can go on from there. It is *forced* if the environment can bring every scheduler into such a position. And wherever
 * the theory and the rule of A1 differ on what is owed, one of them is wrong.
 */
import type { Game, Outcome, Played, State } from './contradictions/game.ts';
import type { Bounds, Move } from './contradictions/world.ts';

export interface Finding {
  readonly label: string;
  readonly trace: readonly string[];
}

export interface Report {
  readonly states: number;
  readonly moves: number;
  readonly longest: number;
  /** The shortest trace to each kind of stuck position. */
  readonly stuck: readonly Finding[];
  /** The shortest trace to each kind of difference between what the theory owes and what A1 does. */
  readonly differences: readonly Finding[];
  /** The shortest trace that refutes each theorem. */
  readonly refuted: readonly Finding[];
}

/** Plays every game within the bounds, shortest traces first. */
export function search(game: Game, bounds: Bounds, onProgress: (states: number) => void = () => {}): Report {
  // A state that was left is not needed again; the way to it is.
  const waiting: (State | undefined)[] = [game.initial(bounds)];
  const parents: number[] = [-1];
  const moves: (Move | undefined)[] = [undefined];
  const known = new Set<string>();
  const stuck = new Map<string, number>();
  const differences = new Map<string, number>();
  const refuted = new Map<string, Finding>();
  const traceTo = (at: number): string[] => {
    const move = moves[at];
    return move === undefined ? [] : [...traceTo(parents[at]), game.show(move)];
  };
  let played = 0;
  const note = (found: Map<string, number>, label: string | undefined, at: number): void => {
    if (label !== undefined && !found.has(label)) found.set(label, at);
  };
  for (let at = 0; at < waiting.length; at++) {
    const state = waiting[at];
    if (state === undefined) continue;
    waiting[at] = undefined;
    const own = game.scheduler(state);
    note(stuck, game.stuck(state, own), at);
    note(differences, game.difference(state), at);
    for (const { move, outcome } of [...game.environment(state), ...own, ...game.coinciding(state)]) {
      played++;
      if (!('state' in outcome)) continue;
      for (const label of outcome.state.refuted)
        if (!refuted.has(label)) refuted.set(label, { label, trace: [...traceTo(at), game.show(move)] });
      if (known.has(outcome.state.key)) continue;
      known.add(outcome.state.key);
      waiting.push(outcome.state);
      parents.push(at);
      moves.push(move);
    }
    if (at % 10_000 === 0) onProgress(at);
  }
  const findings = (found: ReadonlyMap<string, number>): Finding[] =>
    [...found].map(([label, at]) => ({ label, trace: traceTo(at) }));
  return {
    states: waiting.length,
    moves: played,
    longest: traceTo(waiting.length - 1).length,
    stuck: findings(stuck),
    differences: findings(differences),
    refuted: [...refuted.values()],
  };
}

/** Whether the environment can bring every scheduler into a position that is stuck for this reason. */
export function isForced(game: Game, bounds: Bounds, label: string): boolean {
  const known = new Map<string, boolean>();
  const leads = ({ outcome }: { readonly outcome: Outcome }): boolean =>
    'state' in outcome && loses(outcome.state);
  const loses = (state: State): boolean => {
    let lost = known.get(state.key);
    if (lost === undefined) {
      lost = decide(state);
      known.set(state.key, lost);
    }
    return lost;
  };
  const decide = (state: State): boolean => {
    const own = game.scheduler(state);
    if (game.stuck(state, own) === label || game.environment(state).some(leads)) return true;
    if (state.open.length === 0) return false;
    const legal = own.filter(({ outcome }) => 'state' in outcome);
    // The scheduler chooses its move, and the environment whether a minute begins with it.
    const shared = game.coinciding(state);
    const isSame = (one: Played, other: Played): boolean =>
      'task' in one.move && 'task' in other.move && one.move.task === other.move.task;
    return (
      legal.length > 0 &&
      legal.every((one) => leads(one) || shared.some((other) => isSame(one, other) && leads(other)))
    );
  };
  return loses(game.initial(bounds));
}
