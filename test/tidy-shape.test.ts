/** The shape of the sources, as far as a machine can hold it: imports without circles, few imports per file, few fields per object. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cyclesOf } from './tidy/cycles.ts';
import { manyFields, manyImports } from './tidy/exceptions.ts';
import { objectTypesOf } from './tidy/objects.ts';
import { importsOf, list, parse, source } from './tidy/sources.ts';

const MAX_IMPORTS = 12;
const MAX_FIELDS = 12;

const files = list('src/**/*.ts');

/** Counts above the limit are those that are excepted, to the number: a count that fell is written down, so that it cannot rise again. */
function assertListed(counts: readonly (readonly [string, number])[], limit: number, listed: object): void {
  const found = Object.fromEntries(counts.filter(([, count]) => count > limit));
  assert.deepEqual(found, listed, 'test/tidy/exceptions.ts has the present numbers, and they may only fall');
}

const importCount = (imports: ReturnType<typeof parse>['imports']): number =>
  new Set(imports.filter(({ isPassedOn }) => !isPassedOn).map(({ specifier }) => specifier)).size;

describe('tidy shape', () => {
  test('no files of src import each other in a circle, imports of types included', () => {
    assert.deepEqual(cyclesOf(new Map(files.map((file) => [file, importsOf(file)]))), []);
  });

  test('a circle is found, however long, and whatever leads into it and out of it', () => {
    const edges = { a: 'b', b: 'cd', c: 'e', d: '', e: 'bf', f: 'g', g: 'fh', h: 'h', i: 'a' };
    const graph = new Map(Object.entries(edges).map(([from, to]) => [from, [...to]]));
    assert.deepEqual(cyclesOf(graph).sort(), [
      ['b', 'c', 'e'],
      ['f', 'g'],
    ]);
  });

  test(`no file of src imports more than ${MAX_IMPORTS} others`, () => {
    const counts = files.map((file) => [file, importCount(source(file).imports)] as const);
    assertListed(counts, MAX_IMPORTS, manyImports);
  });

  test('an import counts once, also that of a type, and what a door only passes on does not', () => {
    const code = `
      import { first } from './a.ts';
      import type { Second } from './a.ts';
      import type { Third } from './b.ts';
      type Fourth = import('./c.ts').Fourth;
      const later = await import('./d.ts');
      export { fifth } from './e.ts';
      export * from './f.ts';
    `;
    assert.equal(importCount(parse('imports.ts', code).imports), 4);
  });

  test(`no object type of src has more than ${MAX_FIELDS} fields`, () => {
    const counts = files.flatMap((file) =>
      objectTypesOf(file).map(({ name, fields }) => [`${file}: ${name}`, fields] as const),
    );
    assertListed(counts, MAX_FIELDS, manyFields);
  });

  test('fields are counted with those that a type takes from others', () => {
    const code = `
      interface Base { readonly a: string; b?: number; c(): void }
      interface Wider extends Base, Pick<Other, 'x'> { readonly a: 'narrower'; d: string }
      type Other = { x: number; y: number };
      type Both = Required<Omit<Wider, 'a' | 'b'>> & Partial<Other>;
      type Choice = { kind: 'one'; one: number } | { kind: 'two' };
      function take({ p, q }: { p: Base; q: { r: number } }): void {}
    `;
    assert.deepEqual(
      objectTypesOf('src/fields.ts', code).map(({ name, fields }) => [name, fields]),
      [
        ['Base', 3],
        ['Wider', 5],
        ['Other', 2],
        ['Both', 4],
        ['Choice', 0],
        ['an object in Choice', 2],
        ['an object in Choice', 1],
        ['an object in take', 2],
        ['an object in take', 1],
      ],
    );
  });
});
