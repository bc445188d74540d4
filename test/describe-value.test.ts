/** A value in a few words, as the messages of errors have it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeValue } from '../src/errors.ts';

for (const [value, words] of [
  ['a\nb', '"aU+000Ab"'],
  ['x'.repeat(50), `"${'x'.repeat(40)}…"`],
  [5, '5'],
  [Number.NaN, 'NaN'],
  [10n ** 50n, `1${'0'.repeat(39)}…`],
  [Symbol('s'), 'Symbol(s)'],
  [undefined, 'undefined'],
  [null, 'null'],
  [[1, 2], 'an array'],
  [{}, 'an object'],
  [Object.create(null), 'an object'],
  [() => {}, 'a function'],
  [new Date(0), 'a Date'],
  [new Date(Number.NaN), 'an invalid Date'],
] as const) {
  test(`a value is described as ${words}`, () => {
    assert.equal(describeValue(value), words);
  });
}
