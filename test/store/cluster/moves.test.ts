/** Moves of cursors, and the lists that decided them (K5). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Play } from './play.ts';

describe('moves', () => {
  test('K5 a move that a list has decided is refused once another list counts, with what follows it', () => {
    const play = new Play(['a', 'b'], ['t']);
    const { epoch } = play.cluster;
    const { servedThrough } = play.record('t');
    const move = { name: 't', runId: null, lastAttemptAt: null, pendingRetryUntil: null };
    const late = { ...move, servedThrough: servedThrough + 1, isByList: true } as const;
    play.initialize('b', ['t', 'new']);
    assert.equal(play.commit('a', { epoch, moves: [late] }), 'refused');
    const { seen, ...claim } = play.claimOf('a', 't');
    const starts = [{ ...claim, ...(seen && { seen: { ...seen, servedThrough: late.servedThrough } }) }];
    assert.equal(play.commit('a', { epoch, moves: [late], starts }), 'refused');
    assert.equal(play.record('t').servedThrough, servedThrough);
    // What an operator or a run has decided does not depend on the list; and what was moved stays moved.
    assert.equal(
      play.commit('a', { epoch, moves: [{ ...move, servedThrough: servedThrough + 1 }] }),
      'granted',
    );
    assert.equal(play.commit('a', { epoch, moves: [late] }), 'granted', 'the record shows it');
    assert.equal(play.commit('b', { moves: [{ ...late, servedThrough: servedThrough + 2 }] }), 'granted');
  });

  test('K2 no move takes a cursor back that another instance has moved further', () => {
    const play = new Play(['a', 'b'], ['t']);
    const { servedThrough: from } = play.record('t');
    const move = { name: 't', runId: null, lastAttemptAt: null, pendingRetryUntil: null };
    const far = { ...move, servedThrough: from + 10 };
    const near = { ...move, servedThrough: from + 5 };
    for (const how of [{}, { isByList: true } as const]) {
      assert.equal(play.commit('a', { moves: [{ ...far, ...how }] }), 'granted');
      assert.equal(play.commit('b', { moves: [{ ...near, ...how }] }), 'refused');
      assert.equal(play.commit('a', { moves: [{ ...far, ...how }] }), 'granted', 'the record shows it');
      assert.equal(play.record('t').servedThrough, from + 10);
    }
  });

  test('B5 K2 a cursor that lies ahead of the clock of the database is moved back', () => {
    const play = new Play(['a', 'b'], ['t']);
    const ahead = play.now + 7_200_000;
    const move = { name: 't', runId: null, lastAttemptAt: null, pendingRetryUntil: null };
    assert.equal(play.commit('a', { moves: [{ ...move, servedThrough: ahead }] }), 'granted');
    const back = { ...move, servedThrough: play.now, isByList: true } as const;
    assert.equal(play.commit('b', { moves: [back] }), 'granted');
    assert.equal(play.record('t').servedThrough, play.now);
  });

  test('H9 K5 what was skipped during a run is moved with its end, whatever list has come', () => {
    const play = new Play(['a', 'b'], ['t']);
    const { epoch } = play.cluster;
    play.start('a', 't');
    const end = play.endOf('a', 't');
    play.initialize('b', ['t', 'new']);
    const lastAttemptAt = end.calledAt;
    const servedThrough = end.calledAt + 5;
    const move = { name: 't', runId: null, lastAttemptAt, servedThrough, pendingRetryUntil: null };
    assert.equal(play.commit('a', { epoch, ends: [end], moves: [move] }), 'granted');
    assert.equal(play.record('t').servedThrough, servedThrough);
  });
});
