/** Which tasks fall to which instance (K7). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Shares } from '../../../src/store/sharing/shares.ts';

const names = Array.from({ length: 9000 }, (_, index) => `task ${index}`);
const members = ['3fKd9-aLqWx0', 'b', 'instance of c'];

const sharesOf = (among: readonly string[]): Shares[] =>
  among.map((me) => {
    const shares = new Shares(names, me);
    shares.divide(among);
    return shares;
  });

const ownedBy = (shares: readonly Shares[], task: number): number[] =>
  shares.flatMap((each, place) => (each.isOwn(task) ? [place] : []));

test('K7 each task falls to exactly one member, and each member gets about the same number', () => {
  const shares = sharesOf(members);
  const counts = [0, 0, 0];
  for (const task of names.keys()) {
    const owners = ownedBy(shares, task);
    assert.equal(owners.length, 1, names[task]);
    counts[owners[0]]++;
  }
  for (const count of counts) assert.ok(count > 2500 && count < 3500, counts.join());
});

test('K7 when a member goes, only its tasks fall to others; one that is alone has all', () => {
  const [before, after] = [sharesOf(members), sharesOf(members.slice(0, 2))];
  for (const task of names.keys()) {
    const [owner] = ownedBy(before, task);
    if (owner !== 2) assert.deepEqual(ownedBy(after, task), [owner]);
  }
  const [alone] = sharesOf(['a']);
  assert.ok(names.every((_, task) => alone.isOwn(task)));
});
