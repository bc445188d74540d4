/** Real processes on real files, killed with SIGKILL at exact points: a sample of the campaign `crash`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axioms } from '../../src/theory/index.ts';
import { figuresInWords } from '../outcome.ts';
import { few } from '../sample.ts';
import { drawChains, runCampaign } from './campaign.ts';
import { judge } from './judge.ts';

test('A1, A4, A10, E6 after every kill, exactly what is owed runs', async (t) => {
  const chains = few(8, 24);
  const report = await runCampaign(drawChains(chains, 10, 20_261_115));
  t.diagnostic(figuresInWords(report));
  assert.deepEqual(report.violations, []);
  const kills = report.figures['lives killed'];
  assert.ok(kills >= 8 * chains, `only ${kills} kills`);
  for (const [point, count] of Object.entries(report.byPoint))
    assert.ok(count > 0, `no life was killed at "${point}"`);
  // EN3 depends on the witnesses.
  const breakable = axioms.filter(({ id, unbreakable }) => unbreakable === undefined && id !== 'EN3');
  assert.deepEqual(
    breakable.map(({ id }) => id).filter((id) => !report.tested.has(id)),
    [],
    'never put to the test',
  );
});

test('the judge sees a start that was not owed, an overlap, and a start that was lost', () => {
  const tasks = new Map([['a', { cron: '30 12 1 6 *', startWithinMs: 20_000 }]]);
  const at = Date.UTC(2026, 5, 1, 12, 30, 10);
  const run = { task: 'a', instance: 'i' };
  const init = { event: 'InitSuccess', at, plannedAt: at, call: 1, instance: 'i' } as const;
  const start = { event: 'RunStart', at: at + 1, runId: '1', ...run } as const;
  const success = { event: 'RunSuccess', at: at + 2, runId: '1', ...run } as const;
  const durable = { event: 'EndDurable', at: at + 3, runId: '1', ...run } as const;
  const killed = { event: 'Killed', at: at + 4 } as const;
  const again = { ...start, at: at + 5, runId: '2' } as const;
  const verdict = (...records: Parameters<typeof judge>[0]) => judge(records, tasks, 1000).violations;
  assert.deepEqual(verdict(init, start, success, durable), []);
  assert.match(verdict(init)[0], /a was owed a start and did not get it/);
  assert.match(verdict(init, start, success, durable, again)[0], /nothing was owed/);
  assert.match(verdict(init, start, again).join(), /while it was running/);
  assert.deepEqual(verdict(init, start, killed, init, again, { ...success, runId: '2' }, durable), []);
  assert.match(verdict(init, start, killed, init)[0], /did not get it/);
  assert.match(verdict(init, start, success, durable, killed, init, again)[0], /nothing was owed/);
  assert.deepEqual(verdict(init, start, success, killed, init), [], 'A10: it may be repeated, or not');
  const late = { ...init, at: at + 60_000 } as const;
  const skip = { event: 'DueSkipped', task: 'a', at: at + 60_001, dueAt: at - 10_000, why: 'late' } as const;
  assert.deepEqual(verdict(init, killed, late, skip), []);
  assert.deepEqual(verdict(init, killed, late, skip, killed, { ...late, at: at + 120_000 }), []);
  assert.match(verdict(init, { ...skip, at: at + 1 })[0], /was skipped/, 'H4: it is not too old');
  assert.match(verdict(init, start, success, durable, skip)[0], /was skipped/, 'it is served');
  assert.match(verdict(init, late, { ...start, at: at + 60_001 })[0], /nothing was owed/, 'too old');
});
