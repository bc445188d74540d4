/** States of the model as keys (`coder.ts`). */
import type { Member } from '../../../../src/store/cluster/rows.ts';
import type { System } from '../../../executor/model/explorer.ts';
import { Coder, HIGHEST } from './coder.ts';
import { RowSchema } from './row-schema.ts';
import { forgetful, render } from './views.ts';
import {
  type Age,
  type Bounds,
  type Counts,
  type Flight,
  LEASE_MS,
  type List,
  namesOf,
  type Run,
  type Sent,
  type Slot,
  type Truth,
  type World,
} from './world.ts';

const PHASES: readonly Slot['phase'][] = ['out', 'joined', 'ready', 'stopping'];
const STAGES: readonly Run['stage'][] = ['granted', 'called', 'ended', 'taken back'];

class Schema {
  readonly #coder = new Coder();
  readonly #rows: RowSchema;
  readonly #lists: readonly List[];
  readonly #faults = [''];

  constructor(bounds: Bounds) {
    this.#lists = [...new Set(bounds.slots.flatMap(({ lives, reloads = [] }) => [...lives, ...reloads]))];
    const crons = [...new Set(this.#lists.flatMap((list) => Object.values(list)))];
    this.#rows = new RowSchema(this.#coder, namesOf(bounds), crons);
  }

  encode(world: World): string {
    return this.#coder.write(world.now, world.cluster.epoch, () => this.#world(world));
  }

  decode(text: string): World {
    return this.#coder.read(text, () => this.#world());
  }

  #world(world?: World): World {
    const coder = this.#coder;
    if (world && !this.#faults.includes(world.fault)) this.#faults.push(world.fault);
    const fault = coder.of(this.#faults, world?.fault);
    const members = [...(world?.cluster.members.values() ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1));
    const rows = coder.list(members, (member) => this.#member(member));
    const ages = rows.map(({ id }): [string, Age] => [id, this.#age(world?.ages.get(id))]);
    const records = this.#byName(world?.cluster.records, (record) => this.#rows.record(record));
    return {
      now: coder.now,
      fault,
      left: this.#counts(world?.left),
      cluster: {
        members: new Map(rows.map((row) => [row.id, row])),
        records,
        epoch: coder.epoch,
        forgotten: HIGHEST,
      },
      ages: new Map(ages),
      tasks: this.#byName(world?.tasks, (truth) => this.#truth(truth)),
      dueAt: this.#byName(world?.dueAt, (instant) => coder.instant(instant)),
      slots: coder.list(world?.slots, (slot) => this.#slot(slot)),
    };
  }

  #counts(counts?: Counts): Counts {
    const coder = this.#coder;
    return {
      dues: coder.int(counts?.dues),
      failures: coder.int(counts?.failures),
      losses: coder.int(counts?.losses),
      copies: coder.int(counts?.copies),
      crashes: coder.int(counts?.crashes),
      stops: coder.int(counts?.stops),
      freezes: coder.int(counts?.freezes),
      skips: coder.int(counts?.skips),
    };
  }

  #byName<T>(values: ReadonlyMap<string, T> | undefined, code: (value: T | undefined) => T): Map<string, T> {
    const given = this.#rows.names.filter((name) => values?.has(name));
    return new Map(
      this.#coder.list(given, (name) => this.#rows.name(name)).map((name) => [name, code(values?.get(name))]),
    );
  }

  #member(member?: Member): Member {
    const coder = this.#coder;
    const id = coder.id(member?.id);
    return {
      id,
      lastSent: coder.sent(id, member?.lastSent),
      leaseMs: LEASE_MS,
      leaseUntil: coder.ticks(member?.leaseUntil, 0, 9),
      steadySince: coder.ticks(member?.steadySince, -2, 0),
      isAlone: false,
      names: new Set(coder.list(member?.names, (name) => this.#rows.name(name))),
    };
  }

  #age(age?: Age): Age {
    return { sinceRenewal: this.#coder.int(age?.sinceRenewal), held: this.#coder.int(age?.held) };
  }

  #sent(sent?: Sent): Sent {
    const crons = this.#coder.list(sent?.crons, (cron) => this.#coder.of(this.#rows.crons, cron));
    const id = this.#coder.id(sent?.id);
    return { id, batch: this.#rows.batch(id, sent?.batch), crons };
  }

  #flight(flight?: Flight): Flight {
    const stage = this.#coder.of(['sent', 'unknown'] as const, flight?.stage);
    const befores = this.#coder.list(flight?.befores, (before) => this.#rows.before(before));
    return { ...this.#sent(flight), stage, befores };
  }

  #truth(truth?: Truth): Truth {
    const coder = this.#coder;
    return {
      servedThrough: coder.instant(truth?.servedThrough),
      retryAt: coder.orNull(truth?.retryAt, (at) => coder.instant(at)),
      isOrphaned: coder.int(truth?.isOrphaned ? 1 : 0) === 1,
      run: coder.orNull(truth?.run, (run) => ({
        runId: coder.runId(run?.runId),
        instanceId: coder.id(run?.instanceId),
        wasOrphaned: coder.int(run?.wasOrphaned ? 1 : 0) === 1,
      })),
    };
  }

  #doing(run?: Run): Run {
    const coder = this.#coder;
    const stage = coder.of(STAGES, run?.stage);
    if (stage === 'ended') return { stage, end: this.#rows.end(run?.stage === stage ? run.end : undefined) };
    const claim = this.#rows.start(run && run.stage !== 'ended' ? run.claim : undefined);
    if (stage === 'called')
      return { stage, claim, calledAt: coder.instant(run?.stage === stage ? run.calledAt : undefined) };
    return { stage, claim, before: this.#rows.before(run && 'before' in run ? run.before : undefined) };
  }

  #slot(slot?: Slot): Slot {
    const coder = this.#coder;
    return {
      phase: coder.of(PHASES, slot?.phase),
      life: coder.int(slot?.life),
      reloads: coder.int(slot?.reloads),
      list: coder.of(this.#lists, slot?.list),
      next: coder.orNull(slot?.next, (list) => coder.of(this.#lists, list)),
      flight: coder.orNull(slot?.flight, (flight) => this.#flight(flight)),
      runs: this.#byName(slot?.runs, (run) => this.#doing(run)),
      copy: coder.orNull(slot?.copy, (copy) => this.#sent(copy)),
      known: coder.orNull(slot?.known, (known) => ({
        records: this.#byName(known?.records, (record) => this.#rows.record(record)),
        epoch: coder.epochOf(known?.epoch),
      })),
    };
  }
}

/** The last state that was read is kept: the explorer asks for it once per action, and no step alters it. */
export function codecOf(bounds: Bounds): Pick<System<World>, 'encode' | 'decode' | 'render'> {
  const schema = new Schema(bounds);
  let [lastKey, last]: [string, World | undefined] = ['', undefined];
  return {
    encode: (world) => schema.encode(forgetful(world, bounds)),
    decode(key) {
      if (last === undefined || key !== lastKey) [lastKey, last] = [key, schema.decode(key)];
      return last;
    },
    render,
  };
}
