/**
 * The oracle against the theory: random games, as records. Whatever the theory allows the oracle must not accuse, a move that
 * breaks an axiom it must, and what is demanded it must find open. Its own derivation of pulses, lists and calls is in between, and has no other check of this kind.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace } from '../../src/theory/check.ts';
import type { Status } from '../../src/theory/verdict/verdict.ts';
import { Game, type Played, type State } from './contradictions/game.ts';
import { isRecordable, type Retries, recordsOf } from './contradictions/records.ts';
import { repairedTheory } from './contradictions/theories.ts';
import type { Move } from './contradictions/world.ts';
import { pick, type Random, randomOf } from './random.ts';

const bounds = { minutes: 4, initializations: 5, stops: 3, crashes: 3, failures: 3 };
const safety = new Set(['S1', 'S2', 'S3', 'S5']);
const demands = new Set(['L1', 'L2', 'L3']);

interface Walk {
  readonly moves: readonly Move[];
  /** What is demanded at its end. */
  readonly open: readonly string[];
  /** The same up to a move that breaks axioms, and which. */
  readonly wrong: { readonly moves: readonly Move[]; readonly broken: readonly string[] } | undefined;
}

function walk(game: Game, random: Random, retries: Retries): Walk {
  const moves: Move[] = [];
  let state: State = game.initial(bounds);
  let wrong: Walk['wrong'];
  for (;;) {
    const last = moves[moves.length - 1];
    // A retry that comes at once is not left out, and neither is the crash after a commit.
    const isWhole = last?.event !== 'Commit' && !(last?.event === 'REf' && retries === 'at once');
    if (moves.length >= 25 && isWhole) break;
    const next = [...game.environment(state), ...game.scheduler(state)].filter(({ move }) =>
      isRecordable(move, last, retries),
    );
    const legal = next.filter((one): one is Played & { outcome: { state: State } } => 'state' in one.outcome);
    const illegal = next.flatMap(({ move, outcome }) =>
      'broken' in outcome ? [{ moves: [...moves, move], broken: outcome.broken }] : [],
    );
    // Starts that nobody owes are everywhere; the rarer breaches are kept if there are any.
    const rare = illegal.filter(({ broken }) => !broken.includes('S1'));
    if (rare.length > 0 && random() < 0.5) wrong = pick(random, rare);
    else if (illegal.length > 0) wrong ??= pick(random, illegal);
    if (legal.length === 0) break;
    const { move, outcome } = pick(random, legal);
    moves.push(move);
    state = outcome.state;
  }
  return { moves, open: state.open, wrong };
}

/** Whether a crash came into an initialization. */
function isCutOff(moves: readonly Move[]): boolean {
  let isOpen = false;
  return moves.some(({ event }) => {
    if (event === 'Crash' && isOpen) return true;
    isOpen = event === 'IS' || (isOpen && event !== 'IEs' && event !== 'IEf');
    return false;
  });
}

async function judged(game: Game, moves: readonly Move[], retries: Retries) {
  // How late something may be is not what is asked here.
  const { axioms } = await checkTrace(recordsOf(game.theory.universe, moves, retries), {
    witnesses: { lagMs: Number.MAX_SAFE_INTEGER },
  });
  const those = (status: Status): string[] =>
    Object.keys(axioms).filter((id) => axioms[id].status === status);
  return { violated: those('violated'), open: those('undecided').filter((id) => demands.has(id)) };
}

describe('the oracle on random games', () => {
  for (const retries of ['at once', 'never'] as const)
    test(`what the theory allows is not accused, and what it forbids is; retries ${retries}`, async () => {
      const game = new Game(repairedTheory, 'the theory alone');
      const caught = new Set<string>();
      for (let seed = 1; seed <= 200; seed++) {
        const { moves, open, wrong } = walk(game, randomOf(seed), retries);
        const played = `seed ${seed}: ${moves.map((move) => game.show(move)).join('; ')}`;
        const verdict = await judged(game, moves, retries);
        assert.deepEqual(verdict.violated, [], played);
        if (isCutOff(moves))
          assert.ok(
            verdict.open.every((id) => open.includes(id)),
            played,
          );
        else assert.deepEqual(verdict.open, open, played);
        // After a crash inside an initialization the oracle must accept more than one reading (T11).
        if (wrong === undefined || isCutOff(wrong.moves)) continue;
        const found = (await judged(game, wrong.moves, retries)).violated;
        assert.deepEqual(
          found.filter((id) => safety.has(id)),
          wrong.broken,
          `seed ${seed}: ${wrong.moves.map((move) => game.show(move)).join('; ')}`,
        );
        for (const id of found) caught.add(id);
      }
      assert.deepEqual([...caught].sort(), ['S1', 'S3', 'S5']);
    });
});
