/** Where a planted fault is found: by the name of what it is in and by its words, wherever the file lies and however it is laid out. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Sources } from './place.ts';

const code = `
/** take(now) { return dueAt <= now; } */
export class Claims {
  #limit = 0.5;
  take(now: number): boolean {
    const dueAt = this.#dueOf('a <= b'); // dueAt <= now
    return dueAt <= now;
  }
}
const takers = { take: (now: number) => now <= 1 };
export const NAMES = ['a', 'b'];
`;

function planted(
  edit: { in: string; find: string; replace?: string },
  text = code,
  file = 'src/claims.ts',
): string {
  const place = new Sources([{ file, text }]).placeOf({ replace: '…', ...edit });
  assert.equal(place.file, file);
  assert.ok(text.startsWith(place.was, place.start));
  return text.slice(0, place.start) + place.replace + text.slice(place.start + place.was.length);
}

describe('a fault finds its place', () => {
  test('in a method, a field, a constant, and what stands within one', () => {
    assert.match(planted({ in: 'Claims.take', find: 'dueAt <= now' }), /return …;/);
    assert.match(planted({ in: 'Claims.#limit', find: '0.5' }), /#limit = …;/);
    assert.match(planted({ in: 'NAMES', find: "['a', 'b']" }), /NAMES = …;/);
    assert.match(planted({ in: 'takers.take', find: '<= 1' }), /now …/);
    assert.match(planted({ in: 'Claims.take', find: 'a <=' }), /'… b'/);
  });

  test('when its file has moved, and a formatter has laid it out in another way', () => {
    const other = code
      .replace('    return dueAt <= now;', '    return (\n      // late\n      dueAt\n        <= now\n    );')
      .replace("['a', 'b']", "[\n  'a',\n  'b',\n]");
    assert.match(planted({ in: 'Claims.take', find: 'dueAt <= now' }, other, 'src/a/b.ts'), /late\n +…\n/);
    assert.match(planted({ in: 'NAMES', find: "['a', 'b']" }, other), /NAMES = …;/);
  });

  test('or one line says what was looked for, and where these words stand now', () => {
    const lost = (edit: { in: string; find: string }): string => {
      let said = '';
      assert.throws(
        () => planted(edit),
        (error: Error) => {
          said = error.message;
          return true;
        },
      );
      return said;
    };
    assert.equal(
      lost({ in: 'Claims.take', find: 'dueAt < now' }),
      '"dueAt < now" stands 0 times in Claims.take (src/claims.ts:5)',
    );
    assert.equal(
      lost({ in: 'Claims.took', find: 'dueAt <= now' }),
      '"dueAt <= now" stands 0 times in Claims.took (which is declared nowhere); these words stand in src/claims.ts:7',
    );
    assert.match(lost({ in: 'Claims.take', find: 'dueAt' }), /^"dueAt" stands 2 times in Claims.take /);
    for (const find of ['dueAt <', '= now', '5'])
      assert.match(lost({ in: 'Claims', find }), /stands 0 times in Claims /, find);
  });
});
