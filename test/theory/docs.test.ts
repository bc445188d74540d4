/** docs/theory.md against the code: its tables are made from the axioms. (That its snippets run is held by test/docs.) */
import { describe, test } from 'node:test';
import { type Axiom, axioms } from '../../src/theory/axioms/index.ts';
import type { Formula } from '../../src/theory/logic/formula.ts';
import { assertGenerated, table } from './generated.ts';
import { changes } from './reference/changes.ts';
import { macroNames, show } from './reference/show.ts';

const code = (text: string): string => `\`${text}\``;
const written = ({ formula, id }: Axiom): string =>
  id === 'EN3' ? code('t_lag < 1 minute') : code(show(formula, macroNames));

/** How an axiom is checked: a formula of the whole trace is not compiled. */
const checked = ({ scope, unbreakable }: Axiom): string => {
  if (unbreakable !== undefined) return 'never';
  return scope === 'trace' ? 'by hand' : 'compiled';
};

describe('docs/theory.md', () => {
  test('has every axiom, as it is in the code', () => {
    const rows = axioms
      .filter(({ part }) => part !== 'polling')
      .map((axiom) => [
        axiom.id,
        axiom.name,
        axiom.says,
        written(axiom),
        checked(axiom),
        axiom.blame,
        changes[axiom.id] ?? '',
      ]);
    assertGenerated('axioms', table(['id', 'name', 'says', 'formula', 'checked', 'blame', 'repaired'], rows));
  });

  test('has every macro, as it is in the code', () => {
    const rows = Array.from(macroNames, ([formula, name]) => [code(name), code(definition(formula))]);
    assertGenerated('macros', table(['word', 'means'], rows));
  });

  test('has every property of the polling specification, and what was changed', () => {
    const rows = axioms
      .filter(({ part }) => part === 'polling')
      .map((axiom) => [
        axiom.id,
        axiom.name,
        axiom.says,
        written(axiom),
        changes[axiom.id] ?? axiom.unbreakable ?? '',
      ]);
    assertGenerated(
      'properties',
      table(['id', 'name', 'says', 'formula', 'what was changed, and why'], rows),
    );
  });
});

/** What a macro stands for, with the names of the others. */
function definition(formula: Formula): string {
  const others = new Map(macroNames);
  others.delete(formula);
  return show(formula, others);
}
