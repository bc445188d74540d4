/** What the dashboard answers: lists, one task, its runs, lanes, load, the plan of a deploy, controls, and changes as they happen. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { memory, minutes, type Registration, task } from '../../src/index.ts';
import { Words } from '../patience.ts';
import { atEnd, dashboardOf, ours, runEach, stage } from './kit.ts';
import { failing, recordOf } from './records.ts';

const yearly = '0 0 1 1 *';
const good: Registration = ['good', yearly, () => {}, minutes(1)];
const bad: Registration = [
  'bad',
  yearly,
  () => {
    throw new RangeError('no room');
  },
  minutes(30),
];

describe('the answers of a dashboard', () => {
  test('a list has every task with its state, its last outcome, its next start and its words', async (t) => {
    const scene = await stage(t, [good, bad, ['later', yearly, () => {}, 0]]);
    await runEach(scene, 'good', 'bad');
    const { rows, total, matching } = (await scene.ask('/api/tasks')).json;
    assert.deepEqual([total, matching], [3, 3]);
    assert.deepEqual(
      rows.map(({ name, state, lastOutcome, failures }) => [name, state, lastOutcome, failures]),
      [
        ['bad', 'retry', 'failure', 1],
        ['good', 'waiting', 'success', 0],
        ['later', 'waiting', null, 0],
      ],
    );
    assert.equal(rows[0].lastError?.message, 'no room');
    assert.equal(rows[2].words, 'At 00:00 on the 1st of January');
    const next = new Date(rows[2].next ?? 0);
    assert.equal(`${next.toISOString().slice(4)}`, '-12-31T23:00:00.000Z');
    assert.ok(Number(rows[1].next) > Number(rows[1].lastEndAt));
  });

  test('a list is searched, filtered, sorted and cut by the server', async (t) => {
    const store = memory();
    const session = await store.open({ waitMs: 0 });
    const puts = Array.from({ length: 250 }, (_, index) => recordOf(`task-${index}`, index));
    await session.commit({ puts });
    atEnd(t, () => session.close());
    const { ask } = await dashboardOf(t, store);
    const names = async (query: string): Promise<string[]> =>
      (await ask(`/api/tasks?${query}`)).json.rows.map(({ name }) => name);
    assert.deepEqual(await names('search=TASK-24&sort=duration&order=down'), [
      ...Array.from({ length: 10 }, (_, index) => `task-${249 - index}`),
      'task-24',
    ]);
    assert.deepEqual(await names('state=failing&limit=2'), ['task-0', 'task-10']);
    assert.deepEqual(await names('state=failing&offset=24'), ['task-90']);
    assert.deepEqual(await names('state=paused'), ['task-7']);
    const { json } = await ask('/api/tasks?limit=200&offset=100&sort=duration');
    assert.deepEqual([json.matching, json.rows.length, json.rows[0].name], [250, 150, 'task-100']);
    const { json: state } = await ask('/api/state');
    assert.deepEqual([state.counts.all, state.counts.failing, state.counts.paused], [250, 25, 1]);
  });

  test('one task has its expression in words, its policy, and twenty starts with the clock changes between them', async (t) => {
    const nightly = task({
      name: 'nightly',
      cron: '30 2 * * *',
      run: () => {},
      timeout: minutes(5),
      retry: { delay: minutes(1), max: 3, backoff: 2 },
    });
    const now = Date.UTC(2027, 2, 20);
    const { ask } = await stage(t, [nightly], { now: () => now });
    const { json } = await ask('/api/task?name=nightly');
    assert.match(json.sentence, /^At 02:30 every day, Europe\/Berlin time\./);
    assert.equal(json.starts.length, 20);
    assert.deepEqual(
      json.changes.map(({ at, text }) => [new Date(at).toISOString(), text]),
      [
        [
          '2027-03-28T01:00:00.000Z',
          'On Sunday 28 March 2027 at 02:00 the clock goes forward to 03:00: 02:30 is skipped.',
        ],
      ],
    );
    assert.ok(!json.starts.some((start) => new Date(start).toISOString().startsWith('2027-03-28')));
    assert.deepEqual(
      Object.fromEntries(json.policy).Retry,
      'after 1 minute, then 2 times as long each time, given up after 3 attempts',
    );
    assert.deepEqual(Object.fromEntries(json.policy)['Time limit'], '5 minutes');
    assert.equal((await ask('/api/task?name=nobody')).status, 404);
  });

  test('the history of a task has errors with their stacks, and is cut', async (t) => {
    const scene = await stage(t, [bad]);
    await runEach(scene, 'bad');
    const { ask } = scene;
    const { runs } = (await ask('/api/history?name=bad')).json;
    assert.equal(runs.length, 1);
    assert.equal(runs[0].outcome, 'failure');
    assert.match(runs[0].error?.text ?? '', /RangeError: no room\n.*answers\.test\.ts/);
    const { json } = await ask('/api/history?name=bad&offset=1');
    assert.deepEqual(json, { isKept: true, runs: [], hasMore: false });
    assert.deepEqual((await ask('/api/history?name=bad&outcome=success')).json.runs, []);
  });

  test('lanes have bars, the starts to come, and due instants that a later run has served too', async (t) => {
    const store = memory();
    const session = await store.open({ waitMs: 0 });
    atEnd(t, () => session.close());
    const at = Date.UTC(2027, 0, 4, 12, 30);
    const hour = 3_600_000;
    // It was down from 8 to 12: 9:00, 10:00 and 11:00 have no runs of their own.
    const run = { runId: 'r', instanceId: 'i', startedAt: at, reason: 'due', cutOffAt: null } as const;
    const work = { key: 'k', scheduledFor: at - hour / 2, attempt: 1 };
    await session.commit({
      puts: [
        {
          ...recordOf('hourly', 1),
          cron: '0 * * * *',
          policy: '{"timeZone":"UTC"}',
          firstSeenAt: at - 4.5 * hour,
          servedThrough: at - 4.5 * hour,
          work: null,
          failures: 0,
          failingSince: null,
        },
      ],
    });
    await session.commit({ starts: [{ name: 'hourly', version: 1, work, run }] });
    const end = {
      name: 'hourly',
      runId: 'r',
      instanceId: 'i',
      reason: 'due',
      work,
      calledAt: at - 1000,
      endedAt: at,
      outcome: 'success',
      pendingRetryUntil: null,
      failures: 0,
      failingSince: null,
      error: null,
    } as const;
    await session.commit({ ends: [end] });
    const { ask } = await dashboardOf(t, store, { now: () => at });
    const { json } = await ask(`/api/timeline?from=${at - 6 * hour}&to=${at + 2 * hour}`);
    const [lane] = json.lanes;
    assert.deepEqual(lane.bars, [[at - 1000, at, 'success', 1, 1]]);
    assert.deepEqual(
      lane.dues.map((due) => new Date(due).toISOString()),
      ['2027-01-04T13:00:00.000Z', '2027-01-04T14:00:00.000Z'],
    );
    assert.deepEqual(
      lane.shared.map(([due, by]) => [new Date(due).toISOString().slice(11, 16), by === at - 1000]),
      [
        ['09:00', true],
        ['10:00', true],
        ['11:00', true],
      ],
    );
  });

  test('load counts what has run and what is coming, and names the fullest minutes', async (t) => {
    const daily: Registration[] = Array.from({ length: 30 }, (_, index) => [
      `daily-${index}`,
      '0 3 * * *',
      () => {},
      0,
    ]);
    const each: Registration = ['good', '* * * * *', () => {}, minutes(1)];
    const { until, ask } = await stage(t, [each, ...daily]);
    await until('/api/tasks?search=good', ({ rows }) => rows[0]?.trend.length >= 1);
    const { json } = await ask('/api/load?step=60');
    const sum = (counts: readonly number[]): number => counts.reduce((all, each) => all + each, 0);
    assert.ok(sum(json.good) >= 1);
    assert.ok(Math.abs(sum(json.coming) - (1440 + 30)) <= 31, `${sum(json.coming)} starts in a day`);
    assert.equal(json.busiest[0].starts, 31);
    assert.deepEqual([json.counted, json.tasks], [31, 31]);
  });

  test('the plan of a deploy is there if its tasks are', async (t) => {
    const { ask } = await stage(t, [good, ['old', yearly, () => {}, 0]], {
      tasks: [good, ['fresh', yearly, () => {}, 0]],
    });
    const { json } = await ask('/api/plan');
    assert.deepEqual([json.added, json.removed, json.preserved], [['fresh'], ['old'], 1]);
  });

  test('I1 a control is asked of the scheduler through the store, and only where controls are on', async (t) => {
    let runs = 0;
    const later: Registration = ['later', yearly, () => void runs++, 0];
    const body = JSON.stringify({ kind: 'run', task: 'later' });
    const { ask, until } = await stage(t, [later], { control: true });
    const { json } = await ask('/api/control', { method: 'POST', headers: ours, body });
    assert.deepEqual([json.kind, json.task, json.state], ['run', 'later', 'applied']);
    await until('/api/tasks', ({ rows }) => rows[0].lastOutcome === 'success');
    assert.equal(runs, 1);
    const pause = JSON.stringify({ kind: 'pause', task: 'later' });
    await ask('/api/control', { method: 'POST', headers: ours, body: pause });
    await until('/api/tasks', ({ rows }) => rows[0].state === 'paused' && rows[0].next === null);

    const still = await stage(t, [later]);
    const refused = await still.ask('/api/control', { method: 'POST', headers: ours, body });
    assert.deepEqual([refused.status, refused.json.error], [403, 'Controls are off here.']);
    assert.equal((await still.ask('/api/state')).json.mayControl, false);
  });

  test('a viewer hears of a change that another process could have made', async (t) => {
    const { port, ask } = await stage(t, [['later', yearly, () => {}, 0]], { control: true });
    const words = new Words();
    const stream = request({ host: '127.0.0.1', port, path: '/api/events' }, (response) => {
      response.on('data', (piece: Buffer) => words.hear(piece));
    });
    stream.on('error', () => {});
    stream.end();
    atEnd(t, () => stream.destroy());
    await words.says(/event: change\nid: 1\n/);
    await ask('/api/control', {
      method: 'POST',
      headers: ours,
      body: JSON.stringify({ kind: 'run', task: 'later' }),
    });
    await words.says(/id: 2\ndata: .*"changed":\["later"\]/);
  });

  test('a store that is not there yet is waited for, and trouble is said', async (t) => {
    const { ask } = await dashboardOf(t, failing());
    const { json } = await ask('/api/state');
    assert.match(json.trouble ?? '', /the disk is gone/);
    assert.deepEqual((await ask('/api/tasks')).json.rows, []);
  });
});
