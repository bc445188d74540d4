/** Limits that a machine can hold: the length of files and functions, and exports that nothing uses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { longFunctions, usedOtherwise } from './tidy/exceptions.ts';
import { doors, list, read, source, targetOf } from './tidy/sources.ts';

const MAX_FILE_LINES = 500;
const MAX_FUNCTION_LINES = 40;

const files = list('{src,page,test,bench,examples,publishing,scripts,site/test}/**/*.{ts,tsx}');

/** What is found is what is excepted: neither more, nor an exception that is no longer needed. */
function assertOnly(exceptions: Readonly<Record<string, string>>, found: ReadonlyMap<string, string>): void {
  const wrong = [...found.keys()]
    .filter((key) => !(key in exceptions))
    .map((key) => `${key}: ${found.get(key)}`);
  assert.deepEqual(wrong, []);
  const needless = Object.keys(exceptions).filter((key) => !found.has(key));
  assert.deepEqual(needless, [], 'these exceptions in test/tidy/exceptions.ts are no longer needed');
}

describe('tidy limits', () => {
  test(`no file has more than ${MAX_FILE_LINES} lines`, () => {
    const lengths = files.map((file) => [file, read(file).split('\n').length - 1] as const);
    const long = lengths.filter(([, lines]) => lines > MAX_FILE_LINES);
    assert.deepEqual(long, []);
  });

  test(`no function outside the tests has more than ${MAX_FUNCTION_LINES} lines`, () => {
    // A test is a story and is told in one piece; the length of its file bounds it.
    const long = files
      .filter((file) => !/(^|\/)test\//.test(file))
      .flatMap((file) => source(file).functions.map((found) => ({ file, ...found })))
      .filter(({ lines }) => lines > MAX_FUNCTION_LINES);
    assertOnly(
      longFunctions,
      new Map(long.map(({ file, name, lines }) => [`${file}: ${name}`, `${lines} lines`])),
    );
  });

  test('every exported value is used by another file, or can be had through a public door', () => {
    const uses = new Map<string, Set<string>>();
    for (const file of files) {
      for (const { specifier, names } of source(file).imports) {
        if (!specifier.startsWith('.')) continue;
        const target = targetOf(file, specifier);
        const used = uses.get(target) ?? new Set();
        for (const name of names === 'all' ? source(target).values : names) used.add(name);
        uses.set(target, used);
      }
    }
    // Tests start fixtures by their paths and threads call them by name.
    const judged = files.filter((file) => !doors().includes(file) && !file.includes('/fixtures/'));
    const unused = judged.flatMap((file) =>
      source(file)
        .values.filter((name) => name !== 'default' && !uses.get(file)?.has(name))
        .map((name) => [`${file}: ${name}`, 'only its own file uses it'] as const),
    );
    assertOnly(usedOtherwise, new Map(unused));
  });
});
