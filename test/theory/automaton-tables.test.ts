/** The tables of an automaton grow while they are read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bits } from '../../src/theory/logic/atoms.ts';
import { compileTheory } from '../../src/theory/logic/compiled.ts';
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
  ];
  const letters = [...masks, bits.MinuteStart | bits.Due, bits.MinuteStart].map((mask) =>
    automaton.letter(mask),
  );
  // There is room for 64 states at first.
  for (let state = automaton.initial; state < automaton.states && state < 200; state++)
    for (const letter of letters) assert.ok(automaton.after(state, letter) >= 0, `from state ${state}`);
  assert.ok(automaton.states > 128, `only ${automaton.states} states`);
});
