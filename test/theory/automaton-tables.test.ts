/** The tables of an automaton grow while they are read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axioms } from '../../src/theory/axioms/index.ts';
import { bits } from '../../src/theory/logic/atoms.ts';
import { AT } from '../../src/theory/logic/automaton.ts';
import { compileTheory, scoped } from '../../src/theory/logic/compiled.ts';
import { monitorable } from '../../src/theory/logic/monitorable.ts';
import { axiomOf } from './reference/axiom-of.ts';

const L1 = axiomOf('L1');
const S1 = axiomOf('S1');
const S2 = axiomOf('S2');

test('the state after a letter is found also where looking for it makes the tables grow', () => {
  const automaton = compileTheory(
    [S1, S2, L1].flatMap(({ formula, monitored }) => monitorable(monitored ?? formula)),
  );
  const masks = [
    bits.In | bits.Live | bits.Changed,
    bits.RS,
    bits.REs,
    bits.REf,
    bits.RetryDue,
    bits.Crash,
    bits.SS,
    bits.Out,
    bits.Due,
    bits.Stale,
  ];
  // There is room for 64 states at first.
  for (let state = automaton.initial; state < automaton.states && state < 200; state++)
    for (const mask of masks) assert.ok(automaton.seeing(state, mask) >= 0, `from state ${state}`);
  assert.ok(automaton.states > 128, `only ${automaton.states} states`);
});

/** A position at which a task sees nothing is worked out later (`slices.ts`), so it may say nothing by itself. */
test('T13 a position at which nothing is seen breaks nothing and ends no demand', () => {
  const automaton = scoped(axioms, 'task').automaton;
  const life = [
    bits.IS,
    bits.In | bits.Live | bits.Changed,
    bits.In | bits.Live | bits.Changed | bits.DueMinute,
    bits.Out | bits.Live | bits.Changed,
    bits.RS,
    bits.REs,
    bits.REf,
    bits.RetryDue,
    bits.Due,
    bits.Stale,
    bits.DueSkipped | bits.Rightful,
    bits.REs | bits.Passed,
    bits.REf | bits.Passed,
    bits.Requested,
    bits.Pause,
    bits.Resume,
    bits.Resume | bits.Passed,
    bits.Crash,
    bits.SS,
    bits.SE,
  ].map((mask) => automaton.letter(mask));
  const silent = automaton.letter(0);
  for (let state = automaton.initial; state < automaton.states && state < 3000; state++) {
    for (const letter of life) automaton.edge(state, letter);
    const edge = automaton.edge(state, silent);
    assert.equal(automaton.at(edge, AT.broken), 0, `in state ${state}`);
    // What was open is open still: a demand that was not yet raised may be.
    for (const letter of life) {
      const before = automaton.edge(state, letter);
      const after = automaton.edge(automaton.at(before, AT.target), silent);
      const open = automaton.at(before, AT.open);
      assert.equal(
        automaton.at(after, AT.kept) & open,
        open,
        `after ${automaton.maskOf(before)} in ${state}`,
      );
    }
  }
  assert.ok(automaton.states > 1000, `only ${automaton.states} states`);
});
