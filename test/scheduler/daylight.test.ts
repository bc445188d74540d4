/** Changes of local time, through the whole scheduler (B1, B2): nothing is shifted, nothing is lost, nothing is doubled by us. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, fileStore, HOUR, MINUTE, noop, Stage, timeOfDay } from './scenario.ts';

interface Change {
  readonly what: string;
  readonly timeZone: string;
  /** From here on, for so long. */
  readonly start: string;
  readonly forMs: number;
  /** Each expression, and at what UTC times of day it is started. */
  readonly starts: Readonly<Record<string, readonly string[]>>;
}

const changes: readonly Change[] = [
  {
    what: 'Stockholm, spring: 02:00 to 03:00',
    timeZone: 'Europe/Stockholm',
    start: '2026-03-28T23:30:00Z',
    forMs: 4 * HOUR,
    starts: {
      '30 1 * * *': ['00:30'],
      '0 2 * * *': [],
      '30 2 * * *': [],
      '0 3 * * *': ['01:00'],
      '30 * * * *': ['23:30', '00:30', '01:30', '02:30', '03:30'],
    },
  },
  {
    what: 'Stockholm, autumn: 03:00 to 02:00',
    timeZone: 'Europe/Stockholm',
    start: '2026-10-24T23:30:00Z',
    forMs: 3 * HOUR,
    starts: {
      '59 1 * * *': ['23:59'],
      '0 2 * * *': ['00:00', '01:00'],
      '30 2 * * *': ['00:30', '01:30'],
      '0 3 * * *': ['02:00'],
    },
  },
  {
    what: 'New York, spring: 02:00 to 03:00',
    timeZone: 'America/New_York',
    start: '2026-03-08T05:45:00Z',
    forMs: 3 * HOUR,
    starts: { '59 1 * * *': ['06:59'], '30 2 8 3 *': [], '0 3 * * *': ['07:00'] },
  },
  {
    what: 'New York, autumn: 02:00 to 01:00',
    timeZone: 'America/New_York',
    start: '2026-11-01T04:45:00Z',
    forMs: 3 * HOUR,
    starts: { '0 1 * * *': ['05:00', '06:00'], '30 1 * * 0': ['05:30', '06:30'], '0 2 * * *': ['07:00'] },
  },
  {
    what: 'Lord Howe, spring: 02:00 to 02:30',
    timeZone: 'Australia/Lord_Howe',
    start: '2026-10-03T15:00:30Z',
    forMs: 2 * HOUR,
    starts: { '45 1 * * *': ['15:15'], '15 2 * * *': [], '30 2 * * *': ['15:30'], '0 3 * * *': ['16:00'] },
  },
  {
    what: 'Lord Howe, autumn: 02:00 to 01:30',
    timeZone: 'Australia/Lord_Howe',
    start: '2026-04-04T14:00:30Z',
    forMs: 2 * HOUR,
    starts: { '15 1 * * *': ['14:15'], '45 1 * * *': ['14:45', '15:15'], '15 2 * * *': ['15:45'] },
  },
  {
    what: 'Santiago, spring: midnight to 01:00',
    timeZone: 'America/Santiago',
    start: '2026-09-06T03:00:30Z',
    forMs: 2 * HOUR,
    starts: { '59 23 * * *': ['03:59'], '0 0 * * *': [], '30 0 6 9 *': [], '0 1 * * *': ['04:00'] },
  },
  {
    what: 'Santiago, autumn: midnight to 23:00',
    timeZone: 'America/Santiago',
    start: '2026-04-05T01:45:00Z',
    forMs: 3 * HOUR,
    starts: { '30 23 * * *': ['02:30', '03:30'], '30 23 5 4 *': [], '0 0 * * *': ['04:00'] },
  },
  {
    what: 'Apia: 30 December 2011 did not happen',
    timeZone: 'Pacific/Apia',
    start: '2011-12-29T21:30:00Z',
    forMs: 26 * HOUR,
    starts: {
      '0 12 * * *': ['22:00', '22:00'],
      '0 12 30 12 *': [],
      '59 23 29 12 *': ['09:59'],
      '0 0 31 12 *': ['10:00'],
      '0 0 * * 5': [],
      '0 0 * * 6': ['10:00'],
    },
  },
];

describe('changes of local time', () => {
  for (const { what, timeZone, start, forMs, starts } of changes) {
    test(`B1 ${what}`, async () => {
      const stage = new Stage(start, { timeZone });
      const tasks = Object.keys(starts).map((cron) => [cron, cron, noop, 0] as const);
      await stage.initialize(...tasks, ['each', '* * * * *', noop, 0]);
      await stage.clock.advance(forMs);
      const instantsOf = (task: string): string[] =>
        stage.world.events.flatMap((event) =>
          event.type === 'TaskRunStarted' && event.task === task ? [timeOfDay(event.at)] : [],
        );
      const found = Object.fromEntries(Object.keys(starts).map((cron) => [cron, instantsOf(cron)]));
      assert.deepEqual(found, starts);
      assert.equal(instantsOf('each').length, forMs / MINUTE + 1); // real minutes, whatever they are called
      await stage.stop();
    });
  }

  test('B1 the second of two equal minutes is served by a life that begins between them', async (t) => {
    const stage = new Stage('2026-10-25T00:30:00Z', { timeZone: 'Europe/Stockholm', store: fileStore(t) });
    await stage.initialize(['half', '30 2 * * *', noop, 0]);
    await stage.stop();
    await stage.clock.advance(45 * MINUTE);
    await stage.initialize(['half', '30 2 * * *', noop, 0]);
    await stage.clock.advance(15 * MINUTE);
    assert.deepEqual(stage.starts(), ['half 00:30 due', 'half 01:30 due']);
    await stage.stop();
  });

  test('A3 both of two equal minutes, missed, are one start', async (t) => {
    const stage = new Stage('2026-10-24T12:00:00Z', { timeZone: 'Europe/Stockholm', store: fileStore(t) });
    await stage.initialize(['half', '30 2 * * *', noop, 0]);
    await stage.stop();
    await stage.clock.advance(DAY);
    await stage.initialize(['half', '30 2 * * *', noop, 0]);
    assert.deepEqual(stage.starts(), ['half 12:00 due']);
    await stage.stop();
  });

  test('A1 a minute that was skipped while nobody was there is not owed', async (t) => {
    const stage = new Stage('2026-03-28T12:00:00Z', { timeZone: 'Europe/Stockholm', store: fileStore(t) });
    await stage.initialize(['half', '30 2 * * *', noop, 0]);
    await stage.stop();
    await stage.clock.advance(DAY);
    await stage.initialize(['half', '30 2 * * *', noop, 0]);
    assert.deepEqual(stage.starts(), []);
    await stage.clock.advance(12 * HOUR + 30 * MINUTE);
    assert.deepEqual(stage.starts(), ['half 00:30 due']);
    await stage.stop();
  });

  test('B5 an hour of the clock mended by hand: what ran in it by a fixed hour does not run again', async () => {
    const stage = new Stage('2026-03-02T02:30:00Z');
    await stage.initialize(['nightly', '30 2 * * *', noop, 0], ['each', '* * * * *', noop, 0]);
    stage.clock.step(-HOUR);
    await stage.clock.advance(HOUR + 30 * MINUTE);
    const nightly = stage.starts().filter((start) => start.startsWith('nightly'));
    assert.deepEqual(nightly, ['nightly 02:30 due']);
    assert.ok(stage.starts().length > 85);
    await stage.stop();
  });
});
