/**
 * Every reader of a store says the same of a task at one instant: status, health, the page, metrics. Random lives are played by a scheduler on a clock that stands still,
 * with failures, runs that hang, crashes, stops and pauses. What the readers say is owed is what the next initialize would start.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reportOf, statusDocument } from '../../src/cli/status/report.ts';
import { Entries } from '../../src/dashboard/entries.ts';
import { Past } from '../../src/dashboard/past.ts';
import { TaskList } from '../../src/dashboard/task-list.ts';
import {
  createScheduler,
  dueInstants,
  health,
  type Inspection,
  inspect,
  memory,
  milliseconds,
  minutes,
  plan,
  type Registration,
  type Store,
  seconds,
  type Task,
  type TaskRecord,
  type TaskStatus,
  task,
  taskStatus,
} from '../../src/index.ts';
import { metrics } from '../../src/telemetry/index.ts';
import { createTestClock, type TestClock } from '../../src/testing/index.ts';
import { fc } from '../property.ts';
import { Page } from '../telemetry/scraped.ts';

const ZONE = 'America/New_York';
const START = Date.parse('2027-01-10T12:00:20Z');

type Step = readonly ['advance', number] | readonly ['crash' | 'stop' | 'begin' | 'pause' | 'resume', number];

const NAMES = ['steady', 'failing', 'hanging', 'skipping', 'brief', 'elsewhere', 'once', 'willing'] as const;

/** One task of each kind that readers may judge differently. `fate` says how each run ends. */
const listOf = (clock: TestClock, fate: () => number): ReadonlyArray<Registration | Task> => {
  const work = async (): Promise<void> => {
    const drawn = fate();
    if (drawn < 3) throw new Error('as it happens');
    await clock.sleep(drawn < 7 ? seconds(1) : drawn < 9 ? minutes(3) : minutes(600));
  };
  return [
    ['steady', '* * * * *', () => {}, minutes(1)],
    ['failing', '0,30 * * * *', work, seconds(25)],
    ['hanging', '0,5,10,15,20,25,30,35,40,45,50,55 * * * *', work, minutes(2)],
    task({ name: 'skipping', cron: '* * * * *', run: work, whileRunning: 'skip' }),
    task({ name: 'brief', cron: '0,20,40 * * * *', run: work, startWithin: minutes(5) }),
    task({
      name: 'elsewhere',
      cron: '30 17 * * *',
      run: work,
      timeZone: 'Asia/Kolkata',
      retry: { delay: minutes(4), max: 2 },
    }),
    task({
      name: 'willing',
      cron: '0,10,20,30,40,50 * * * *',
      run: ({ signal }) => Promise.race([clock.sleep(minutes(4)), clock.until(aborted(signal))]),
    }),
    task({ name: 'once', cron: '15 * * * *', run: work, retry: false }),
  ];
};

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(
      fc.constant('advance'),
      fc.constantFrom(500, 5_000, 61_000, 200_000, 1_700_000, 9_000_000),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constantFrom('crash', 'stop', 'begin', 'begin', 'pause', 'resume'),
      fc.nat(NAMES.length - 1),
    ),
  },
) as fc.Arbitrary<Step>;

/** What each reader says: by name. */
type Said = ReadonlyMap<string, readonly unknown[]>;

const iso = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString();

/** State, owed since, first due, last start. */
const facts = ({ state, lateSince, nextDueAt, lastStartAt }: TaskStatus): readonly unknown[] => [
  state,
  lateSince,
  nextDueAt,
  lastStartAt,
];

class Look {
  readonly #store: Store;
  /** Brought up to date at each look. */
  readonly #entries = new Entries();
  #revision = 0;
  #latest: Inspection | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  async at(
    now: number,
  ): Promise<{ readonly inspection: Inspection; readonly statuses: readonly TaskStatus[] }> {
    // Records that have not changed are the same objects: then time alone decides what they mean.
    const inspection = await inspect(this.#store, { since: this.#latest ?? 'the beginning' });
    this.#latest = inspection;
    const statuses = inspection.records.map((record) => taskStatus(record, { ...inspection, now }));
    const expected: Said = new Map(statuses.map((status) => [status.record.name, facts(status)]));
    await this.#page(inspection, now, statuses);
    this.#commandLine(inspection, now, statuses);
    await this.#health(now, expected);
    await this.#metrics(now, statuses);
    return { inspection, statuses };
  }

  async #page({ records, owner }: Inspection, at: number, statuses: readonly TaskStatus[]): Promise<void> {
    const context = { timeZone: ZONE, owner, at };
    const fresh = new Entries();
    await fresh.update(records, context, 1);
    await this.#entries.update(records, context, ++this.#revision);
    assert.deepEqual(this.#entries.counts, fresh.counts, 'counts that were brought up to date');
    const list = new TaskList(new Past(this.#store));
    for (const entries of [fresh, this.#entries])
      for (const status of statuses) {
        const entry = entries.layout.byName.get(status.record.name);
        assert.ok(entry);
        assert.deepEqual([entry.state, entry.owedSince, entry.nextDueAt, entry.lastStartAt], facts(status));
        const { state, owedSince, next } = Object(list.row(entry));
        assert.deepEqual([state, owedSince, next], [status.state, status.lateSince, status.nextStartAt]);
      }
  }

  #commandLine(inspection: Inspection, now: number, statuses: readonly TaskStatus[]): void {
    const zones = { asked: undefined, configured: { timeZone: undefined, timeZoneFrom: 'host' } } as const;
    const { tasks, timeZone } = Object(statusDocument(reportOf(inspection, zones, now)));
    assert.equal(timeZone, ZONE);
    const said = new Map<string, unknown>(
      Array.from(tasks, (each: Record<string, unknown>) => [
        String(each.name),
        [each.state, each.lateSince, each.nextDueAt, each.nextStartAt, each.lastAttemptAt],
      ]),
    );
    for (const { record, state, lateSince, nextDueAt, nextStartAt, lastStartAt } of statuses)
      assert.deepEqual(said.get(record.name), [
        state,
        ...[lateSince, nextDueAt, nextStartAt, lastStartAt].map(iso),
      ]);
  }

  async #health(now: number, expected: Said): Promise<void> {
    const { troubles } = await health(this.#store, { now, lateAfter: milliseconds(1) });
    const late = troubles.filter(({ reason }) => reason === 'late').map(({ task, since }) => [task, since]);
    const owed = Array.from(expected, ([name, [, since]]) => [name, since]).filter(
      ([, since]) => since !== null,
    );
    assert.deepEqual(late.sort(), owed.sort());
  }

  async #metrics(now: number, statuses: readonly TaskStatus[]): Promise<void> {
    const measured = metrics({
      store: this.#store,
      clock: { ...createTestClock(now), now: () => now, monotonic: () => 0 },
    });
    const page = new Page(await measured.text());
    measured.close();
    const states = new Map<string, number>();
    for (const { record, state, lateSince, nextDueAt, lastStartAt, runningSince } of statuses) {
      const label = { retry: 'retrying', 'cut off': 'cut_off' }[String(state)] ?? state;
      states.set(label, (states.get(label) ?? 0) + 1);
      const value = (name: string): number | undefined =>
        page.value(`obbligato_task_${name}`, { task: record.name });
      assert.equal(value('overdue_seconds'), lateSince === null ? 0 : (now - lateSince) / 1000);
      for (const [name, instant] of [
        ['next_due', nextDueAt],
        ['last_start', lastStartAt],
        ['running_since', runningSince],
      ] as const)
        assert.equal(value(`${name}_timestamp_seconds`), instant === null ? undefined : instant / 1000, name);
    }
    for (const [state, count] of states) assert.equal(page.value('obbligato_tasks', { state }), count, state);
  }
}

/** One process after another on one store. */
class Life {
  readonly clock = createTestClock(START);
  readonly inner = memory();
  readonly #store = this.clock.store(this.inner);
  readonly list: ReadonlyArray<Registration | Task>;
  readonly #look = new Look(this.inner);
  #scheduler: ReturnType<typeof createScheduler> | undefined;

  constructor(fates: readonly number[]) {
    let drawn = 0;
    this.list = listOf(this.clock, () => fates[drawn++ % fates.length]);
  }

  async play([kind, amount]: Step): Promise<void> {
    const { clock } = this;
    if (kind === 'advance') await clock.advance(milliseconds(amount));
    else if (kind === 'crash') await this.#end(() => clock.crash());
    else if (kind === 'stop') await this.#end(() => this.#stop());
    else if (kind === 'begin') await this.#begin();
    else if (this.#scheduler === undefined)
      await this.#pause(NAMES[amount], kind === 'pause' ? clock.now() : null);
  }

  async #begin(): Promise<void> {
    if (this.#scheduler !== undefined) return;
    this.#scheduler = createScheduler({
      clock: this.clock,
      store: this.#store,
      timeZone: ZONE,
      logger: false,
    });
    await this.#scheduler.initialize(this.list);
    await this.clock.settle();
  }

  async #end(how: () => Promise<void>): Promise<void> {
    if (this.#scheduler !== undefined) await how();
    this.#scheduler = undefined;
  }

  async #stop(): Promise<void> {
    const stopped = this.#scheduler?.stop();
    await this.clock.advance(minutes(601));
    await stopped;
  }

  async #pause(name: string, pausedAt: number | null): Promise<void> {
    const session = await this.inner.open({ waitMs: 0 });
    await session.commit({ pauses: [{ name, pausedAt }] });
    await session.close();
  }

  /** The first due instant since the start of the run that goes on, by looking at each. A second is not late. */
  #waitsSince({ name, cron, policy, run }: TaskRecord, now: number): number | null {
    if (name === 'skipping' || run === null) return null;
    const calendar = dueInstants({ name, cron, policy }, ZONE);
    const oldest = name === 'brief' ? now - 300_000 : 0;
    let due = calendar.next(run.startedAt);
    while (due < oldest) due = calendar.next(due);
    return due < now - 1000 ? due : null;
  }

  /** Readers agree, and what they say is owed is what there is to start. */
  async judge(): Promise<void> {
    const now = this.clock.now();
    const { statuses, inspection } = await this.#look.at(now);
    if (inspection.records.length === 0) return;
    for (const { record, runningSince, lateSince, lastStartAt } of statuses) {
      const runs = record.run !== null && this.#scheduler !== undefined;
      assert.equal(runningSince, runs ? (record.run?.startedAt ?? null) : null);
      if (record.run !== null) assert.equal(lastStartAt, record.run.startedAt);
      // Workers are free, so a scheduler that lives owes nothing but what waits for a run to end.
      if (this.#scheduler !== undefined)
        assert.equal(lateSince, runs ? this.#waitsSince(record, now) : null, record.name);
    }
    if (this.#scheduler !== undefined) return;
    // Of what came within the last second nobody says yet that it is owed.
    const isStarting =
      now % 60_000 < 1000 || statuses.some(({ record }) => isNear(record.pendingRetryUntil, now));
    if (isStarting) return;
    const { starts } = await plan(this.inner, this.list, { timeZone: ZONE, at: now });
    const owed = statuses.filter(({ state }) => ['owed', 'cut off', 'interrupted'].includes(state));
    assert.deepEqual(starts.map(({ name }) => name).sort(), owed.map(({ record }) => record.name).sort());
  }
}

const isNear = (instant: number | null, now: number): boolean =>
  instant !== null && now - instant <= 1000 && now >= instant;

describe('the readers of a store', () => {
  test('A1 say the same of every task at every instant of random lives', async () => {
    const lives = fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 12 }),
      fc.array(fc.nat(9), { minLength: 5, maxLength: 5 }),
      async (steps, fates) => {
        const life = new Life(fates);
        await life.play(['begin', 0]);
        for (const each of steps) {
          await life.play(each);
          await life.judge();
        }
      },
    );
    await fc.assert(lives, { numRuns: 40 });
  });
});
