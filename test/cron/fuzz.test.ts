import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { InvalidCronExpressionError, parseCron, rewriteCron } from '../../src/cron/index.ts';
import { fc } from '../property.ts';
import { few } from '../sample.ts';
import { strictExpression } from './generators.ts';

/** The grammar of C1 once more, as one regular expression for the shape and a naive look at the numbers. */
function isStrict(text: string): boolean {
  const fields = /^[ \t]*(\S+)[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)[ \t]*$/.exec(text)?.slice(1);
  const limits = [
    [0, 59],
    [0, 23],
    [1, 31],
    [1, 12],
    [0, 6],
  ] as const;
  return (
    text.length <= 1000 &&
    fields !== undefined &&
    fields.every((field, index) => {
      if (field === '*') return true;
      if (!/^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$/.test(field)) return false;
      return field.split(',').every((element) => {
        const [low, high = low] = element.split('-').map(BigInt);
        return low >= BigInt(limits[index][0]) && low <= high && high <= BigInt(limits[index][1]);
      });
    })
  );
}

/** Parses, or refuses with a typed error of one line; anything else fails. Tells whether it parsed. */
function parses(text: string): boolean {
  try {
    parseCron(text, { timeZone: 'UTC' });
    return true;
  } catch (error) {
    assert.ok(error instanceof InvalidCronExpressionError, `${JSON.stringify(text)} gave ${error}`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
    assert.doesNotMatch(error.reason, /[\u0000-\u001f\u007f\u0085\u2028\u2029]/, 'the reason is one line');
    assert.ok(error.reason.length < 500, `a reason of ${error.reason.length} characters`);
    return /never due/.test(error.reason) && isStrict(text);
  }
}

const alphabet = [
  ...'0123456789',
  ...'0123456789',
  ...' *,-',
  ...' *,-',
  '\t',
  '/',
  '?',
  'L',
  'W',
  '#',
  '@',
  'mon',
  'jan',
  '7',
  '\n',
  '\u00a0',
  'é',
  '\ud800',
  '\u0000',
  '+',
  '.',
  'e',
];

const mutated = fc
  .tuple(
    strictExpression,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom('insert', 'delete', 'replace', 'double'),
        fc.constantFrom(...alphabet),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, mutations]) => {
    let result = text;
    for (const [where, how, character] of mutations) {
      const at = where % (result.length + 1);
      const head = result.slice(0, at);
      if (how === 'insert') result = head + character + result.slice(at);
      else if (how === 'delete') result = head + result.slice(at + 1);
      else if (how === 'replace') result = head + character + result.slice(at + 1);
      else result = head + result.slice(Math.max(0, at - 8));
    }
    return result;
  });

describe('C1 any text', () => {
  test('random and mutated strings parse or give a typed error, exactly as the grammar says', (t) => {
    const counts = { strict: 0, refused: 0 };
    const check = (text: string): void => {
      const parsed = parses(text);
      assert.equal(parsed, isStrict(text), JSON.stringify(text));
      counts[parsed ? 'strict' : 'refused']++;
      const rewritten = rewriteCron(text);
      if (rewritten !== undefined) parseCron(rewritten);
    };
    fc.assert(fc.property(mutated, check), { numRuns: few(4000, 12_000) });
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 40 }), check), {
      numRuns: few(2000, 5000),
    });
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), check), { numRuns: few(1000, 3000) });
    t.diagnostic(`${counts.strict} parsed, ${counts.refused} refused`);
    assert.equal(counts.strict + counts.refused, few(7000, 20_000));
    assert.ok(counts.strict > 150 && counts.refused > 150, 'both sides are tried');
  });

  test('the longest inputs are read in linear time: work is bounded by the length, whatever the text', () => {
    // Not timed: a quadratic or exponential reading of any of these would not come back at all.
    const pieces = [
      '*',
      '1,',
      '1-',
      '*/',
      '0',
      ' ',
      '\t',
      ',',
      '-',
      '/',
      'mon,',
      '@',
      '1-2,',
      '*/1,',
      'L',
      '0/1,',
      '\n',
    ];
    for (const piece of pieces) {
      parses(piece.repeat(Math.floor(1000 / piece.length)));
      parses(`${piece.repeat(Math.floor(900 / piece.length))} * * * *`);
      parses(`* * * * ${piece.repeat(Math.floor(900 / piece.length))}`);
      parses(piece.repeat(5_000_000 / piece.length));
      rewriteCron(piece.repeat(5_000_000 / piece.length));
    }
  });
});
