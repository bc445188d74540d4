/** Moves of cursors (K2). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MoveChange } from '../../../src/core/changes.ts';
import { Play } from './play.ts';

/** A move by what the record is now. */
const moveTo = (play: Play, servedThrough: number): MoveChange => {
  const { name, version, pendingRetryUntil } = play.record('t');
  return { name, version, servedThrough, pendingRetryUntil };
};

describe('moves', () => {
  test('K2 K5 a move is refused once the task is configured anew, with what follows it; another name is of no matter', () => {
    const play = new Play(['a', 'b'], ['t']);
    const { servedThrough } = play.record('t');
    const move = moveTo(play, servedThrough + 1);
    const { version } = move;
    play.commit('b', {
      configures: [{ name: 't', version, cron: '1 * * * *', retryDelayMs: 1, policy: null }],
      list: new Set(['t']),
    });
    const starts = [{ ...play.claimOf('a', 't'), version: version + 1 }];
    assert.equal(play.commit('a', { moves: [move], starts }), 'refused');
    assert.equal(play.record('t').servedThrough, servedThrough);
    const { epoch } = play.cluster;
    const next = moveTo(play, servedThrough + 2);
    play.initialize('b', ['t', 'new']);
    assert.equal(play.commit('a', { epoch, moves: [next] }), 'granted');
    assert.equal(play.record('t').servedThrough, servedThrough + 2);
  });

  test('K2 of two moves that were decided by one record one is granted, and the same again is granted again', () => {
    const play = new Play(['a', 'b'], ['t']);
    const { servedThrough: from } = play.record('t');
    const [far, near] = [moveTo(play, from + 10), moveTo(play, from + 5)];
    assert.equal(play.commit('a', { moves: [far] }), 'granted');
    assert.equal(play.commit('b', { moves: [near] }), 'refused');
    assert.equal(play.commit('a', { moves: [far] }), 'granted', 'the record shows it');
    assert.equal(play.record('t').servedThrough, from + 10);
  });

  test('K2 a move that was decided before a start, or before its end, is refused', () => {
    const play = new Play(['a', 'b'], ['t']);
    const before = moveTo(play, play.now + 1);
    play.start('a', 't');
    assert.equal(play.commit('b', { moves: [before] }), 'refused');
    const during = moveTo(play, play.now + 1);
    assert.equal(play.commit('a', { ends: [play.endOf('a', 't')] }), 'granted');
    assert.equal(play.commit('b', { moves: [during] }), 'refused');
  });

  test('B5 K2 a cursor that lies ahead of the clock of the database is moved back', () => {
    const play = new Play(['a', 'b'], ['t']);
    assert.equal(play.commit('a', { moves: [moveTo(play, play.now + 7_200_000)] }), 'granted');
    assert.equal(play.commit('b', { moves: [moveTo(play, play.now)] }), 'granted');
    assert.equal(play.record('t').servedThrough, play.now);
  });

  test('H9 K5 what was skipped during a run is moved with its end, whatever other names a list has brought', () => {
    const play = new Play(['a', 'b'], ['t']);
    const { epoch } = play.cluster;
    play.start('a', 't');
    const end = play.endOf('a', 't');
    play.initialize('b', ['t', 'new']);
    const servedThrough = end.calledAt + 5;
    const { version } = play.record('t');
    const move = { name: 't', version: version + 1, servedThrough, pendingRetryUntil: null };
    assert.equal(play.commit('a', { epoch, ends: [end], moves: [move] }), 'granted');
    assert.equal(play.record('t').servedThrough, servedThrough);
  });
});
