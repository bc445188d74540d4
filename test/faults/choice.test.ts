/** Which planted faults the suite plays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceOf } from './choice.ts';
import { placeOf } from './place.ts';

const edit = { in: 'Backoff.next', find: 'spread() / 2', replace: '0' };
const faults = Array.from({ length: 60 }, (_, index) => ({ ...edit, name: `fault ${index}` }));
const namesOf = (of: readonly { readonly name: string }[]): readonly string[] => of.map(({ name }) => name);
const none = { files: [] };

test('a sample that another fault does not change', () => {
  const { played, words } = choiceOf(faults, none, false);
  assert.ok(played.length >= 2 && played.length < 25);
  assert.equal(
    words,
    `${played.length} of 60, 0 in files that have changed, npm run campaign faults plays all`,
  );
  const more = choiceOf([...faults, { ...edit, name: 'one more' }], none, false).played;
  assert.deepEqual(
    namesOf(more).filter((name) => name !== 'one more'),
    namesOf(played),
  );
  assert.equal(choiceOf(faults.slice(0, 3), none, false).played.length, 2);
});

test('those in files that have changed, up to a bound; and all of them in a campaign', () => {
  const changed = { files: [placeOf(edit).file] };
  const elsewhere = { in: 'isLeased', find: 'leaseUntil > now', replace: '0', name: 'elsewhere' };
  const few = choiceOf([...faults.slice(0, 9), elsewhere], changed, false);
  assert.deepEqual(namesOf(few.played).slice(0, 9), namesOf(faults.slice(0, 9)));
  const many = choiceOf(faults, changed, false);
  assert.equal(many.played.length, 25);
  assert.match(
    many.words,
    /^25 of 60, 60 in files that have changed, 35 of those and of the sample are left out, /,
  );
  assert.deepEqual(choiceOf(faults, none, true), { played: faults, words: 'all 60' });
});
