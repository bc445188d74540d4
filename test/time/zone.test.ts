import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Temporal as polyfill } from 'temporal-polyfill';
import { UnknownTimeZoneError } from '../../src/errors.ts';
import { nextClockChange } from '../../src/time/clock-change.ts';
import { MAX_INSTANT, Zone, zoneOf } from '../../src/time/zone.ts';

/** Native where Node has it, so that one run of the suite asks another implementation. */
const Temporal: typeof polyfill = Reflect.get(globalThis, 'Temporal') ?? polyfill;

const FROM = Date.UTC(1970, 0, 1);
const TO = Date.UTC(2038, 0, 1);

/** The clock changes of a zone as the engine sees them. */
function changesIn(zone: Zone, from: number, to: number): number[] {
  const found: number[] = [];
  let change = nextClockChange(zone, from, to);
  for (; change !== undefined; change = nextClockChange(zone, change.at, to)) found.push(change.at);
  return found;
}

/** The clock changes of a zone as the engine sees them, and as Temporal does. */
function changesOf(timeZone: string): { ours: number[]; theirs: number[] } {
  const ours = changesIn(zoneOf(timeZone), FROM, TO);
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

  test('B2 two changes four to seven days apart are both found, wherever they fall between the probes', () => {
    const [day, hour] = [86_400_000, 3_600_000];
    const edge = 50 * 400 * day; // Segments are surveyed in blocks of 400 days: in the middle of one, and across an edge.
    const phases = Array.from({ length: 53 }, (_, index) => index * (5 * hour + 1000) - 8 * day);
    phases.push(0, -4 * day, -7 * day); // a change on the very edge
    for (const middle of [edge + 200 * day, edge]) {
      for (const phase of phases) {
        for (const apart of [4 * day, 5 * day + 1000, 7 * day]) {
          const first = middle + phase;
          const zone = new Zone('x', (at) => (at >= first && at < first + apart ? 2 * hour : hour));
          assert.deepEqual(changesIn(zone, edge - 300 * day, edge + 500 * day), [first, first + apart]);
          assert.equal(zone.at(first - 1).offset, hour);
          assert.equal(zone.at(first).offset, 2 * hour);
          assert.equal(zone.at(first + apart - 1).offset, 2 * hour);
          assert.equal(zone.at(first + apart).offset, hour);
        }
      }
    }
  });

  for (const [written, meant] of [
    ['Kolkatta', 'Asia/Kolkata'],
    ['Europe/Kiyv', 'Europe/Kyiv'],
    ['Yangoon', 'Asia/Yangon'],
    ['Ho Chi Minh', 'Asia/Ho_Chi_Minh'],
    ['Katmandhu', 'Asia/Kathmandu'],
    ['Rangoon', 'Asia/Yangon'],
    ['UTCC', 'UTC'],
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

  test('G1 the message has the name clipped and on one line, the details have it whole', () => {
    for (const written of ['x'.repeat(100_000), 'Europe/\u001b[31mStockholm\n\u2028']) {
      assert.throws(
        () => zoneOf(written),
        (error) => {
          assert.ok(error instanceof UnknownTimeZoneError);
          assert.equal(error.details.timeZone, written);
          assert.ok(error.message.length < 200);
          assert.doesNotMatch(error.message, /\p{C}|\p{Zl}/u);
          return true;
        },
      );
    }
    assert.throws(() => zoneOf('a\nb'), { message: /^Unknown time zone "aU\+000Ab": / });
    assert.throws(() => zoneOf('y'.repeat(65)), { message: /"y{64}…"/ });
  });
});
