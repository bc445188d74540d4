/** A cluster in the hands of a test: every step by the shipped decisions. */
import assert from 'node:assert/strict';
import { NOTHING_YET, type Reason, type TaskRecord } from '../../../src/core/record.ts';
import { type ClusterBatch, type Committed, commit } from '../../../src/store/cluster/decide.ts';
import { type Departure, declareDead, join, leave, renew } from '../../../src/store/cluster/members.ts';
import { after, type Changed, type Cluster, EMPTY } from '../../../src/store/cluster/rows.ts';
import type { EndChange, StartChange } from '../../../src/store/port.ts';

export type Answer = 'granted' | 'refused' | 'fenced' | 'stale' | 'late';

export class Play {
  cluster: Cluster = EMPTY;
  now = 1_000_000;
  #runs = 0;

  /** Members that have these tasks. */
  constructor(ids: readonly string[], names: readonly string[], leaseMs = 15_000) {
    for (const id of ids) {
      this.joined(id, false, leaseMs);
      this.initialize(id, names);
    }
  }

  record(name: string): TaskRecord {
    const record = this.cluster.records.get(name);
    assert.ok(record, name);
    return record;
  }

  join(id: string, isAlone: boolean, leaseMs = 15_000): ReturnType<typeof join> {
    return join(this.cluster, { id, leaseMs, isAlone }, this.now);
  }

  joined(id: string, isAlone: boolean, leaseMs?: number): Departure {
    const answer = this.join(id, isAlone, leaseMs);
    assert.ok('gone' in answer, 'it is occupied');
    return this.#stepped(answer);
  }

  renew(id: string): boolean {
    const changed = renew(this.cluster, id, this.now);
    if (changed !== undefined) this.#stepped(changed);
    return changed !== undefined;
  }

  declareDead(by: string): Departure {
    return this.#stepped(declareDead(this.cluster, by, this.now));
  }

  leave(id: string): Departure {
    return this.#stepped(leave(this.cluster, id, this.now));
  }

  /** An initialize with this list, planned from the records as they are. */
  initialize(id: string, names: readonly string[]): Committed {
    const list = new Set(names);
    const puts = names.filter((name) => !this.cluster.records.has(name)).map((name) => this.#fresh(name));
    const removes = [...this.cluster.records.keys()].filter((name) => !list.has(name));
    const { epoch } = this.cluster;
    const answer = commit(this.cluster, id, { epoch, list, puts, removes }, this.now);
    assert.ok('refused' in answer);
    return this.#stepped(answer);
  }

  commit(id: string, batch: Partial<ClusterBatch>): Answer {
    const answer = commit(this.cluster, id, { epoch: this.cluster.epoch, ...batch }, this.now);
    if ('why' in answer) return answer.why;
    this.#stepped(answer);
    return answer.refused.length === 0 ? 'granted' : 'refused';
  }

  claimOf(id: string, name: string, reason: Reason = 'due'): StartChange {
    const record = this.record(name);
    const runId = `${id}-${++this.#runs}`;
    const { work } = record;
    const scheduledFor = work?.scheduledFor ?? this.now;
    return {
      name,
      work: { key: work?.key ?? runId, scheduledFor, attempt: (work?.attempt ?? 0) + 1 },
      run: { runId, instanceId: id, startedAt: this.now, reason, cutOffAt: null },
      version: record.version,
    };
  }

  start(id: string, name: string, reason: Reason = 'due'): void {
    assert.equal(this.commit(id, { starts: [this.claimOf(id, name, reason)] }), 'granted');
  }

  /** The end of the current run, well. */
  endOf(id: string, name: string): EndChange {
    const { run, work } = this.record(name);
    assert.ok(run && work);
    const { runId, reason, startedAt: calledAt } = run;
    assert.ok(reason !== 'interrupted');
    const failing = { pendingRetryUntil: null, failures: 0, failingSince: null, error: null };
    const instants = { calledAt, endedAt: this.now + 1 };
    return { name, runId, instanceId: id, reason, work, ...instants, outcome: 'success', ...failing };
  }

  #fresh(name: string): TaskRecord {
    const config = { name, cron: '* * * * *', retryDelayMs: 1000, policy: null };
    return { ...config, firstSeenAt: this.now, servedThrough: this.now - 1, ...NOTHING_YET };
  }

  #stepped<Step extends Changed>(step: Step): Step {
    this.cluster = after(this.cluster, step);
    return step;
  }
}
