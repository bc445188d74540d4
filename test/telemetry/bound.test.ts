/** How many series there are, whatever the number of tasks; and the catalogue of metrics. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { days, minutes, type Registration } from '../../src/index.ts';
import { METRICS, OTHERS } from '../../src/telemetry/index.ts';
import { fails, stage } from './stage.ts';

describe('the bound on series', () => {
  const list = (count: number): Registration[] =>
    Array.from({ length: count }, (_, index) => [
      `task ${index}`,
      '* * * * *',
      index === 7 ? fails : () => {},
      days(1),
    ]);

  test('beyond the limit tasks share one label: their counters add up, and the worst of them shows', async () => {
    const { clock, scheduler, page, measured } = stage({ tasks: 5 });
    await scheduler.initialize(list(20));
    await clock.advance(minutes(3));
    const seen = await page();
    const names = new Set(seen.samples('obbligato_runs_total').map(({ labels }) => labels?.task));
    assert.deepEqual([...names].sort(), [OTHERS, ...[0, 1, 2, 3, 4].map((index) => `task ${index}`)]);
    assert.equal(seen.value('obbligato_runs_total', { task: OTHERS, outcome: 'success' }), 14 * 4);
    assert.equal(seen.value('obbligato_runs_total', { task: OTHERS, outcome: 'failure' }), 4);
    assert.equal(seen.value('obbligato_task_consecutive_failures', { task: OTHERS }), 4);
    assert.equal(seen.value('obbligato_task_overdue_seconds', { task: OTHERS }), 0);
    assert.equal(seen.samples('obbligato_task_next_due_timestamp_seconds').length, 5);
    assert.equal(seen.value('obbligato_tasks', { state: 'waiting' }), 19);
    assert.equal(seen.value('obbligato_tasks', { state: 'retrying' }), 1);
    await scheduler.stop();
    measured.close();
  });

  test('a list of names gets series; a removed task loses its series and gives up its place', async () => {
    const named = stage({ tasks: ['task 3'] });
    await named.scheduler.initialize(list(5));
    await named.clock.advance(minutes(1));
    const seen = await named.page();
    assert.deepEqual(
      new Set(seen.samples('obbligato_runs_total').map(({ labels }) => labels?.task)),
      new Set(['task 3', OTHERS]),
    );
    await named.scheduler.stop();
    named.measured.close();

    const { clock, scheduler, page, measured } = stage({ tasks: 1 }, { reload: true });
    await scheduler.initialize([['old', '* * * * *', () => {}, 0]]);
    await clock.advance(minutes(1));
    await scheduler.initialize([['new', '* * * * *', () => {}, 0]]);
    await clock.advance(minutes(1));
    const names = (await page()).samples('obbligato_runs_total').map(({ labels }) => labels?.task);
    assert.deepEqual(new Set(names), new Set(['new']));
    await scheduler.stop();
    measured.close();
  });

  test('the catalogue: names, kinds and labels are as Prometheus wants them', () => {
    const names = Object.values(METRICS).map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    for (const { name, kind, labels, buckets, unit } of Object.values(METRICS)) {
      assert.match(name, /^obbligato_[a-z_]+$/);
      assert.equal(name.endsWith('_total'), kind === 'counter', name);
      assert.equal(/_seconds(_total)?$/.test(name), unit === 's', name);
      assert.ok(!labels.includes('task') || labels.at(-1) === 'task', name);
      assert.deepEqual(
        buckets,
        buckets?.toSorted((a, b) => a - b),
        name,
      );
      assert.equal(buckets !== undefined, kind === 'histogram', name);
    }
  });
});
