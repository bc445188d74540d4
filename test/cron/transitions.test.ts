/** The short form of `npm run campaign -- transitions`: every clock change of zones with odd clocks, a sample of all the others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transitions } from '../oracle/brute-force.ts';
import { checkTransition } from '../oracle/transition-check.ts';

const FROM = Date.UTC(1970, 0, 1);
const TO = Date.UTC(2038, 0, 1);

test('B1, B2 next and previous around clock changes agree with looking at every minute', (t) => {
  const counts = { zones: 0, transitions: 0, comparisons: 0 };
  const check = (timeZone: string, changes: readonly number[]): void => {
    counts.zones++;
    for (const change of changes) {
      const { comparisons, differences } = checkTransition(timeZone, change);
      assert.deepEqual(differences, []);
      counts.transitions++;
      counts.comparisons += comparisons;
    }
  };
  for (const timeZone of [
    'Pacific/Apia',
    'Africa/Monrovia',
    'Asia/Pyongyang',
    'America/Caracas',
    'Asia/Kathmandu',
  ]) {
    check(timeZone, transitions(timeZone, FROM, TO));
  }
  for (const timeZone of [
    'Australia/Lord_Howe',
    'America/Santiago',
    'Antarctica/Troll',
    'Africa/Casablanca',
    'Asia/Gaza',
  ]) {
    check(
      timeZone,
      transitions(timeZone, FROM, TO).filter((_, index) => index % 8 === 0),
    );
  }
  // Of every thirtieth zone of the runtime, the changes of one year, another year each time.
  for (const [index, timeZone] of Intl.supportedValuesOf('timeZone').entries()) {
    if (index % 30 !== 0) continue;
    const year = 1970 + ((index * 7) % 68);
    check(timeZone, transitions(timeZone, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)));
  }
  t.diagnostic(
    `${counts.comparisons} comparisons around ${counts.transitions} clock changes of ${counts.zones} zones`,
  );
  assert.ok(counts.comparisons > 50_000);
});
