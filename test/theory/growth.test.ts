/** What the oracle keeps, and what it looks at, must not grow with the trace. Counted, not timed: `npm run bench -- theory` measures. */
import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { Schedules } from '../../src/theory/calendar/valid-list.ts';
import { createMonitor } from '../../src/theory/index.ts';
import { Tasks } from '../../src/theory/tasks/tasks.ts';
import { Timeline } from '../../src/theory/tasks/timeline.ts';
import type { TraceRecord } from '../../src/trace/record.ts';
import { brokenBy, judge, violationOf } from './judge.ts';
import { randomOf } from './random.ts';
import { instant, shown, type Trace, trace } from './traces.ts';

const MINUTE_MS = 60_000;

/** A monitor that has seen an initialization, and the tasks that it keeps. */
function initialized(crons: readonly string[], at: number, retryDelayMs = 5000) {
  const task = mock.method(Tasks.prototype, 'task');
  const monitor = createMonitor();
  const registrations = crons.map((cron, i) => ({ name: `t${i}`, cron, retryDelayMs }));
  monitor.sink({ event: 'InitStart', at, call: 1, registrations, timeZone: 'UTC' });
  monitor.sink({ event: 'InitSuccess', at, call: 1 });
  const tasks: unknown = task.mock.calls[0]?.this;
  task.mock.restore();
  assert.ok(tasks instanceof Tasks);
  return { monitor, tasks };
}

const groupsOf = (tasks: Tasks): number => [...tasks.groups].length;
/** How many pasts the groups count, and how many of them they will show a due. */
const membersOf = (tasks: Tasks): number =>
  [...tasks.groups].reduce((sum, { members, awake }) => sum + members + awake.size, 0);

describe('B5 a clock that is set back again and again', () => {
  const schedules = ['* * * * *', '0-59 * * * *', '* 0-23 * * *'];
  const crons = Array.from({ length: 30 }, (_, i) => schedules[i % schedules.length]);

  /** Everybody runs, one after the other. */
  function* runs(from: number, apartMs: number): Generator<TraceRecord> {
    for (const [i] of crons.entries()) {
      const at = from + apartMs * i;
      yield { event: 'RunStart', at, task: `t${i}` };
      yield { event: 'RunSuccess', at, task: `t${i}` };
    }
  }
  const step = (from: number, backMs: number): TraceRecord => ({
    event: 'ClockStep',
    at: from - backMs,
    from,
    to: from - backMs,
  });

  /** After each of the steps, and at the end, how many groups there are, and how many are in them. */
  function counts(minutes: number, stepsAt: (at: number) => readonly TraceRecord[]) {
    const noon = instant('12:00');
    const { monitor, tasks } = initialized(crons, noon - 1);
    for (const record of runs(noon - 1, 0)) monitor.sink(record);
    const groups: number[] = [];
    const members: number[] = [];
    for (let i = 0; i < minutes; i++) {
      const at = noon + i * MINUTE_MS;
      for (const record of runs(at, 10)) monitor.sink(record);
      for (const record of stepsAt(at)) {
        monitor.sink(record);
        groups.push(groupsOf(tasks));
        members.push(membersOf(tasks));
      }
    }
    for (const record of runs(noon + minutes * MINUTE_MS, 10)) monitor.sink(record);
    assert.equal(monitor.verdict().conformant, true);
    return { groups, members, atEnd: groupsOf(tasks) };
  }

  test('B5 a step within a minute makes no groups, however many were served ahead of it', () => {
    const { groups, members } = counts(50, (at) => [step(at + 1000, 1000)]);
    assert.deepEqual(new Set(groups), new Set([1 + schedules.length]));
    assert.equal(Math.max(...members), Math.max(...members.slice(0, 10)), String(members));
  });

  test('B5 nor does a step behind a due that was served, and which does not count again', () => {
    const { groups, members, atEnd } = counts(50, (at) => [step(at + 10_000, 20_000)]);
    assert.deepEqual(new Set(groups), new Set([1 + schedules.length]));
    assert.equal(Math.max(...members), Math.max(...members.slice(0, 10)), String(members));
    assert.equal(atEnd, 1 + schedules.length);
  });
});

describe('B5 who sat out goes on as they were', () => {
  /** Served at 12:00, failed; then the clock goes back, the retry comes at 11:59:55, and noon does not repeat. */
  const owed = (): Trace =>
    trace()
      .at('11:59:58')
      .init({ a: '* * * * *', b: '* * * * *' })
      .start('a')
      .succeed('a')
      .start('b')
      .succeed('b')
      .at('12:00')
      .start('a')
      .start('b')
      .at('12:00:01')
      .fail('a')
      .succeed('b')
      .at('12:00:03')
      .clockStep('11:59:50');

  test('B5 L1 a demand is open since when it was', async () => {
    const late = owed().at('12:01').start('b').succeed('b').at('12:01:10').start('a');
    const verdict = await judge(late, { theory: ['scheduler'] });
    assert.deepEqual(brokenBy(verdict), ['L1']);
    assert.ok(violationOf(verdict, 'L1').because.includes(shown('11:59:55')));
  });

  test('B5 L1 …and is met in time', async () => {
    const good = owed().at('12:00:30').start('a').succeed('a').at('12:01').start('a').start('b');
    assert.deepEqual(brokenBy(await judge(good)), []);
  });

  test('B5 from the first due that counts on they are due again', async () => {
    const quiet = owed().at('12:00:30').start('a').succeed('a').at('12:01').start('a').at('12:03').stop();
    const verdict = await judge(quiet, { theory: ['scheduler'] });
    assert.deepEqual([violationOf(verdict, 'L1').task, brokenBy(verdict)], ['b', ['S3', 'L1']]);
  });
});

describe('a retry that comes due', () => {
  /** How often a past is looked at while retries come due, one after the other. */
  function looks(schedules: number): number {
    const crons = Array.from({ length: schedules }, (_, i) => `${i % 60} ${Math.floor(i / 60)} 1 1 *`);
    const { monitor, tasks } = initialized(crons, instant('11:59:50'), 1000);
    const at = instant('12:00:10');
    const run = (i: number, from: number): void => {
      monitor.sink({ event: 'RunStart', at: from, task: `t${i}` });
      monitor.sink({ event: 'RunFailure', at: from, task: `t${i}` });
    };
    for (let i = 0; i < 10; i++) run(i, at + 100 * i);
    const isIdle = mock.method(tasks.automaton, 'isIdle');
    for (let i = 0; i < 10; i++) run(i, at + 1000 + 100 * i);
    const { length } = isIdle.mock.calls;
    isIdle.mock.restore();
    return length;
  }

  test('T13 looks at its own schedule and at no other', () => {
    assert.ok(looks(10) > 0);
    assert.equal(looks(1000), looks(10));
  });
});

describe('schedules', () => {
  const cronOf = (i: number): string =>
    `${i % 60} ${Math.floor(i / 60) % 24} ${1 + Math.floor(i / 1440)} * *`;

  test('texts that are no schedules are forgotten where there are many', () => {
    const schedules = new Schedules();
    for (let i = 0; i < 10_000; i++) {
      schedules.beginList(1);
      assert.equal(typeof schedules.of(`bad ${i}`, 'UTC').refusal, 'string');
    }
    assert.ok(schedules.size <= 1002, String(schedules.size));
  });

  test('schedules that the last lists did not ask for are forgotten', () => {
    const schedules = new Schedules();
    for (let i = 0; i < 10_000; i++) {
      schedules.beginList(1);
      assert.equal(schedules.of(cronOf(i), 'UTC').refusal, undefined);
    }
    assert.ok(schedules.size <= 1002, String(schedules.size));
  });

  test('a long list that comes again and again is read once', () => {
    const schedules = new Schedules();
    const crons = Array.from({ length: 3000 }, (_, i) => cronOf(i));
    const read = () => {
      schedules.beginList(crons.length);
      return crons.map((cron) => schedules.of(cron, 'UTC'));
    };
    const first = read();
    for (let i = 0; i < 4; i++) assert.ok(read().every((schedule, place) => schedule === first[place]));
    assert.equal(schedules.size, crons.length);
  });
});

test('a timeline gives the earliest first, whatever is added and dropped in between', () => {
  const random = randomOf(7);
  const timeline = new Timeline<number>();
  let expected: number[] = [];
  for (let i = 0; i < 3000; i++) {
    const at = Math.floor(random() * 100);
    if (random() < 0.55) {
      timeline.set(i, at);
      expected.push(at);
    } else if (expected.length > 0) {
      timeline.take();
      expected = expected.toSorted((a, b) => a - b).slice(1);
    }
    assert.equal(timeline.next, Math.min(...expected));
  }
  timeline.clear();
  for (const what of [5, 3, 4]) timeline.set(what, what);
  timeline.set(3, 6);
  timeline.delete(4);
  assert.deepEqual([timeline.take(), timeline.take(), timeline.next], [5, 3, Number.POSITIVE_INFINITY]);
});
