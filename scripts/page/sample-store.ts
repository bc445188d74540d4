/** A store with a made-up day of a small company's tasks, for the pictures of the page: good, failing, late, paused, running. */
import { dueInstants, memory, type Store, type TaskRecord } from '../../src/index.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ZONE = 'Europe/Berlin';

interface Sample {
  readonly name: string;
  readonly cron: string;
  readonly description?: string;
  /** How long a run takes. */
  readonly ms: number;
  /** One run in so many fails. */
  readonly failsEvery?: number;
  /** It has failed since so long. */
  readonly failingFor?: number;
  readonly isPaused?: boolean;
  readonly isRunning?: boolean;
  /** Nothing ran from so long ago to so long ago. */
  readonly down?: readonly [from: number, to: number];
}

/** The scheduler that runs them; the first of the sample cluster. */
const instanceId = '0196a2c4-7f30-7b1e-9d2a-4c5e6f70a1b0';
const DOWN = [9 * HOUR, 6.6 * HOUR] as const;

const SAMPLES: readonly Sample[] = [
  {
    name: 'backup database',
    cron: '30 3 * * *',
    description: 'pg_dump of production to cold storage',
    ms: 14 * MINUTE,
  },
  { name: 'charge subscriptions', cron: '5 * * * *', ms: 90_000, failsEvery: 17, down: DOWN },
  { name: 'clean sessions', cron: '0,15,30,45 * * * *', ms: 4000, down: DOWN },
  { name: 'exchange rates', cron: '10,40 * * * *', ms: 2200, failsEvery: 9, down: DOWN },
  { name: 'export to warehouse', cron: '0 0,6,12,18 * * *', ms: 42 * MINUTE, isRunning: true },
  {
    name: 'import catalogue',
    cron: '20 * * * *',
    description: 'the supplier’s price list',
    ms: 9 * MINUTE,
    failingFor: 3.2 * HOUR,
    down: DOWN,
  },
  { name: 'invoice reminders', cron: '0 8 * * 1-5', ms: 3 * MINUTE },
  { name: 'newsletter', cron: '0 9 * * 2', ms: 25 * MINUTE, isPaused: true },
  { name: 'reindex search', cron: '0,30 * * * *', ms: 11 * MINUTE, down: DOWN },
  { name: 'renew certificates', cron: '17 4 * * *', ms: 8000 },
  { name: 'sync inventory', cron: '0,10,20,30,40,50 * * * *', ms: 70_000, failsEvery: 31, down: DOWN },
  { name: 'weekly report', cron: '0 7 * * 1', ms: 6 * MINUTE },
];

const MESSAGE = 'connect ECONNREFUSED 10.4.0.17:443';
const ERROR = {
  name: 'Error',
  message: MESSAGE,
  text: `Error: ${MESSAGE}
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1637:16)
    at async fetchPriceList (file:///srv/jobs/catalogue.ts:41:18)
    at async run (file:///srv/jobs/catalogue.ts:12:3)`,
};

/** The store as it is at an instant, held by a session as if a scheduler ran on it. */
export async function sampleStore(now: number): Promise<Store> {
  const store = memory();
  const session = await store.open({ waitMs: 0 });
  for (const [place, sample] of SAMPLES.entries()) {
    const past = new SampleTask(sample, now, place);
    await session.commit({ puts: [past.record()] });
    let version = 1;
    for (const { start, end } of past.runs()) {
      await session.commit({ starts: [{ ...start, version }] });
      await session.commit({ ends: [end] });
      version += 2;
    }
    await session.commit({ puts: [past.record()] });
  }
  return store;
}

/** One task, played from two days ago to now. */
class SampleTask {
  readonly #sample: Sample;
  readonly #now: number;
  readonly #dues: number[] = [];
  #seed: number;
  #last: TaskRecord;

  constructor(sample: Sample, now: number, place: number) {
    this.#sample = sample;
    this.#now = now;
    this.#seed = place + 1;
    const { name, cron, description, isPaused } = sample;
    const policy = JSON.stringify(description === undefined ? {} : { description });
    const calendar = dueInstants({ name, cron, policy }, ZONE);
    const first = now - 48 * HOUR;
    for (let due = calendar.next(first); due < now - MINUTE; due = calendar.next(due)) this.#dues.push(due);
    this.#last = {
      ...{
        name,
        cron,
        policy,
        retryDelayMs: 10 * MINUTE,
        firstSeenAt: first,
        servedThrough: now,
        version: 1,
      },
      ...{ pausedAt: isPaused === true ? now - 20 * HOUR : null, lastAttemptAt: null, lastSuccessAt: null },
      ...{ lastFailureAt: null, pendingRetryUntil: null, failures: 0, failingSince: null, lastError: null },
      ...{ lastDurationMs: null, work: null, run: null },
    };
  }

  record(): TaskRecord {
    return this.#last;
  }

  *runs() {
    const { name, ms, down, isRunning, isPaused } = this.#sample;
    let free = 0;
    for (const [place, due] of this.#dues.entries()) {
      if (isPaused === true && due > this.#now - 20 * HOUR) return;
      const isDown = down !== undefined && due > this.#now - down[0] && due < this.#now - down[1];
      const next = this.#dues[place + 1] ?? Number.POSITIVE_INFINITY;
      // What was due while nothing ran is served once, at the next start.
      if (isDown && down !== undefined && next < this.#now - down[1]) continue;
      const calledAt =
        Math.max(free, isDown && down !== undefined ? this.#now - down[1] : due) + 40 + this.#random() * 200;
      const runId = `${name} ${due}`;
      const work = { key: runId, scheduledFor: due, attempt: 1 };
      const run = {
        runId,
        instanceId,
        startedAt: Math.floor(calledAt),
        reason: 'due',
        cutOffAt: null,
      } as const;
      if (isRunning === true && place === this.#dues.length - 1) {
        this.#last = { ...this.#last, work, run: { ...run, startedAt: this.#now - 9 * MINUTE } };
        return;
      }
      free = Math.floor(calledAt + ms * (0.6 + 0.8 * this.#random()));
      if (free > this.#now) return;
      yield { start: { name, work, run }, end: this.#end(run, work, free, place) };
    }
  }

  #end(
    run: { runId: string; startedAt: number },
    work: NonNullable<TaskRecord['work']>,
    endedAt: number,
    place: number,
  ) {
    const { name, failsEvery, failingFor = 0 } = this.#sample;
    const isBad =
      endedAt > this.#now - failingFor || (failsEvery !== undefined && place % failsEvery === failsEvery - 1);
    const failures = isBad ? this.#last.failures + 1 : 0;
    const failingSince = isBad ? (this.#last.failingSince ?? endedAt) : null;
    const error = isBad ? ERROR : null;
    const pendingRetryUntil = isBad ? Math.max(endedAt + 10 * MINUTE, this.#now + 4 * MINUTE) : null;
    this.#last = {
      ...this.#last,
      ...{
        failures,
        failingSince,
        lastAttemptAt: run.startedAt,
        lastDurationMs: endedAt - run.startedAt,
        pendingRetryUntil,
      },
      ...(isBad
        ? { lastFailureAt: endedAt, lastError: { name: ERROR.name, message: ERROR.message }, work }
        : { lastSuccessAt: endedAt, work: null }),
    };
    const outcome = isBad ? ('failure' as const) : ('success' as const);
    const facts = { name, runId: run.runId, instanceId, reason: 'due', work } as const;
    return {
      ...facts,
      calledAt: run.startedAt,
      endedAt,
      outcome,
      pendingRetryUntil,
      failures,
      failingSince,
      error,
    };
  }

  /** The same numbers at every run. */
  #random(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  }
}
