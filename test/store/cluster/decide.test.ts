/** What a cluster decides, rule by rule (K1–K5). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isCurrent } from '../../../src/store/cluster/decide.ts';
import { Play } from './play.ts';

const LEASE_MS = 15_000;

describe('claims', () => {
  test('K2 of two claims for one due one is granted, and the other is refused', () => {
    const play = new Play(['a', 'b'], ['t']);
    const [first, second] = [play.claimOf('a', 't'), play.claimOf('b', 't')];
    assert.equal(play.commit('a', { starts: [first] }), 'granted');
    assert.equal(play.commit('b', { starts: [second] }), 'refused');
    assert.equal(play.record('t').run?.instanceId, 'a');
  });

  test('K2 a claim is refused after the run that served its due has ended', () => {
    const play = new Play(['a', 'b'], ['t']);
    const late = play.claimOf('b', 't');
    play.start('a', 't');
    assert.equal(play.commit('a', { ends: [play.endOf('a', 't')] }), 'granted');
    assert.equal(play.commit('b', { starts: [late] }), 'refused');
    assert.equal(play.record('t').run, null);
  });

  test('K2 a claim that takes a current run for one that was cut off is refused', () => {
    const play = new Play(['a', 'b'], ['t']);
    play.start('a', 't');
    assert.equal(play.commit('b', { starts: [play.claimOf('b', 't', 'orphaned')] }), 'refused');
  });

  test('K2 an instance claims for itself alone', () => {
    const play = new Play(['a', 'b'], ['t']);
    assert.equal(play.commit('b', { starts: [play.claimOf('a', 't')] }), 'refused');
    const claim = play.claimOf('a', 't');
    play.commit('a', { starts: [claim] });
    assert.equal(
      play.commit('a', { starts: [{ ...claim, run: { ...claim.run, instanceId: 'b' } }] }),
      'refused',
    );
  });

  test('E9 K2 the same claim again is granted again and changes nothing', () => {
    const play = new Play(['a'], ['t']);
    const claim = play.claimOf('a', 't');
    play.commit('a', { starts: [claim] });
    const before = play.record('t');
    assert.equal(play.commit('a', { starts: [claim] }), 'granted');
    assert.deepEqual(play.record('t'), before);
  });

  test('E9 K2 a claim that is durable is granted again although the lease is over by then', () => {
    const play = new Play(['a'], ['t']);
    const claim = play.claimOf('a', 't');
    play.commit('a', { starts: [claim] });
    play.now += LEASE_MS;
    assert.equal(play.commit('a', { starts: [claim] }), 'granted');
    assert.equal(play.commit('a', { starts: [play.claimOf('a', 't')] }), 'refused');
  });

  test('E9 K2 a request that arrives after a later one of its instance does nothing', () => {
    const play = new Play(['a'], ['t']);
    const starts = [play.claimOf('a', 't')];
    play.now += LEASE_MS;
    assert.equal(play.commit('a', { starts, sent: 2 }), 'refused');
    play.renew('a');
    assert.equal(play.commit('a', { starts, sent: 1 }), 'late');
    assert.equal(play.record('t').run, null);
    assert.equal(play.commit('a', { starts, sent: 3 }), 'granted');
  });

  test('K2 a claim is refused without a lease, with an old configuration, for a paused task, and from the future', () => {
    const lapsed = new Play(['a'], ['t']);
    lapsed.now += LEASE_MS;
    assert.equal(lapsed.commit('a', { starts: [lapsed.claimOf('a', 't')] }), 'refused');
    const old = new Play(['a', 'b'], ['t']);
    const claim = old.claimOf('a', 't');
    const { epoch } = old.cluster;
    old.initialize('b', ['t', 'new']);
    assert.equal(old.commit('a', { starts: [claim], epoch }), 'refused');
    assert.equal(old.commit('a', { starts: [claim] }), 'granted');
    const paused = new Play(['a'], ['t']);
    paused.commit('a', { pauses: [{ name: 't', pausedAt: paused.now }] });
    assert.equal(paused.commit('a', { starts: [paused.claimOf('a', 't')] }), 'refused');
    assert.equal(paused.commit('a', { starts: [paused.claimOf('a', 't', 'manual')] }), 'granted');
    const ahead = new Play(['a'], ['t']);
    ahead.now += 3_600_000;
    const early = ahead.claimOf('a', 't');
    ahead.now -= 3_600_000;
    assert.equal(ahead.commit('a', { starts: [early] }), 'refused');
  });
});

describe('life and death', () => {
  test('K3 who does not renew is declared dead by a steady member, and its run is cut off and claimed', () => {
    const play = new Play(['a', 'b'], ['t']);
    play.start('a', 't');
    play.now += LEASE_MS - 1;
    play.renew('b');
    assert.deepEqual(play.declareDead('b').gone, []);
    play.now += 1;
    const { gone, past } = play.declareDead('b');
    assert.deepEqual(gone, ['a']);
    assert.deepEqual(
      past.map(({ task, outcome }) => [task, outcome]),
      [['t', 'cut off']],
    );
    assert.ok(!isCurrent(play.record('t')));
    assert.equal(play.commit('b', { starts: [play.claimOf('b', 't', 'orphaned')] }), 'granted');
  });

  test('K3 while the database is away every lease runs out, and nobody dies of it', () => {
    const play = new Play(['a', 'b'], ['t']);
    play.start('a', 't');
    play.now += 10 * LEASE_MS;
    play.renew('b');
    assert.deepEqual(play.declareDead('b').gone, []);
    assert.ok(play.renew('a'));
    assert.equal(play.commit('a', { ends: [play.endOf('a', 't')] }), 'granted');
  });

  test('K3 K4 an end is taken from an instance whose lease has run out until somebody declares it dead', () => {
    for (const isDeclared of [false, true]) {
      const play = new Play(['a', 'b'], ['t']);
      play.start('a', 't');
      const end = play.endOf('a', 't');
      play.now += LEASE_MS - 1;
      play.renew('b');
      play.now += 1;
      if (isDeclared) play.declareDead('b');
      assert.equal(play.commit('a', { ends: [end] }), isDeclared ? 'fenced' : 'granted');
      assert.equal(play.renew('a'), !isDeclared);
    }
  });

  test('K3 leaving hands over at once', () => {
    const play = new Play(['a', 'b'], ['t']);
    play.start('a', 't');
    assert.deepEqual(play.leave('a').gone, ['a']);
    assert.equal(play.commit('b', { starts: [play.claimOf('b', 't', 'orphaned')] }), 'granted');
    assert.deepEqual(play.leave('a').gone, []);
  });

  test('E6 K3 who wants to be alone is refused while others hold a lease, and then takes over from the dead', () => {
    const play = new Play(['a'], ['t']);
    play.start('a', 't');
    assert.deepEqual(play.join('c', true), { occupied: ['a'] });
    play.now += LEASE_MS;
    assert.deepEqual(play.joined('c', true).gone, ['a']);
    assert.deepEqual(play.join('b', false), { occupied: ['c'] });
    assert.deepEqual(play.joined('c', true).gone, []);
  });
});

describe('fencing', () => {
  test('K4 an end and an unstart of another run, or of a run that was cut off, are refused', () => {
    const play = new Play(['a', 'b', 'c'], ['t']);
    play.start('a', 't');
    const end = play.endOf('a', 't');
    const { runId } = end;
    assert.equal(play.commit('b', { ends: [end] }), 'refused');
    assert.equal(play.commit('a', { ends: [{ ...end, instanceId: 'b' }] }), 'refused');
    assert.equal(play.commit('b', { unstarts: [{ name: 't', runId, work: null, run: null }] }), 'refused');
    play.leave('a');
    play.start('b', 't', 'orphaned');
    for (const id of ['b', 'c']) assert.equal(play.commit(id, { ends: [end] }), 'refused');
    assert.equal(play.commit('c', { ends: [play.endOf('b', 't')] }), 'refused');
    assert.equal(play.commit('c', { ends: [play.endOf('c', 't')] }), 'refused');
    assert.equal(play.commit('a', { ends: [end] }), 'fenced');
    assert.equal(play.record('t').run?.instanceId, 'b');
  });

  test('K1 K4 no plan cuts off the run of a present instance', () => {
    const play = new Play(['a', 'b'], ['t']);
    play.start('a', 't');
    const { runId } = play.endOf('a', 't');
    const cutOffs = [{ name: 't', runId, at: play.now }];
    assert.equal(play.commit('b', { cutOffs, list: new Set(['t']) }), 'granted');
    assert.ok(isCurrent(play.record('t')));
    assert.equal(play.commit('a', { ends: [play.endOf('a', 't')] }), 'granted');
  });

  test('K4 no unstart makes a run current again', () => {
    const play = new Play(['a', 'b'], ['t']);
    play.start('a', 't');
    const { run, work } = play.record('t');
    play.leave('a');
    const cutOff = play.record('t').run;
    const claim = play.claimOf('b', 't', 'orphaned');
    play.commit('b', { starts: [claim] });
    const { runId } = claim.run;
    assert.equal(play.commit('b', { unstarts: [{ name: 't', runId, work, run }] }), 'refused');
    assert.equal(play.commit('b', { unstarts: [{ name: 't', runId, work, run: cutOff }] }), 'granted');
    assert.deepEqual(play.record('t').run, cutOff);
  });
});

describe('lists', () => {
  test('K5 a name is forgotten by an initialize that lacks it, once no other instance has it and it does not run', () => {
    const play = new Play(['a', 'b'], ['t', 'u']);
    play.start('b', 'u');
    assert.deepEqual(play.initialize('a', ['t']).held, ['u']);
    play.initialize('b', ['t']);
    assert.ok(play.cluster.records.has('u'), 'it runs');
    assert.equal(play.commit('b', { ends: [play.endOf('b', 'u')] }), 'granted');
    play.initialize('a', ['t']);
    assert.ok(!play.cluster.records.has('u'));
  });

  test('K5 a plan of an earlier epoch is refused as a whole', () => {
    const play = new Play(['a', 'b'], ['t']);
    const { epoch } = play.cluster;
    play.initialize('a', ['t', 'new']);
    assert.equal(play.commit('b', { epoch, list: new Set(['t', 'new']), removes: ['t'] }), 'stale');
    assert.ok(play.cluster.records.has('t'));
  });

  test('K5 a name that is written anew keeps its run, and takes the configuration', () => {
    const play = new Play(['a', 'b'], ['t']);
    play.start('a', 't');
    const before = play.record('t');
    const put = { ...before, cron: '1 1 * * *', run: null, work: null, servedThrough: 0 };
    assert.equal(play.commit('b', { puts: [put], list: new Set(['t']) }), 'granted');
    assert.deepEqual(play.record('t'), { ...before, cron: '1 1 * * *', version: before.version + 1 });
  });
});
