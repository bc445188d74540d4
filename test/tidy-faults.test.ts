/** Every planted fault finds its place in the sources, and the test that is to find it exists. Nothing is played here. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import ts from 'typescript6';
import { editsOf, type Fault, type PlantedFault } from './faults/fault.ts';
import { placeOf } from './faults/place.ts';
import { TABLES } from './faults/tables.ts';
import { importsOf, list, read, root } from './tidy/sources.ts';

/** One line for each fault of which something is wrong. */
const wrongIn = (
  judge: (fault: Fault | PlantedFault, faults: readonly Fault[]) => readonly string[],
): string[] =>
  TABLES.flatMap(({ playedBy, faults }) =>
    faults.flatMap((fault) => judge(fault, faults).map((wrong) => `${playedBy}: ${fault.name}: ${wrong}`)),
  );

function lost(fault: Fault): string[] {
  return editsOf(fault).flatMap((edit) => {
    try {
      placeOf(edit);
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
}

/** So much of a template is known that it is no template of many texts. */
const ENOUGH = 10;

/** The texts of a test file. Of a template only what stands around its values is known. */
function textsOf(file: string): RegExp[] {
  const texts: RegExp[] = [];
  const escaped = (text: string): string => text.replace(/[^\w ,]/g, '\\$&');
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts.push(new RegExp(`^${escaped(node.text)}$`));
    if (ts.isTemplateExpression(node)) {
      const parts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
      if (parts.join('').length >= ENOUGH) texts.push(new RegExp(`^${parts.map(escaped).join('.*')}$`));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest));
  return texts;
}

const known = new Map<string, readonly RegExp[]>();

function hasText(file: string, text: string): boolean {
  const texts = known.get(file) ?? textsOf(file);
  known.set(file, texts);
  return texts.some((each) => each.test(text));
}

function unknown(fault: Fault | PlantedFault): string[] {
  if (!('foundBy' in fault)) return [];
  const [path, title] = fault.foundBy;
  const file = `test/${path}`;
  if (!existsSync(join(root, file))) return [`there is no ${file}`];
  // A suite that every store passes is imported, in parts.
  const files = new Set([file]);
  for (let step = 0; step < 3; step++) for (const each of [...files].flatMap(importsOf)) files.add(each);
  return [...files].some((each) => hasText(each, title)) ? [] : [`${file} has no test "${title}"`];
}

describe('planted faults', () => {
  test('each finds its place in the sources', () => {
    assert.deepEqual(wrongIn(lost), []);
  });

  test('each names a test that exists', () => {
    assert.deepEqual(wrongIn(unknown), []);
  });

  test('each has a name of its own in its table', () => {
    const twice = (fault: Fault, faults: readonly Fault[]): string[] =>
      faults.find(({ name }) => name === fault.name) === fault ? [] : ['another one has this name'];
    assert.deepEqual(wrongIn(twice), []);
  });

  test('each is in a table that test/faults/tables.ts lists, and each table is played by a test file', () => {
    const files = list('test/**/*.ts').filter((file) => !file.startsWith('test/faults/'));
    const written = files.flatMap((file) => read(file).match(/\bin: .+,(\s+\/\/ .+)?\s+find: /g) ?? []);
    const listed = TABLES.flatMap(({ faults }) => faults.flatMap(editsOf));
    assert.equal(written.length, listed.length);
    assert.deepEqual(
      TABLES.filter(({ playedBy }) => !existsSync(join(root, playedBy))),
      [],
    );
  });
});
