import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { Temporal as polyfill } from 'temporal-polyfill';
import { UnknownTimeZoneError } from '../../src/errors.ts';
import { nextClockChange } from '../../src/time/clock-change.ts';
import { MAX_INSTANT, zoneOf } from '../../src/time/zone.ts';

/** Native where Node has it, so that one run of the suite asks another implementation. */
const Temporal: typeof polyfill = Reflect.get(globalThis, 'Temporal') ?? polyfill;

const FROM = Date.UTC(1970, 0, 1);
const TO = Date.UTC(2038, 0, 1);

/** The clock changes of a zone as the engine sees them, and as Temporal does. */
function changesOf(timeZone: string): { ours: number[]; theirs: number[] } {
  const zone = zoneOf(timeZone);
  const ours: number[] = [];
  for (
    let change = nextClockChange(zone, FROM, TO);
    change !== undefined;
    change = nextClockChange(zone, change.at, TO)
  ) {
    ours.push(change.at);
  }
  const theirs: number[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(FROM).toZonedDateTimeISO(timeZone);
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (next === null || next.epochMilliseconds >= TO) return { ours, theirs };
    // Temporal also tells of changes that leave the offset alone only if an implementation is careless.
    if (next.offsetNanoseconds !== next.subtract({ nanoseconds: 1 }).offsetNanoseconds)
      theirs.push(next.epochMilliseconds);
    at = next;
  }
}

describe('zones', () => {
  test('B2 the segments of zones with odd clocks are those that Temporal knows, 1970 to 2037', (t) => {
    const odd = [
      'Europe/Stockholm',
      'America/New_York',
      'Australia/Lord_Howe', // half an hour
      'Antarctica/Troll', // two hours
      'Pacific/Apia', // a whole day
      'America/Santiago', // at midnight
      'America/Recife', // two changes within a week
      'Asia/Gaza', // again, and in the far future
      'Africa/Casablanca', // by the moon
      'Africa/Monrovia', // offsets with seconds
      'Asia/Kathmandu',
      'Asia/Pyongyang',
      'UTC',
    ];
    let count = 0;
    for (const timeZone of odd) {
      const { ours, theirs } = changesOf(timeZone);
      assert.deepEqual(ours, theirs, timeZone);
      count += ours.length;
    }
    t.diagnostic(`${count} clock changes in ${odd.length} zones agree`);
    assert.ok(count > 700);
  });

  test('B2 segments follow each other without a hole, and agree with Intl inside', () => {
    const zone = zoneOf('Europe/Dublin');
    const shown = new Intl.DateTimeFormat('en-US', {
      timeZone: 'Europe/Dublin',
      hour: 'numeric',
      hourCycle: 'h23',
      minute: 'numeric',
    });
    for (let at = Date.UTC(1900, 0, 1); at < Date.UTC(2100, 0, 1); ) {
      const segment = zone.at(at);
      assert.ok(segment.start <= at && at < segment.end);
      for (const instant of [Math.max(segment.start, at), segment.end - 1]) {
        assert.equal(zone.at(instant), segment);
        const local = new Date(instant + segment.offset).toISOString().slice(11, 16);
        assert.equal(shown.format(instant), local);
      }
      at = segment.end;
    }
  });

  test('the whole range of Date has segments, and the ends reach beyond it', () => {
    for (const name of ['America/St_Johns', 'UTC']) {
      const zone = zoneOf(name);
      assert.equal(zone.at(-MAX_INSTANT).start, Number.NEGATIVE_INFINITY);
      assert.equal(zone.at(MAX_INSTANT).end, Number.POSITIVE_INFINITY);
    }
  });

  test('walking farther than is kept starts anew and answers the same', () => {
    const zone = zoneOf('Europe/Vienna');
    const summer = Date.UTC(2026, 6, 1);
    const before = zone.at(summer);
    for (let year = 2100; year < 2700; year++) zone.at(Date.UTC(year, 0, 1));
    assert.deepEqual(zone.at(summer), before);
  });

  test('names are read in any letter case, and one zone is one object', () => {
    assert.equal(zoneOf('europe/stockholm'), zoneOf('Europe/Stockholm'));
    assert.equal(zoneOf('EUROPE/STOCKHOLM').name, 'Europe/Stockholm');
  });

  for (const [written, meant] of [
    ['Europe/Stokholm', 'Europe/Stockholm'],
    ['new york', 'America/New_York'],
    ['Amercia/Los_Angeles', 'America/Los_Angeles'],
    ['Berlin', 'Europe/Berlin'],
  ] as const) {
    test(`G1 an unknown zone is a clear error that suggests near names: ${written}`, () => {
      assert.throws(
        () => zoneOf(written),
        (error) => {
          assert.ok(error instanceof UnknownTimeZoneError);
          assert.equal(error.timeZone, written);
          assert.equal(error.suggestions[0], meant);
          assert.match(error.message, new RegExp(`"${written}".*did you mean "${meant}"`));
          return true;
        },
      );
    });
  }

  for (const written of ['', 'x', 'Foo/Bar', 'UTC+2', 'x'.repeat(100_000)]) {
    test(`G1 a zone that is near to nothing says what a zone looks like: ${written.slice(0, 10) || '(empty)'}`, () => {
      assert.throws(() => zoneOf(written), {
        name: 'UnknownTimeZoneError',
        message: /use an IANA name such as/,
      });
    });
  }
});

describe('the host’s zone', () => {
  const ask = (setting: string, program: string): string =>
    execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
      env: { ...process.env, TZ: setting },
      encoding: 'utf8',
    }).trim();
  const show = "import { hostZoneName } from '../../src/time/host.ts'; console.log(hostZoneName());";

  test('B2 is the one that TZ names', () => {
    assert.equal(ask('America/Santiago', show), 'America/Santiago');
  });

  test('B2 is UTC, as Date’s is, where TZ names none', () => {
    assert.equal(ask('Foo/Bar', show), 'UTC');
  });

  test('B2 follows TZ when the process changes it', () => {
    assert.equal(ask('Asia/Tokyo', `process.env.TZ = 'Europe/Rome'; ${show}`), 'Europe/Rome');
    assert.equal(
      ask('Asia/Tokyo', `${show} process.env.TZ = 'Europe/Rome'; console.log(hostZoneName());`),
      'Asia/Tokyo\nEurope/Rome',
    );
  });
});
