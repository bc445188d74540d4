/** The live view without a terminal: what its model makes of events, and that no line is ever too wide, nor a screen too high. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseRows } from '../../src/cli/live/choose.ts';
import { Model } from '../../src/cli/live/model.ts';
import { createDues } from '../../src/cli/live/next-due.ts';
import { render } from '../../src/cli/live/render.ts';
import { styleFor } from '../../src/cli/terminal/style.ts';
import { widthOf } from '../../src/cli/terminal/text.ts';
import type { SchedulerEvent, TaskRecord } from '../../src/index.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { fc } from '../property.ts';

const zone = zoneOf('UTC');
const begun = Date.UTC(2027, 2, 1, 12, 0, 30);
const minute = Date.UTC(2027, 2, 1, 12, 1);
const style = styleFor({ write() {} }, { FORCE_COLOR: '1' });
const plain = styleFor({ write() {} }, {});

function modelOf(...names: string[]): Model {
  const tasks = names.map((name) => ({ name, cron: '* * * * *' }));
  const model = new Model({ tasks, store: 'x.db', config: 'c.ts', timeZone: 'UTC', pid: 42 }, zone);
  model.event({
    type: 'SchedulerInitializationCompleted',
    at: begun,
    added: [],
    overridden: [],
    orphaned: [],
    removed: [],
  });
  return model;
}

const started = (task: string, at: number, scheduledFor = minute) =>
  ({
    type: 'TaskRunStarted',
    at,
    task,
    runId: 'r',
    key: 'k',
    scheduledFor,
    attempt: 1,
    reason: 'due',
    lateMs: 0,
  }) satisfies SchedulerEvent;
const completed = (task: string, at: number): SchedulerEvent => ({
  type: 'TaskRunCompleted',
  at,
  task,
  runId: 'r',
  durationMs: 5,
});
const failed = (task: string, at: number) =>
  ({
    type: 'TaskRunFailed',
    at,
    task,
    runId: 'r',
    durationMs: 5,
    attempt: 1,
    outcome: 'failure' as const,
    error: new Error('no'),
    pendingRetryUntil: at + 90_000,
  }) satisfies SchedulerEvent;
/** Something that happens to a task, whether or not it makes sense. */
function happen(model: Model, name: string, what: string, words: string): void {
  if (what === 'start') model.event(started(name, minute));
  if (what === 'ok') model.event(completed(name, minute));
  if (what === 'fail') model.event(failed(name, minute));
  if (what === 'say') model.output({ task: name, stream: 'stdout', line: words }, minute);
}

const screenOf = (model: Model, columns: number, rows: number, now: number): string[] =>
  render(model, { columns, rows }, { now, zone, style: plain, ...createDues('UTC') });

describe('the model of the live view', () => {
  test('follows a task through its states', () => {
    const model = modelOf('a');
    const [row] = model.rows;
    assert.deepEqual(row.state, { kind: 'waiting' });
    model.event(started('a', minute + 20));
    assert.deepEqual(
      [row.state, row.lateMs],
      [{ kind: 'running', since: minute + 20, isRestart: false }, 20],
    );
    model.event(failed('a', minute + 50));
    assert.deepEqual([row.state, row.failed], [{ kind: 'retry', at: minute + 90_050 }, 1]);
    model.event({
      ...started('a', minute + 90_060),
      type: 'TaskRetryStarted',
      reason: 'retry',
    } as SchedulerEvent);
    assert.equal(row.lateMs, 10);
    model.event(completed('a', minute + 90_070));
    assert.deepEqual([row.state, row.succeeded, row.last?.outcome], [{ kind: 'waiting' }, 1, 'ok']);
  });

  test('what was due before this life is caught up with, and not called late', () => {
    const model = modelOf('a');
    model.event(started('a', begun + 15, begun - 86_400_000));
    assert.equal(model.rows[0].lateMs, 15);
  });

  test('A5 its own run is not what a task is late by; what the scheduler tells counts', () => {
    const model = modelOf('a');
    const [row] = model.rows;
    model.event(started('a', minute));
    model.event(completed('a', minute + 72_000));
    model.event(started('a', minute + 72_003, minute + 60_000));
    assert.equal(row.lateMs, 3);
    const late = { type: 'TaskStartedLate', at: minute + 72_003, task: 'a', lateMs: 5_000 };
    model.event(late as SchedulerEvent);
    assert.equal(row.lateMs, 5_000);
  });

  test('begins with what the store knew, but events know better', () => {
    const model = modelOf('old', 'new');
    model.event(started('new', minute));
    const record = (name: string): TaskRecord => ({
      name,
      cron: '* * * * *',
      version: 1,
      retryDelayMs: 0,
      policy: null,
      pausedAt: null,
      firstSeenAt: 0,
      servedThrough: 0,
      lastAttemptAt: 5,
      lastSuccessAt: 3,
      lastFailureAt: 7,
      pendingRetryUntil: minute + 5,
      failures: 0,
      failingSince: null,
      lastError: null,
      lastDurationMs: null,
      work: null,
      run: null,
    });
    model.remember([record('old'), record('new'), record('unknown')]);
    const [old, fresh] = model.rows;
    assert.deepEqual(
      [old.state, old.last],
      [
        { kind: 'retry', at: minute + 5 },
        { outcome: 'failed', at: 7 },
      ],
    );
    assert.equal(fresh.state.kind, 'running');
  });

  test('keeps a bounded log', () => {
    const model = modelOf('a');
    for (let line = 0; line < 5000; line++)
      model.output({ task: 'a', stream: 'stdout', line: `${line}` }, line);
    assert.ok(model.log.length <= 400);
    assert.equal(model.log.at(-1)?.text, '4999');
  });
});

describe('what the live view shows', () => {
  test('the earlier of the retry and the next due instant is the next start', () => {
    const model = modelOf('a', 'b');
    for (const name of ['a', 'b']) model.event(started(name, minute));
    model.event({ ...failed('a', minute), pendingRetryUntil: minute + 10_000 });
    model.event(failed('b', minute));
    const lines = screenOf(model, 120, 20, minute + 1000);
    assert.match(lines[2], /^↻ a +retry +12:01:10 +9 s/);
    assert.match(lines[3], /^↻ b +retry +12:02 +59 s/);
  });

  test('whoever is owed a start that does not come is said to be, from its first due on', () => {
    const model = modelOf('a', 'b');
    model.event(started('b', begun, begun));
    model.event({ ...started('a', begun), reason: 'orphaned' });
    model.event(completed('a', begun + 5));
    const rowOf = (now: number): string => screenOf(model, 120, 20, now)[2];
    assert.match(rowOf(minute + 900), /^○ a +waiting +12:02 /, 'its start is on its way');
    assert.match(rowOf(minute + 8000), /^⚠ a +owed 8 s +12:01 +now /);
    assert.match(
      rowOf(minute + 68_000),
      /^⚠ a +owed 1 min 8 s +12:01 +now /,
      'from the first, not from the last',
    );
    model.event(started('a', minute + 70_000));
    model.event(completed('a', minute + 70_005));
    assert.match(rowOf(minute + 71_500), /^○ a +waiting +12:03 /, 'one start serves them all (A3)');
    assert.match(screenOf(model, 120, 20, minute + 71_500)[3], /^● b +running/, 'who runs is not owed (A5)');
    model.event({ type: 'SchedulerStopRequested', at: minute + 200_000, running: 1 });
    assert.match(rowOf(minute + 200_000), /^○ a +waiting/, 'nothing more is started');
  });

  test('what the store knows to be unserved is owed; a name that is new, in its first minute too (E2)', () => {
    const model = modelOf('old', 'new');
    const old = {
      name: 'old',
      cron: '* * * * *',
      retryDelayMs: 0,
      version: 1,
      policy: null,
      pausedAt: null,
      firstSeenAt: 0,
      lastAttemptAt: null,
    };
    const history = {
      lastSuccessAt: null,
      lastFailureAt: null,
      pendingRetryUntil: null,
      failures: 0,
      failingSince: null,
      lastError: null,
      lastDurationMs: null,
      work: null,
      run: null,
    };
    model.remember([{ ...old, ...history, servedThrough: begun - 95_000 }]);
    assert.match(screenOf(model, 120, 20, begun + 500)[2], /^○ old +waiting/, 'it has only just begun');
    const lines = screenOf(model, 120, 20, begun + 1000);
    assert.match(lines[2], /^⚠ old +owed 1 min 31 s +11:59 +now/);
    assert.match(lines[3], /^⚠ new +owed 31 s +12:00 +now/);
  });

  test('the first line has the process, whole, in a terminal of 40 columns and less', () => {
    const titleAt = (columns: number): string => screenOf(modelOf('a', 'b'), columns, 20, minute)[0];
    assert.deepEqual([60, 40, 38, 37, 36, 31].map(titleAt), [
      'obbligato 2 tasks · pid 42 · x.db · UTC            12:01:00',
      'obbligato 2 tasks · pid 42 · … 12:01:00',
      'obbligato 2 tasks · pid 42 … 12:01:00',
      'obbligato 2 tasks · pid 42  12:01:00',
      'obbligato 2 tasks · pid 42 12:01:00',
      'obbligato pid 42      12:01:00',
    ]);
  });

  test('I3 a task that runs and is paused shows both', () => {
    const model = modelOf('a');
    model.event(started('a', minute));
    model.event({ type: 'TaskPaused', at: minute + 1000, task: 'a' } as SchedulerEvent);
    assert.match(screenOf(model, 120, 10, minute + 5000).join('\n'), /a +running 5 s, paused /);
  });

  test('trouble with the store stands at the top until it is over', () => {
    const model = modelOf('a');
    model.event({ type: 'StoreTroubleStarted', at: begun, error: new Error('disk full') });
    assert.match(screenOf(model, 80, 20, begun)[1], /the store fails, starts wait: disk full/);
    model.event({ type: 'StoreTroubleEnded', at: begun + 1, sinceMs: 1 });
    assert.doesNotMatch(screenOf(model, 80, 20, begun)[1], /store fails/);
  });

  test('no line is wider than the terminal, and no screen higher, whatever the size, the names and the lines', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.constantFrom('日本語のタスク', '👩‍👩‍👧‍👦 family', 'a\tb\nc', '\u001b[31mred'),
    );
    const names = fc.uniqueArray(
      text.filter((name) => name !== ''),
      { maxLength: 40 },
    );
    const action = fc.tuple(fc.nat(39), fc.constantFrom('start', 'ok', 'fail', 'say', 'none'), text);
    const size = fc.record({
      columns: fc.integer({ min: 1, max: 160 }),
      rows: fc.integer({ min: 1, max: 50 }),
    });
    fc.assert(
      fc.property(names, fc.array(action, { maxLength: 60 }), size, (list, actions, { columns, rows }) => {
        const model = modelOf(...list);
        for (const [index, what, words] of actions) {
          happen(model, list[index % Math.max(1, list.length)] ?? 'nobody', what, words);
        }
        const options = { now: minute + 3000, zone, style, ...createDues('UTC') };
        const lines = render(model, { columns, rows }, options);
        assert.ok(lines.length <= rows, `${lines.length} lines on ${rows} rows`);
        for (const line of lines) {
          assert.ok(widthOf(line) <= Math.max(1, columns - 1), `${widthOf(line)} in ${columns}: ${line}`);
          assert.doesNotMatch(line, /[\n\r\t]/);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('which rows are shown', () => {
  test('running before owed before retrying before failed before the soonest, in their own order', () => {
    const model = modelOf('late', 'failed', 'soon', 'running', 'retry', 'owed');
    const [, hasFailed, , running, retry] = model.rows;
    hasFailed.last = { outcome: 'failed', at: 0 };
    running.state = { kind: 'running', since: 0, isRestart: false };
    retry.state = { kind: 'retry', at: 0 };
    const around = {
      nextOf: ({ name }: { name: string }): number => (name === 'late' ? 9 : 1),
      owedSince: ({ name }: { name: string }) => (name === 'owed' ? 1 : undefined),
    };
    const chosen = (room: number): string[] => chooseRows(model.rows, room, around).map(({ name }) => name);
    assert.deepEqual(chosen(1), ['running']);
    assert.deepEqual(chosen(2), ['running', 'owed']);
    assert.deepEqual(chosen(3), ['running', 'retry', 'owed']);
    assert.deepEqual(chosen(4), ['failed', 'running', 'retry', 'owed']);
    assert.deepEqual(chosen(5), ['failed', 'soon', 'running', 'retry', 'owed']);
    assert.deepEqual(chosen(6), ['late', 'failed', 'soon', 'running', 'retry', 'owed']);
  });
});
