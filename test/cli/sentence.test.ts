/** The sentence of a violation: instants in the zone of the trace, lines in their own files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlacesInOne } from '../../src/cli/check/places.ts';
import { sentenceOf } from '../../src/cli/check/sentence.ts';
import { zoneOf } from '../../src/cron/index.ts';
import { createMonitor, type Violation } from '../../src/theory/index.ts';

const at = Date.UTC(2027, 2, 2, 11);
const violation: Violation = {
  axiom: 'S1',
  blame: 'scheduler',
  because: 'Task "2027-03-02T11:00:00.000Z" was started at 2027-03-02T11:00:00.000Z, on line 3.',
  parts: ['Task "2027-03-02T11:00:00.000Z" was started at ', { at }, ', on ', { line: 3 }, '.'],
  events: [{ event: 'RunStart', at, line: 3 }],
};
const zone = zoneOf('Europe/Stockholm');

test('an instant is shown in the zone, and a name that looks like one stays as it is', () => {
  assert.equal(
    sentenceOf(violation, zone),
    'Task "2027-03-02T11:00:00.000Z" was started at 2027-03-02T12:00:00.000+01:00, on line 3.',
  );
  assert.equal(sentenceOf({ ...violation, parts: ['a\u001b[2J'] }, zone), 'a\\u{1b}[2J');
});

test('a line is counted in its own file, in the sentence and in the evidence', () => {
  const places = new PlacesInOne('logs/trace.jsonl');
  for (const line of [1, 2]) places.count('/srv/logs/trace.jsonl.1', line);
  places.count('/srv/logs/trace.jsonl', 1);
  const verdict = createMonitor().verdict();
  const axioms = { S1: { ...verdict.axioms.S1, violations: [violation] } };
  const [placed] = places.placed({ ...verdict, axioms }).axioms.S1.violations;
  assert.match(placed.because, /started at 2027-03-02T11:00:00\.000Z, on logs\/trace\.jsonl, line 1\.$/);
  assert.match(
    sentenceOf(placed, zone),
    /started at 2027-03-02T12:00:00\.000\+01:00, on logs\/trace\.jsonl, line 1\.$/,
  );
  assert.deepEqual(placed.events, [{ event: 'RunStart', at, line: 1, file: 'logs/trace.jsonl' }]);
});
