/** What one process can do. Each step answers the state after it, or nothing where it cannot be taken. */
import type { Committed, NotCommitted } from '../../../../src/store/cluster/decide.ts';
import { applyBatch, applyDeath, applyJoin, applyLeave, applyRenewal } from './database.ts';
import { claimsBy, endOf, initializeOf, knownTo, runsAfter, skipBy, unwritten } from './instance.ts';
import {
  type Bounds,
  type Flight,
  idOf,
  type Operations,
  type Run,
  type Slot,
  spend,
  stamped,
  type World,
} from './world.ts';

export class Process {
  readonly #index: number;
  readonly #operations: Operations;
  readonly #bounds: Bounds;

  constructor(index: number, operations: Operations, bounds: Bounds) {
    this.#index = index;
    this.#operations = operations;
    this.#bounds = bounds;
  }

  #idIn({ slots }: World): string {
    return idOf(this.#index, slots[this.#index].life);
  }

  #with(world: World, change: Partial<Slot>): World {
    return { ...world, slots: world.slots.with(this.#index, { ...world.slots[this.#index], ...change }) };
  }

  #withRun(world: World, name: string, run: Run): World {
    return this.#with(world, { runs: new Map(world.slots[this.#index].runs).set(name, run) });
  }

  /** The process has ended, or has heard that it is fenced: its callbacks are aborted, and it forgets everything. */
  #out(world: World): World {
    const { known } = world.slots[this.#index];
    const nothing = { known: known && { records: new Map(), epoch: 0 }, runs: new Map() };
    return this.#with(world, { phase: 'out', next: null, flight: null, ...nothing });
  }

  join(world: World): World | undefined {
    const { phase, life } = world.slots[this.#index];
    const next = this.#bounds.slots[this.#index].lives.at(life);
    if (phase !== 'out' || next === undefined) return undefined;
    const joining = this.#with(world, { phase: 'joined', life: life + 1, list: next, next });
    return applyJoin(joining, this.#operations, this.#idIn(joining));
  }

  reload(world: World): World | undefined {
    const { phase, reloads, next, flight } = world.slots[this.#index];
    const list = this.#bounds.slots[this.#index].reloads?.at(reloads);
    if (phase !== 'ready' || next !== null || flight !== null || list === undefined) return undefined;
    return this.#with(world, { reloads: reloads + 1, next: list });
  }

  /** It reads everything and plans what its list changes. */
  plan(world: World): World | undefined {
    const slot = world.slots[this.#index];
    const { phase, next, flight } = slot;
    if (phase === 'out' || next === null || flight !== null) return undefined;
    const batch = initializeOf(world.cluster, slot, next, world.now);
    return this.#send(world, { id: this.#idIn(world), batch, crons: [], befores: [], stage: 'sent' });
  }

  look(world: World): World | undefined {
    const { phase, known } = world.slots[this.#index];
    return phase === 'out' || known === null ? undefined : this.#looked(world);
  }

  #looked(world: World): World {
    const { records, epoch } = world.cluster;
    return world.slots[this.#index].known === null ? world : this.#with(world, { known: { records, epoch } });
  }

  /** It claims these tasks, if each is pending by what it knows. */
  claim(world: World, names: readonly string[]): World | undefined {
    const id = this.#idIn(world);
    const claimed = claimsBy(world.slots[this.#index], world, id, names);
    return claimed && this.#send(world, { id, ...claimed, stage: 'sent' });
  }

  /** It finds that a due is too old to be started. */
  skip(world: World, name: string): World | undefined {
    const skipped = skipBy(world.slots[this.#index], world, name);
    const spent = skipped && spend(world, 'skips');
    return spent && this.#send(spent, { id: this.#idIn(world), ...skipped, befores: [], stage: 'sent' });
  }

  /** It writes what has ended, and what it takes back. */
  write(world: World): World | undefined {
    const slot = world.slots[this.#index];
    const { ends, unstarts } = unwritten(slot);
    if (slot.flight !== null || ends.length + unstarts.length === 0) return undefined;
    const { epoch } = knownTo(slot, world);
    const batch = { epoch, ends, unstarts };
    return this.#send(world, { id: this.#idIn(world), batch, crons: [], befores: [], stage: 'sent' });
  }

  /** Under a number that is higher than all before (`ClusterBatch`). */
  #send(world: World, flight: Flight): World {
    const { id, batch } = flight;
    const { copy } = world.slots[this.#index];
    const before = [
      world.cluster.members.get(id)?.lastSent,
      batch.sent,
      copy?.id === id ? copy.batch.sent : 0,
    ];
    const sent = Math.max(...before.map((number) => number ?? 0)) + 1;
    return this.#with(world, { flight: { ...flight, stage: 'sent', batch: { ...batch, sent } } });
  }

  #flightIn({ slots }: World, stage: Flight['stage']): Flight | undefined {
    const { flight } = slots[this.#index];
    return flight?.stage === stage ? flight : undefined;
  }

  /** The database does it, and the answer arrives. */
  deliver(world: World): World | undefined {
    const flight = this.#flightIn(world, 'sent');
    if (flight === undefined) return undefined;
    const done = applyBatch(world, this.#operations, flight);
    return this.#hear(done.world, flight, done.answer);
  }

  loseAnswer(world: World): World | undefined {
    const flight = this.#flightIn(world, 'sent');
    const spent = spend(world, 'losses');
    if (flight === undefined || spent === undefined) return undefined;
    const { world: done } = applyBatch(spent, this.#operations, flight);
    return this.#with(done, { flight: { ...flight, stage: 'unknown' } });
  }

  loseRequest(world: World): World | undefined {
    const flight = this.#flightIn(world, 'sent');
    const spent = spend(world, 'losses');
    if (flight === undefined || spent === undefined) return undefined;
    return this.#with(spent, { flight: { ...flight, stage: 'unknown' } });
  }

  /** It hears nothing, and the network keeps the request for later. */
  delayRequest(world: World): World | undefined {
    const flight = this.#flightIn(world, 'sent');
    const spent = spend(world, 'copies');
    if (flight === undefined || spent === undefined || spent.slots[this.#index].copy !== null)
      return undefined;
    const { id, batch, crons } = flight;
    return this.#with(spent, { flight: { ...flight, stage: 'unknown' }, copy: { id, batch, crons } });
  }

  /** What the network kept arrives, and its answer finds nobody. */
  deliverCopy(world: World): World | undefined {
    const { copy } = world.slots[this.#index];
    if (copy === null) return undefined;
    return this.#with(applyBatch(world, this.#operations, copy).world, { copy: null });
  }

  readBack(world: World): World | undefined {
    const flight = this.#flightIn(world, 'unknown');
    if (flight === undefined || flight.batch.list !== undefined) return undefined;
    const { starts = [], ends = [], unstarts = [], moves = [] } = flight.batch;
    const isShown = this.#operations.isApplied({ starts, ends, unstarts, moves }, [
      ...world.cluster.records.values(),
    ]);
    return isShown
      ? this.#hear(world, flight, { refused: [], past: [], held: [], epoch: 0, known: 0, firstVersion: 0 })
      : this.resend(world);
  }

  /** E9: the same batch again. */
  resend(world: World): World | undefined {
    const flight = this.#flightIn(world, 'unknown');
    return flight && this.#send(world, flight);
  }

  #hear(world: World, flight: Flight, answer: Committed | NotCommitted): World {
    if ('why' in answer)
      return answer.why === 'fenced' ? this.#out(world) : this.#with(world, { flight: null });
    const { phase, next, list, runs: before } = world.slots[this.#index];
    const runs = runsAfter(before, flight, answer);
    const listed =
      flight.batch.list === undefined
        ? {}
        : { list: next ?? list, next: null, phase: phase === 'joined' ? ('ready' as const) : phase };
    return this.#looked(this.#with(world, { runs, flight: null, ...listed }));
  }

  call(world: World, name: string): World | undefined {
    const { phase, runs } = world.slots[this.#index];
    const run = runs.get(name);
    if (phase === 'stopping' || run?.stage !== 'granted') return undefined;
    const called = stamped(world, this.#bounds);
    return this.#withRun(called, name, { stage: 'called', claim: run.claim, calledAt: called.now });
  }

  /** A4: stop came before the call. */
  takeBack(world: World, name: string): World | undefined {
    const { phase, runs } = world.slots[this.#index];
    const run = runs.get(name);
    if (phase !== 'stopping' || run?.stage !== 'granted') return undefined;
    return this.#withRun(world, name, { ...run, stage: 'taken back' });
  }

  end(world: World, name: string, outcome: 'success' | 'failure'): World | undefined {
    const run = world.slots[this.#index].runs.get(name);
    const spent = outcome === 'failure' ? spend(world, 'failures') : world;
    if (run?.stage !== 'called' || spent === undefined) return undefined;
    const ended = stamped(spent, this.#bounds);
    return this.#withRun(ended, name, { stage: 'ended', end: endOf(run, outcome, ended.now) });
  }

  /** After a pause. Otherwise it renews with every tick. */
  renew(world: World): World | undefined {
    const { phase } = world.slots[this.#index];
    if (phase === 'out' || world.ages.get(this.#idIn(world))?.sinceRenewal === 0) return undefined;
    return applyRenewal(world, this.#operations, this.#idIn(world)) ?? this.#out(world);
  }

  declare(world: World): World | undefined {
    if (world.slots[this.#index].phase === 'out') return undefined;
    return applyDeath(world, this.#operations, this.#idIn(world));
  }

  crash(world: World): World | undefined {
    const spent = spend(world, 'crashes');
    return spent && world.slots[this.#index].phase !== 'out' ? this.#out(spent) : undefined;
  }

  stop(world: World): World | undefined {
    const spent = world.slots[this.#index].phase === 'ready' ? spend(world, 'stops') : undefined;
    return spent && this.#with(spent, { phase: 'stopping' });
  }

  /** It leaves, perhaps before everything is written: a stop waits for a bounded time (D7). */
  leave(world: World): World | undefined {
    if (world.slots[this.#index].phase !== 'stopping') return undefined;
    return this.#out(applyLeave(world, this.#operations, this.#idIn(world)));
  }
}
