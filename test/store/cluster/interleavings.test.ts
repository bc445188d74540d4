/** Any order of steps of three instances over two tasks: what `rows.ts` argues holds after each of them (K1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCurrent } from '../../../src/store/cluster/decide.ts';
import type { StartChange } from '../../../src/store/port.ts';
import { fc } from '../../property.ts';
import { Play } from './play.ts';

const STEPS = ['prepare', 'send', 'send again', 'end', 'renew', 'declare', 'leave', 'join', 'wait'] as const;

const step = fc.record({
  what: fc.constantFrom(...STEPS),
  who: fc.nat(2),
  task: fc.constantFrom('t', 'u'),
  ms: fc.nat(20_000),
});

/** Claims are decided early and sent late, so that everything may happen in between. */
class Interleaving {
  readonly play: Play;
  readonly #ids = ['0-1', '1-1', '2-1'];
  #joins = 1;
  readonly #prepared: StartChange[][] = [[], [], []];
  readonly #sent: StartChange[] = [];
  /** By task and cursor: which claims have discharged it. */
  readonly #granted = new Map<string, Set<string>>();

  constructor() {
    this.play = new Play(this.#ids, ['t', 'u']);
  }

  take(what: (typeof STEPS)[number], who: number, task: string, ms: number): void {
    const { play } = this;
    const id = this.#ids[who];
    const { run } = play.record(task);
    if (what === 'prepare') this.#prepared[who].push(play.claimOf(id, task));
    else if (what === 'send') this.#send(id, this.#prepared[who].shift());
    else if (what === 'send again') this.#send(id, this.#sent.at(-1));
    else if (what === 'end' && run !== null) play.commit(id, { ends: [play.endOf(id, task)] });
    else if (what === 'renew') play.renew(id);
    else if (what === 'declare') play.declareDead(id);
    else if (what === 'leave') play.leave(id);
    else if (what === 'wait') play.now += ms;
    else if (what === 'join' && !play.cluster.members.has(id)) this.#join(who);
    this.#check();
  }

  #join(who: number): void {
    this.#ids[who] = `${who}-${++this.#joins}`;
    this.play.joined(this.#ids[who], false);
    this.play.initialize(this.#ids[who], ['t', 'u']);
  }

  /** A claim is granted at most once for what it was decided by: a second one has seen the first. */
  #send(id: string, claim: StartChange | undefined): void {
    if (claim === undefined) return;
    this.#sent.push(claim);
    const { name, run, version } = claim;
    if (this.play.commit(id, { starts: [claim] }) !== 'granted') return;
    const decidedBy = JSON.stringify([name, version]);
    const runs = this.#granted.get(decidedBy) ?? new Set();
    this.#granted.set(decidedBy, runs.add(run.runId));
    assert.equal(runs.size, 1, `one reason, ${runs.size} starts: ${decidedBy}`);
  }

  #check(): void {
    const { members, records } = this.play.cluster;
    for (const record of records.values())
      if (isCurrent(record))
        assert.ok(members.has(record.run?.instanceId ?? ''), 'the run of an absent instance');
  }
}

test('K1 K3 in any order of steps, a current run belongs to a present instance, and no reason starts twice', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const interleaving = new Interleaving();
      for (const { what, who, task, ms } of steps) interleaving.take(what, who, task, ms);
      // Whoever is left gets every task to run, however it was left.
      const { play } = interleaving;
      play.joined('last', false);
      play.initialize('last', ['t', 'u']);
      play.now += 15_000 - 1;
      play.renew('last');
      play.now += 1;
      play.declareDead('last');
      assert.deepEqual([...play.cluster.members.keys()], ['last']);
      for (const task of ['t', 'u']) play.start('last', task);
    }),
    { numRuns: 3000 },
  );
});
