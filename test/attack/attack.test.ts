/**
 * The short form of `npm run campaign -- attack`: what the world does to real processes on real files. An attack is skipped only where the machine does not
 * let anybody play it (no root, no mounts, no compiler), and the reason is printed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresInWords } from '../outcome.ts';
import { ATTACKS } from './attacks.ts';
import { Ground } from './ground.ts';
import { growth } from './soak.ts';

for (const { name, what, unit, short, missing, play } of ATTACKS) {
  if (short === undefined) continue;
  test(`${name}: ${what}`, { skip: missing?.() ?? false }, async (t) => {
    const ground = new Ground({ seed: 20_261_116 });
    try {
      const outcome = await play(ground, short);
      t.diagnostic(`${name}: ${short} ${unit}: ${figuresInWords(outcome)}`);
      assert.deepEqual(outcome.violations, []);
    } finally {
      await ground.clean();
    }
  });
}

test('the soak sees what grows after the first ten minutes, and nothing else', () => {
  const calm = { 'RSS MiB': 150, descriptors: 30, 'WAL MiB': 16, 'store MiB': 5 };
  const first = Array.from({ length: 10 }, () => calm);
  assert.deepEqual(growth([...first, calm, { ...calm, 'RSS MiB': 155, descriptors: 31 }]), []);
  assert.deepEqual(growth(first.map(() => ({ ...calm, descriptors: 999 }))), []);
  for (const [measure, value] of Object.entries({
    'RSS MiB': 200,
    descriptors: 33,
    'WAL MiB': 30,
    'store MiB': 8,
  })) {
    const [found] = growth([...first, { ...calm, [measure]: value }]);
    assert.match(found, new RegExp(`^${measure} grew to ${value}`));
  }
});
