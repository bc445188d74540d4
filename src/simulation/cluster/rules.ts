/**
 * What must hold of a cluster, kept in a book of its own: who is present until when, who has which names, and which run of a task is current.
 * It hears what the database granted, and shares no code with the decisions. So a wrong decision shows as something that the book forbids.
 *
 * - **K1** no start is granted while a run of the task is current; no start is called twice, but for an attempt that a stop has interrupted (A13).
 * - **K2** no start is granted to an instance whose lease is over, or from the future.
 * - **K3** no instance is declared dead within its lease, and none unless another has held its own without a gap for as long: after an outage
 *   everybody has time to renew. What a process that died was running is started again within a lease and five
 *   seconds, if another one had the task, its lease, and nothing to disturb it all that time.
 * - **K4** nothing is granted to an instance that is absent. An end or an unstart is of the current run of its instance.
 * - **K5** no start, and no move by a list, is granted that was decided by configurations which are not the last ones. A name is forgotten only while no other instance that is present has it, and it does not run.
 * - **I3** nothing but what was asked for is started while its task is paused. What operators ask for has a book of its own (`control-rules.ts`).
 */
import type { EndChange, MoveChange } from '../../core/changes.ts';
import type { ControlRequest } from '../../core/control.ts';
import type { RunRecord } from '../../core/record.ts';
import type { ClusterBatch, Committed, NotCommitted } from '../../store/cluster/decide.ts';
import type { Blame } from '../judges/violations.ts';
import { ControlRules } from './control-rules.ts';
import type { DatabaseWitness } from './database.ts';

interface Present {
  leaseUntil: number;
  /** Since when it has held its lease without a gap. */
  heldSince: number;
  readonly leaseMs: number;
  names: ReadonlySet<string>;
}

interface Current {
  readonly runId: string;
  readonly instance: string;
}

/** How far ahead a claim may be stamped. */
const AHEAD_MS = 1000;

export class ClusterRules implements DatabaseWitness {
  readonly #now: () => number;
  readonly #blame: Blame;
  readonly #present = new Map<string, Present>();
  readonly #current = new Map<string, Current>();
  /** Runs that were cut off and have not been started again, by task. */
  readonly orphaned = new Map<string, string>();
  /** Runs that have ended or were taken back: the same again is granted again (E9). */
  readonly #over = new Set<string>();
  /** By task: how far its cursor was moved. */
  readonly #moved = new Map<string, number>();
  /** By task and version: what was granted by it. Nothing else ever is (K2). */
  readonly #granted = new Map<string, string>();
  readonly #called = new Set<string>();
  readonly controls: ControlRules;
  #epoch = 0;

  constructor(now: () => number, blame: Blame) {
    this.#now = now;
    this.#blame = blame;
    this.controls = new ControlRules(now, blame);
  }

  /** The tasks that an instance of this host runs, by what the database has granted. */
  runsOf(isOf: (instance: string) => boolean): readonly string[] {
    return Array.from(this.#current).flatMap(([task, { instance }]) => (isOf(instance) ? [task] : []));
  }

  currentOf(task: string): Current | undefined {
    return this.#current.get(task);
  }

  asked(request: ControlRequest): void {
    this.controls.asked(request);
  }

  called(task: string, key: string, attempt: number): void {
    const start = `attempt ${attempt} of ${key} of ${task}`;
    if (this.#called.has(start)) this.#blame('K1', `${start} was called twice`);
    this.#called.add(start);
  }

  joined(id: string, leaseMs: number): void {
    const known = this.#present.get(id);
    if (known === undefined)
      this.#present.set(id, {
        leaseMs,
        leaseUntil: this.#now() + leaseMs,
        heldSince: this.#now(),
        names: new Set(),
      });
  }

  renewed(id: string): void {
    const member = this.#present.get(id);
    if (member === undefined) {
      this.#blame('K4', `${id} is absent, and has renewed its lease`);
      return;
    }
    if (member.leaseUntil <= this.#now()) member.heldSince = this.#now();
    member.leaseUntil = this.#now() + member.leaseMs;
  }

  departed(gone: readonly string[], why: 'left' | 'dead'): void {
    for (const id of gone) {
      const member = this.#present.get(id);
      if (why === 'dead' && member !== undefined && member.leaseUntil > this.#now())
        this.#blame(
          'K3',
          `${id} was declared dead ${member.leaseUntil - this.#now()} ms before its lease was over`,
        );
      if (why === 'dead' && member !== undefined && !this.#isSomebodySteady(id, member.leaseMs))
        this.#blame('K3', `${id} was declared dead, and nobody had held a lease for long enough to know`);
      this.#present.delete(id);
      for (const [task, { instance, runId }] of this.#current) {
        if (instance !== id) continue;
        this.#current.delete(task);
        this.orphaned.set(task, runId);
      }
    }
  }

  #isSomebodySteady(but: string, otherMs: number): boolean {
    const now = this.#now();
    return Array.from(this.#present).some(
      ([id, { leaseUntil, leaseMs, heldSince }]) =>
        id !== but && leaseUntil > now && heldSince + Math.max(leaseMs, otherMs) <= now,
    );
  }

  committed(id: string, batch: ClusterBatch, answer: Committed | NotCommitted): void {
    if ('why' in answer) return;
    const member = this.#present.get(id);
    if (member === undefined) {
      this.#blame('K4', `${id} is absent, and its batch was taken`);
      return;
    }
    const isRefused = (change: string, name: string): boolean =>
      answer.refused.some((refusal) => refusal.change === change && refusal.name === name);
    this.#listed(id, member, batch, answer);
    const isOld = batch.epoch !== this.#epoch && batch.list === undefined;
    this.#epoch = answer.epoch;
    const answers = batch.answers?.filter(({ start }) => start === undefined || !isRefused('start', start));
    this.controls.controlled({ ...batch, ...(answers && { answers }) });
    for (const end of batch.ends ?? []) if (!isRefused('end', end.name)) this.#endGranted(id, end);
    for (const { name, runId } of batch.unstarts ?? [])
      if (!isRefused('unstart', name)) {
        this.#ended('unstart', id, name, runId);
        this.controls.takenBack(runId);
      }
    for (const move of batch.moves ?? []) if (!isRefused('move', move.name)) this.#move(id, move);
    for (const { name, run, version } of batch.starts ?? []) {
      if (isRefused('start', name)) continue;
      this.#grantedOnce(name, version, `the start ${run.runId}`);
      this.#started(id, member, name, run, isOld, answers);
    }
  }

  /** Of all that names a version of a record, one is granted. The same again is granted again (E9). */
  #grantedOnce(name: string, version: number, what: string): void {
    const key = `${name} in version ${version}`;
    const before = this.#granted.get(key);
    if (before !== undefined && before !== what)
      this.#blame('K2', `${what} was granted by ${key}, and so was ${before}`);
    this.#granted.set(key, what);
  }

  /** The clock of these databases is never set back, so no cursor goes back either (K2). */
  #move(id: string, { name, servedThrough, version }: MoveChange): void {
    this.#grantedOnce(name, version, `the move to ${servedThrough}`);
    const before = this.#moved.get(name) ?? Number.NEGATIVE_INFINITY;
    if (servedThrough < before)
      this.#blame(
        'K2',
        `the move of ${name} to ${servedThrough} by version ${version}, by ${id}, took the cursor back from ${before}`,
      );
    this.#moved.set(name, servedThrough);
  }

  #listed(id: string, member: Present, batch: ClusterBatch, { records, held }: Committed): void {
    member.names = batch.list ?? member.names;
    for (const name of batch.removes ?? []) {
      if (held.includes(name) || records?.get(name) !== undefined) continue;
      const other = Array.from(this.#present).find(([each, { names }]) => each !== id && names.has(name));
      if (other !== undefined) this.#blame('K5', `${name} was forgotten, and ${other[0]} has it`);
      if (this.#current.has(name)) this.#blame('K5', `${name} was forgotten while it runs`);
      this.orphaned.delete(name);
      this.#moved.delete(name);
      this.controls.forgotten(name);
    }
  }

  #started(
    id: string,
    { leaseUntil }: Present,
    task: string,
    run: RunRecord,
    isOld: boolean,
    answers: ClusterBatch['answers'],
  ): void {
    const { runId, startedAt, reason } = run;
    const current = this.#current.get(task);
    if (current?.runId === runId) return;
    this.controls.begun(task, run, answers);
    if (current !== undefined)
      this.#blame('K1', `${runId} of ${task} was granted while ${current.runId} is current`);
    if (leaseUntil <= this.#now()) this.#blame('K2', `${runId} was granted to ${id}, whose lease is over`);
    if (this.controls.isPaused(task) && reason !== 'manual')
      this.#blame('I3', `${runId} of ${task} was granted because it was ${reason}, and it is paused`);
    if (isOld) this.#blame('K5', `${runId} of ${task} was granted, and ${id} knew only old configurations`);
    if (startedAt > this.#now() + AHEAD_MS) this.#blame('K2', `${runId} was granted from the future`);
    this.#current.set(task, { runId, instance: id });
    this.#moved.delete(task);
    this.orphaned.delete(task);
  }

  /** An attempt that a stop has interrupted is not used up, and comes again (A13). */
  #endGranted(id: string, { name: task, runId, outcome, work: { key, attempt } }: EndChange): void {
    this.#ended('end', id, task, runId);
    if (outcome !== 'interrupted') return;
    this.#called.delete(`attempt ${attempt} of ${key} of ${task}`);
    this.orphaned.set(task, runId);
  }

  #ended(change: 'end' | 'unstart', id: string, task: string, runId: string): void {
    const current = this.#current.get(task);
    if (current?.runId === runId && current.instance === id) {
      this.#current.delete(task);
      this.#over.add(runId);
    } else if (!this.#over.has(runId))
      this.#blame('K4', `the ${change} of ${runId} of ${task} was granted to ${id}, and it is not current`);
  }
}
