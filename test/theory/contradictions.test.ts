/** The search for contradictions: what it finds in the letter, and does not find in the repaired theory. See docs/errata.md. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Formula, someList } from '../../src/theory/logic/formula.ts';
import { monitorable } from '../../src/theory/logic/monitorable.ts';
import { Game, type Played, type State } from './contradictions/game.ts';
import {
  firstRepair,
  literalTheory,
  only,
  repairedTheorems,
  repairedTheory,
  type Theory,
} from './contradictions/theories.ts';
import { positionsOf } from './contradictions/walk.ts';
import type { Move } from './contradictions/world.ts';
import { isForced, search } from './contradictions.ts';
import { pick, type Random, randomOf } from './random.ts';
import * as literal from './reference/literal.ts';
import { NaiveEvaluator } from './reference/naive.ts';
import type { Position } from './reference/position.ts';

const small = { minutes: 2, initializations: 2, stops: 1, crashes: 1, failures: 1 };

describe('the table of the search', () => {
  for (const theory of [repairedTheory, literalTheory])
    test(`${theory.name}: it says of random games what the naive evaluator says`, () => {
      for (let seed = 1; seed <= 60; seed++) agree(theory, seed);
    });
});

/** Plays a random game, and holds what the table says at each position against the definitions. */
function agree(theory: Theory, seed: number): void {
  const random = randomOf(seed);
  const game = new Game(theory, 'the theory alone');
  const { universe } = theory;
  const moves: Move[] = [];
  const states: State[] = [
    game.initial({ minutes: 4, initializations: 4, stops: 2, crashes: 2, failures: 2 }),
  ];
  for (let length = 0; length < 16; length++) {
    const state = states[states.length - 1];
    const next = [...game.environment(state), ...game.scheduler(state), ...game.coinciding(state)];
    const legal = next.filter((one): one is Played & { outcome: { state: State } } => 'state' in one.outcome);
    if (legal.length === 0) break;
    const { move, outcome } = pick(random, legal);
    moves.push(move);
    states.push(outcome.state);
  }
  const positions = positionsOf(universe, moves);
  const demands = Object.entries(theory.axioms).flatMap(([id, axiom]) =>
    monitorable(axiom).flatMap((part) =>
      part.kind === 'response' ? [{ id, open: someList(part.open) }] : [],
    ),
  );
  const naives = universe.names.map(
    (task) => new NaiveEvaluator(positions, { task, tuples: universe.tuples ?? new Map() }),
  );
  for (const at of positions.keys()) {
    const { owed, open } = states[at + 1];
    const where = `seed ${seed}: ${moves
      .slice(0, at + 1)
      .map((move) => game.show(move))
      .join('; ')}`;
    assert.deepEqual(
      owed,
      naives.map((naive) => naive.at(theory.obligation, at)),
      where,
    );
    const isOpen = demands.filter((demand) => naives.some((naive) => naive.at(demand.open, at) === true));
    assert.deepEqual(open, [...new Set(isOpen.map(({ id }) => id))].sort(), where);
  }
}

/** A random trace in which ends follow starts; any minute may begin with an action. */
function sane(random: Random): Position[] {
  let isRunning = false;
  return Array.from({ length: 14 }, (_, i): Position => {
    const at = i * 20_000;
    const pulse = random() < 0.15 ? { pulse: new Set(['1']) } : {};
    const roll = random();
    if (roll < 0.5) {
      const event = isRunning ? pick(random, ['REs', 'REs', 'REf'] as const) : 'RS';
      isRunning = !isRunning;
      return { at, event, task: 'x', ...pulse };
    }
    if (roll < 0.6) return { at, event: 'Minute', due: new Set(pick(random, [['1'], []])) };
    if (roll < 0.75) {
      const list = pick(random, ['p', 'q']);
      return { at, event: 'IEs', list, registrations: [{ name: 'x', schedule: '1' }], live: true, ...pulse };
    }
    const event = pick(random, ['SS', 'SE', 'Crash'] as const);
    if (event === 'Crash') isRunning = false;
    return { at, event, ...pulse };
  });
}

describe('the letter', () => {
  test('S2 and L3 say the same in the form that is decided as the trace goes', () => {
    const verdicts = new Map<string, number>();
    for (let seed = 1; seed <= 500; seed++) {
      const random = randomOf(seed);
      const positions = sane(random);
      const naive = new NaiveEvaluator(positions, {
        task: 'x',
        tuples: new Map([['x', '1']]),
        within: (from, to) => positions[to].at - positions[from].at <= 60_000,
      });
      const isFalse = (formula: Formula): boolean => naive.at(formula, 0) === false;
      for (const [id, axiom, monitored] of [
        ['S2', literal.S2, literal.S2Monitored],
        ['L3', literal.L3, literal.L3Monitored],
      ] as const) {
        assert.equal(isFalse(monitored), isFalse(axiom), `${id}, seed ${seed}`);
        if (isFalse(axiom)) verdicts.set(id, (verdicts.get(id) ?? 0) + 1);
      }
    }
    // A comparison in which nothing ever breaks would compare nothing.
    assert.deepEqual([...verdicts.keys()].sort(), ['L3', 'S2']);
  });

  const letter = only(literalTheory, ['x|A', 'x|B']);

  test('T1, T6, T7, T12 are found, and no scheduler can avoid them', () => {
    const bounds = { ...small, minutes: 2, failures: 0 };
    const game = new Game(letter, 'with D4 and D7');
    const { stuck } = search(game, bounds);
    const traces = new Map(stuck.map(({ label, trace }) => [label, trace.join('; ')]));
    const found: Readonly<Record<string, string>> = {
      'L1 demands RS; RS breaks S1': 'Minute{A}; IS[x|A]; IEs; Minute{}', // T1
      'L2 demands IE; IEf breaks S5, IEs breaks D4': 'IS[]; IEs; IS[]', // T6
      'L1 demands RS; RS breaks D7': 'Minute{A}; IS[x|A]; SS; IEs; SE', // T7
      'L3 demands SE; there is no move': 'IS[x|A]; IEs; Crash; IS[]; SS; IEs; SE', // T12
    };
    for (const [label, trace] of Object.entries(found)) {
      assert.equal(traces.get(label), trace);
      assert.ok(isForced(game, bounds, label), label);
    }
  });

  test('T5 is found where a task is overridden', () => {
    const game = new Game({ ...letter, pulses: 'apart' }, 'with D4 and D7');
    const { differences } = search(game, { ...small, minutes: 1, failures: 0 });
    assert.equal(
      differences.find(({ label }) => label === 'owed, but not pending by A1 (due)')?.trace.join('; '),
      'IS[x|A]; IEs; Minute{A,B}; RS x|A; REs x|A; Crash; IS[x|B]; IEs',
    );
  });

  test('T4 and T8 are found where a task can be removed and come back', () => {
    const game = new Game({ ...only(letter, ['x|A']), pulses: 'apart' }, 'the theory alone');
    const bounds = { minutes: 2, initializations: 4, stops: 0, crashes: 2, failures: 0 };
    const { stuck, differences } = search(game, bounds);
    const label = 'L1 demands RS; RS breaks S2';
    assert.equal(
      stuck.find((one) => one.label === label)?.trace.join('; '),
      'Minute{A}; IS[x|A]; IEs; RS x|A; IS[]; REs x|A; IEs; IS[x|A]; IEs', // T8
    );
    assert.equal(
      differences.find((one) => one.label === 'owed, but not pending by A1 (orphaned)')?.trace.join('; '),
      'Minute{A}; IS[x|A]; IEs; RS x|A; Minute{}; IS[]; IEs; Crash; IS[x|A]; IEs; Crash; IS[x|A]; IEs', // T4
    );
  });

  test('T2 is found, and T13 with it', () => {
    const bounds = { minutes: 2, initializations: 1, stops: 0, crashes: 0, failures: 1 };
    for (const [theory, trace] of [
      [
        { ...letter, pulses: 'apart' },
        'Minute{A}; IS[x|A]; IEs; RS x|A; Minute{A}; REf x|A; RS x|A; REs x|A; RetryDue x|A',
      ],
      [{ ...letter, retries: 'latest' }, 'Minute{A}; IS[x|A]; IEs; RS x|A with Minute{A}; REs x|A'],
    ] as const) {
      const game = new Game(theory, 'the theory alone');
      const label = 'L1 demands RS; RS breaks S2';
      assert.equal(
        search(game, bounds)
          .stuck.find((one) => one.label === label)
          ?.trace.join('; '),
        trace,
      );
      assert.ok(isForced(game, bounds, label));
    }
  });
});

describe('the repaired theory', () => {
  test('nobody is ever stuck, and what it owes is what A1 has pending', () => {
    const game = new Game(only(repairedTheory, ['x']), 'with D4 and D7');
    const { stuck, differences, states } = search(game, small);
    assert.deepEqual([stuck, differences], [[], []]);
    assert.ok(states > 9_000, `only ${states} states`);
  });

  test('T14 with S2 as it was first repaired, an override leaves everybody stuck', () => {
    const game = new Game(only(firstRepair, ['x']), 'with D4 and D7');
    const bounds = { ...small, stops: 0, failures: 0 };
    const { stuck } = search(game, bounds);
    assert.deepEqual(stuck, [
      {
        label: 'L1 demands RS; RS breaks S2',
        trace: ['Minute{A}', 'IS[x:A]', 'IEs', 'RS x', 'Minute{B}', 'REs x', 'Crash', 'IS[x:B]', 'IEs'],
      },
    ]);
    assert.ok(isForced(game, bounds, stuck[0].label));
  });

  test('S2, theorems 1 to 3 and the polling properties follow from the other axioms, with D4 and D7', () => {
    const game = new Game(only(repairedTheorems, ['x']), 'with D4 and D7');
    const { stuck, refuted, states } = search(game, small);
    assert.deepEqual([stuck, refuted], [[], []]);
    assert.ok(states > 9_000, `only ${states} states`);
  });

  test('T17 without D4 theorem 3 does not follow', () => {
    const game = new Game(only(repairedTheorems, ['x']), 'the theory alone');
    const { refuted } = search(game, { minutes: 1, initializations: 1, stops: 1, crashes: 1, failures: 1 });
    assert.deepEqual(
      refuted.map(({ label }) => label),
      ['Q3', 'P5', 'P9'],
    );
    assert.equal(refuted[0].trace.join('; '), 'Minute{A}; SS; IS[x:A]; IEs; SE; RS x');
  });

  test('without D4 a scheduler can get stuck, but need not', () => {
    const game = new Game(only(repairedTheory, ['x']), 'the theory alone');
    const bounds = { ...small, initializations: 1, crashes: 0, failures: 0 };
    const { stuck, differences } = search(game, bounds);
    assert.deepEqual(differences, []);
    assert.deepEqual(
      stuck.map(({ label }) => label),
      ['L3 demands SE; SE breaks S3'],
    );
    assert.ok(!isForced(game, bounds, stuck[0].label));
  });
});
