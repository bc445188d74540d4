/**
 * A database of a cluster in memory: the rows, and one clock. Everything that is decided about them is decided by the functions of
 * `store/cluster`, so this behaves as the statements of the PostgreSQL store do, which are tested against the same functions.
 *
 * Each method is one transaction: it happens at one instant, and nothing happens during it. What lies between an instance and its
 * database (a network that loses, delays and repeats) is none of its business: see `session.ts`.
 */
import type { ControlAnswer, ControlRequest, GivenAnswer } from '../../core/control.ts';
import type { Retention } from '../../core/history.ts';
import type { TaskRecord } from '../../core/record.ts';
import {
  type ClusterBatch,
  type Committed,
  commit,
  isCurrent,
  type NotCommitted,
} from '../../store/cluster/decide.ts';
import {
  type Departure,
  declareDead,
  isLeased,
  type Joining,
  join,
  leave,
  renew,
} from '../../store/cluster/members.ts';
import type { Changed, Member } from '../../store/cluster/rows.ts';
import { MemoryPast } from '../../store/memory-past.ts';
import type { PauseChange, Refusal } from '../../store/port.ts';
import type { Beat } from '../../store/sharing/heartbeat.ts';

/** Hears what happens to the rows, when it happens. */
export interface DatabaseWitness {
  joined?(id: string, leaseMs: number): void;
  renewed?(id: string): void;
  committed?(id: string, batch: ClusterBatch, answer: Committed | NotCommitted): void;
  /** A request of an operator has come (I1). */
  asked?(request: ControlRequest): void;
  /** These are absent from now on. */
  departed?(gone: readonly string[], why: 'left' | 'dead'): void;
}

export class ClusterDatabase {
  readonly members = new Map<string, Member>();
  readonly records = new Map<string, TaskRecord>();
  readonly past = new MemoryPast();
  epoch = 0;
  forgotten = 0;
  readonly #clock: () => number;
  readonly #witness: DatabaseWitness;
  readonly #requests = new Map<string, { readonly request: ControlRequest; takenBy?: string }>();
  readonly #answers = new Map<string, { readonly answer: ControlAnswer; readonly request: ControlRequest }>();

  constructor(clock: () => number, witness: DatabaseWitness = {}) {
    this.#clock = clock;
    this.#witness = witness;
  }

  /** The clock that counts (K6). */
  now(): number {
    return this.#clock();
  }

  /** Joins; answers those that are in the way. */
  join(joining: Joining, history: Retention | false): readonly string[] {
    const joined = join(this, joining, this.now());
    if ('occupied' in joined) return joined.occupied;
    this.#departed('dead', joined, history);
    this.#witness.joined?.(joining.id, joining.leaseMs);
    return [];
  }

  /** Renews a lease and looks around; `undefined` if the instance is absent (K4). */
  beat(id: string): Beat | undefined {
    const at = this.now();
    const renewed = renew(this, id, at);
    if (renewed === undefined) return undefined;
    this.#write(renewed);
    this.#witness.renewed?.(id);
    const members = Array.from(this.members.values(), (member) => ({
      instanceId: member.id,
      isLapsed: !isLeased(member, at),
    }));
    return { at, epoch: this.epoch, members, requests: this.#requests.size };
  }

  declareDead(by: string, history: Retention | false): readonly string[] {
    const departure = declareDead(this, by, this.now());
    this.#departed('dead', departure, history);
    return departure.gone;
  }

  leave(id: string, history: Retention | false): void {
    this.#departed('left', leave(this, id, this.now()), history);
  }

  commit(id: string, batch: ClusterBatch, history: Retention | false): Committed | NotCommitted {
    const pauses = batch.pauses?.filter(
      ({ request }) => request === undefined || this.#requests.has(request),
    );
    // The same again is granted again, and takes nothing back.
    const unstarts = batch.unstarts?.filter(
      ({ name, runId }) => this.records.get(name)?.run?.runId === runId,
    );
    const done = commit(this, id, { ...batch, ...(pauses && { pauses }) }, this.now());
    const answer =
      'why' in done ? done : { ...done, refused: [...done.refused, ...this.#notPaused(batch, pauses)] };
    if (!('why' in answer)) {
      this.#write(answer);
      this.past.keep(answer.past, history);
      const isRefused = (change: string, of: string | undefined): boolean =>
        answer.refused.some((refusal) => refusal.change === change && refusal.name === of);
      for (const given of batch.answers ?? []) if (!isRefused('start', given.start)) this.#answer(given);
      for (const { name, requests = [] } of unstarts ?? [])
        if (!isRefused('unstart', name)) for (const request of requests) this.#reopen(request);
    }
    this.#witness.committed?.(id, batch, answer);
    return answer;
  }

  /** Pauses whose request is answered: what was asked for is done. */
  #notPaused({ pauses = [] }: ClusterBatch, made: readonly PauseChange[] | undefined): Refusal[] {
    return pauses.flatMap((pause): Refusal[] => {
      const record = this.records.get(pause.name);
      return made?.includes(pause) || record === undefined
        ? []
        : [{ change: 'pause', name: pause.name, record }];
    });
  }

  #answer({ start: _, ...answer }: GivenAnswer): void {
    const { request } = this.#requests.get(answer.id) ?? {};
    if (request === undefined) return;
    this.#requests.delete(answer.id);
    this.#answers.set(answer.id, { answer: Object.freeze(answer), request });
  }

  #reopen(id: string): void {
    const { request } = this.#answers.get(id) ?? {};
    if (this.#answers.delete(id) && request !== undefined) this.#requests.set(id, { request });
  }

  #departed(why: 'left' | 'dead', departure: Departure, history: Retention | false): void {
    this.#write(departure);
    this.past.keep(departure.past, history);
    if (departure.gone.length > 0) this.#witness.departed?.(departure.gone, why);
  }

  #write({ members, records, epoch, forgotten }: Changed): void {
    for (const [id, member] of members ?? []) {
      if (member === undefined) this.members.delete(id);
      else this.members.set(id, member);
    }
    for (const [name, record] of records ?? []) {
      if (record === undefined) this.records.delete(name);
      else this.records.set(name, record);
    }
    this.epoch = epoch ?? this.epoch;
    this.forgotten = forgotten ?? this.forgotten;
  }

  ask(request: ControlRequest): void {
    if (this.#answers.has(request.id)) return;
    this.#requests.set(request.id, { request: { ...request } });
    this.#witness.asked?.(request);
  }

  answerTo(id: string): ControlAnswer | undefined {
    return this.#answers.get(id)?.answer;
  }

  /** The requests that are this instance's to answer; another one that runs the task, or has taken the request, goes first. */
  takeRequests(id: string): readonly ControlRequest[] {
    const me = this.members.get(id);
    if (me === undefined) return [];
    // What it has taken before comes again until it is answered: the instance may not have heard of it.
    const mine = Array.from(this.#requests.values()).filter(
      (each) => each.takenBy === id || this.#isFor(me, each),
    );
    for (const each of mine) each.takenBy = id;
    return mine.map(({ request }) => request);
  }

  #isFor(me: Member, { request, takenBy }: { request: ControlRequest; takenBy?: string }): boolean {
    if (me.isAlone) return true;
    const record = this.records.get(request.task);
    const runner = record && isCurrent(record) ? record.run?.instanceId : undefined;
    const isKnown = Array.from(this.members.values()).some(({ names }) => names.has(request.task));
    const isFree = takenBy === undefined || !this.members.has(takenBy);
    return isFree && (runner ?? me.id) === me.id && (me.names.has(request.task) || !isKnown);
  }
}
