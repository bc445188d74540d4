/** What was found once stays found, and what is found is told so that it can be mended: short, readable, ready to be kept. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createWorld, describeScenario, regressionTest, runTwice } from '../../src/simulation/index.ts';
import { CORPUS } from './corpus.ts';

describe('the corpus', () => {
  for (const { file, rule, scenario } of CORPUS) {
    test(`${rule} ${file}`, async () => {
      const { violations } = await runTwice(createWorld({ scenario }));
      assert.deepEqual(violations, []);
    });
  }
});

test('a scenario is one readable line an event, and a test ready to be pasted', () => {
  const [{ scenario }] = CORPUS.filter(({ file }) => file.startsWith('due-in-the-turn'));
  assert.equal(
    describeScenario(scenario),
    [
      'seed 10223: 2026-06-01T19:46:46.867Z UTC, no bound on workers',
      '  +00:03:18.749 start [t2 "* * * * *" 5000 ms]',
      '  +00:03:55.615 crash before port call 76, back after 42 ms',
      '  +00:26:35.823 the wall clock is set by -30000 ms',
      '  +00:26:38.912 held for 89081 ms',
    ].join('\n'),
  );
  const text = regressionTest(scenario, 'A2 kept');
  assert.match(
    text,
    /^test\("A2 kept", async \(\) => \{\n {2}const \{ violations \} = await createWorld\(\{ scenario: \{"seed":10223/,
  );
});
