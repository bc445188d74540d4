/** Records, changes of them, and batches: the part of the schema (`coder.ts`) that is of the shipped types. */
import type { EndChange, MoveChange, StartChange, UnstartChange } from '../../../../src/core/changes.ts';
import {
  NOTHING_YET,
  type RunRecord,
  type StartedRun,
  type TaskRecord,
  type WorkRecord,
} from '../../../../src/core/record.ts';
import type { ClusterBatch } from '../../../../src/store/cluster/decide.ts';
import type { Coder } from './coder.ts';
import type { Before } from './world.ts';

export class RowSchema {
  readonly names: readonly string[];
  readonly crons: readonly string[];
  readonly #coder: Coder;

  constructor(coder: Coder, names: readonly string[], crons: readonly string[]) {
    this.#coder = coder;
    this.names = names;
    this.crons = crons;
  }

  name(name: string | undefined): string {
    return this.#coder.of(this.names, name);
  }

  record(record?: TaskRecord): TaskRecord {
    const coder = this.#coder;
    const instant = (value?: number | null): number | null =>
      coder.orNull(value, (given) => coder.instant(given));
    const name = this.name(record?.name);
    return {
      ...NOTHING_YET,
      name,
      version: coder.version(name, record?.version),
      cron: coder.of(this.crons, record?.cron),
      retryDelayMs: 0,
      policy: null,
      firstSeenAt: 1,
      servedThrough: coder.instant(record?.servedThrough),
      lastAttemptAt: instant(record?.lastAttemptAt),
      lastSuccessAt: instant(record?.lastSuccessAt),
      lastFailureAt: instant(record?.lastFailureAt),
      pendingRetryUntil: instant(record?.pendingRetryUntil),
      ...this.before(record),
    };
  }

  before(before?: Before): Before {
    return {
      work: this.#coder.orNull(before?.work, (work) => this.#work(work)),
      run: this.#coder.orNull(before?.run, (run) => this.#run(run)),
    };
  }

  #work(work?: WorkRecord): WorkRecord {
    return { key: this.#coder.runId(work?.key), scheduledFor: 1, attempt: this.#coder.int(work?.attempt) };
  }

  #run(run?: RunRecord): StartedRun {
    const runId = this.#coder.runId(run?.runId);
    const instanceId = this.#coder.id(run?.instanceId);
    const cutOffAt = this.#coder.orNull(run?.cutOffAt, () => 1);
    return { runId, instanceId, startedAt: 1, reason: 'due', cutOffAt };
  }

  start(start?: StartChange): StartChange {
    const coder = this.#coder;
    const name = this.name(start?.name);
    return {
      name,
      version: coder.version(name, start?.version),
      work: this.#work(start?.work),
      run: this.#run(start?.run),
    };
  }

  end(end?: EndChange): EndChange {
    const coder = this.#coder;
    const runId = coder.runId(end?.runId);
    const isWell = coder.int(end?.outcome === 'success' ? 1 : 0) === 1;
    return {
      name: this.name(end?.name),
      runId,
      instanceId: runId.slice(0, runId.indexOf('.')),
      reason: 'due',
      work: this.#work(end?.work),
      calledAt: coder.instant(end?.calledAt),
      endedAt: coder.instant(end?.endedAt),
      outcome: isWell ? 'success' : 'failure',
      pendingRetryUntil: coder.orNull(end?.pendingRetryUntil, (at) => coder.instant(at)),
      failures: 0,
      failingSince: null,
      error: null,
    };
  }

  #unstart(unstart?: UnstartChange): UnstartChange {
    const name = this.name(unstart?.name);
    return { name, runId: this.#coder.runId(unstart?.runId), ...this.before(unstart) };
  }

  #move(move?: MoveChange): MoveChange {
    const coder = this.#coder;
    const name = this.name(move?.name);
    return {
      name,
      version: coder.version(name, move?.version),
      servedThrough: coder.instant(move?.servedThrough),
      pendingRetryUntil: coder.orNull(move?.pendingRetryUntil, (at) => coder.instant(at)),
    };
  }

  batch(id: string, batch?: ClusterBatch): ClusterBatch {
    const coder = this.#coder;
    const list = coder.orNull(batch?.list, (names) => new Set(coder.list(names, (name) => this.name(name))));
    return {
      sent: coder.sent(id, batch?.sent),
      epoch: coder.epochOf(batch?.epoch),
      ...(list === null ? {} : { list }),
      cutOffs: coder.list(batch?.cutOffs, (change) => ({
        name: this.name(change?.name),
        runId: coder.runId(change?.runId),
        at: 1,
      })),
      puts: coder.list(batch?.puts, (record) => this.record(record)),
      configures: coder.list(batch?.configures, (change) => {
        const name = this.name(change?.name);
        const version = coder.version(name, change?.version);
        return { name, version, cron: coder.of(this.crons, change?.cron), retryDelayMs: 0, policy: null };
      }),
      removes: coder.list(batch?.removes, (name) => this.name(name)),
      starts: coder.list(batch?.starts, (start) => this.start(start)),
      ends: coder.list(batch?.ends, (end) => this.end(end)),
      unstarts: coder.list(batch?.unstarts, (unstart) => this.#unstart(unstart)),
      moves: coder.list(batch?.moves, (move) => this.#move(move)),
    };
  }
}
