/** Wrong options are refused, since another world would be played than was meant. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld, drawScenario } from '../../src/simulation/index.ts';

const refusal = (options: unknown): string => {
  try {
    Reflect.apply(createWorld, undefined, [options]);
    return 'it was taken';
  } catch (error) {
    return String(error);
  }
};

test('a seed is a whole number of 32 bits', () => {
  for (const [options, message] of [
    [undefined, /^TypeError: createWorld takes \{ seed: 42 \} or \{ scenario \}$/],
    [null, /^TypeError: createWorld takes/],
    [{}, /^TypeError: createWorld takes/],
    [7, /^TypeError: createWorld takes/],
    [{ seed: 'x' }, /^TypeError: seed must be a number, such as 42; got "x"$/],
    [{ seed: undefined }, /^TypeError: seed must be a number, such as 42; got undefined$/],
    [{ seed: Number.NaN }, /^RangeError: seed must be a whole number from 0 to 4294967295; got NaN$/],
    [{ seed: -1 }, /^RangeError: seed must be a whole number/],
    [{ seed: 1.5 }, /^RangeError: seed must be a whole number/],
    [{ seed: 2 ** 32 + 7 }, /^RangeError: seed must be .*; got 4294967303$/],
  ] as const)
    assert.match(refusal(options), message);
  for (const seed of [0, 7, 2 ** 32 - 1]) assert.equal(createWorld({ seed }).scenario.seed, seed);
});

test('a scenario must be complete, and the error names the part that is wrong', () => {
  const whole = drawScenario(7);
  for (const [wrong, message] of [
    [undefined, /^TypeError: scenario must be an object, .*; got undefined$/],
    [{}, /^TypeError: scenario\.seed must be a whole number from 0 to 4294967295; got undefined$/],
    [{ ...whole, seed: 2 ** 32 }, /^RangeError: scenario\.seed must be/],
    [{ ...whole, start: 'today' }, /^TypeError: scenario\.start must be an instant, .*; got "today"$/],
    [{ ...whole, timeZone: 5 }, /^TypeError: scenario\.timeZone must be a name/],
    [{ ...whole, workers: -1 }, /^RangeError: scenario\.workers must be/],
    [{ ...whole, finalWriteMs: '5' }, /^TypeError: scenario\.finalWriteMs must be/],
    [
      { ...whole, callbacks: undefined },
      /^TypeError: scenario\.callbacks\.succeedAtOnce must be .*; got undefined$/,
    ],
    [{ ...whole, disk: { ...whole.disk, latencyMs: null } }, /^TypeError: scenario\.disk\.latencyMs must be/],
    [{ ...whole, events: {} }, /^TypeError: scenario\.events must be an array of \[atMs, action\]/],
    [{ ...whole, events: ['stop'] }, /^TypeError: scenario\.events\[0\]\[0\] must be a whole number/],
    [
      { ...whole, events: [[5, { kind: 'fire' }]] },
      /^TypeError: scenario\.events\[0\]\[1\]\.kind must be one of start, .*; got "fire"$/,
    ],
    [
      { ...whole, events: [[5, { kind: 'start' }]] },
      /^TypeError: scenario\.events\[0\]\[1\]\.tasks must be an array/,
    ],
  ] as const)
    assert.match(refusal({ scenario: wrong }), message);
  assert.equal(createWorld({ scenario: whole }).scenario, whole);
});
