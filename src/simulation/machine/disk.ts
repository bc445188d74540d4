/**
 * The simulated durable store. The library's own memory store holds the records that have reached the platter. In front of it is
 * a log, in which a batch goes through these states:
 *
 *     called ──▶ in flight ──sync──▶ durable ──▶ answered
 *        │           │                  └─ the answer is lost: reported as failed, although it took effect
 *        │           └─ refused: nothing of it is kept
 *        └─ waits for those called before it
 *
 * When the process dies, each batch in flight is whole, lost or torn, independently of the others, since a disk reorders what was
 * not synced. Recovery reads the log from the front and stops at the first batch that is not whole. It recognises a torn batch by
 * its checksum. It does not believe what lies behind a hole, or a later write could survive an earlier one. So a crash keeps a
 * prefix of the calls, which is what the Store port promises.
 *
 * A session serves its requests one at a time and in order. The store belongs to one session. The operating system frees it when
 * the process dies. A close that stalls holds it until it is through.
 */
import { StoreFailedError, StoreLockedError } from '../../store/errors.ts';
import { memory } from '../../store/memory.ts';
import type {
  Batch,
  ControlAnswer,
  ControlRequest,
  OpenOptions,
  PastRun,
  StartChange,
  Store,
  StoreSession,
} from '../../store/port.ts';
import type { AnsweredRequest, Notify } from '../judges/judge.ts';
import type { Random } from '../scenario/random.ts';
import type { DiskMix, Trouble } from '../scenario/scenario.ts';
import { Mailbox } from './mailbox.ts';
import {
  type DiskCounts,
  DiskSession,
  type Fate,
  LOCATION,
  NO_RIVALRY,
  type Rivalry,
  type SessionPorts,
} from './session.ts';
import type { Timeline } from './timeline.ts';

/** How often a session that waits for the lock looks again. */
export const LOCK_POLL_MS = 250;
/** How long a rival waits for the lock. */
const RIVAL_PATIENCE_MS = 2000;
/** A world may last for years, and its judges want to see every run. */
const EVERYTHING = { keepDays: Number.POSITIVE_INFINITY, keepRuns: Number.POSITIVE_INFINITY };

export class Disk implements SessionPorts {
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #mix: DiskMix;
  readonly #platter: Store = memory();
  readonly counts: DiskCounts = { refused: 0, unanswered: 0, stalled: 0, torn: 0, lost: 0 };
  #owner: DiskSession | undefined;
  /** By task: the last start. */
  readonly #started = new Map<string, StartChange>();
  /** A batch that is sent again meets the rivalry that it met the first time. */
  readonly #rivalries = new WeakMap<Batch, Rivalry>();
  #requests = 0;
  #crashes = 0;
  readonly #mailbox: Mailbox;
  #trouble: { readonly kind: Trouble; readonly until: number } | undefined;
  #healed = false;

  constructor(timeline: Timeline, random: Random, mix: DiskMix) {
    this.#timeline = timeline;
    this.#random = random;
    this.#mix = mix;
    this.#mailbox = new Mailbox(timeline, random.fork('mailbox'));
  }

  /** The store as one process sees it. A process that is not alive gets no answers. */
  storeFor(notify: Notify, isAlive: () => boolean): Store {
    return {
      location: LOCATION,
      open: (options) => this.#open(options, notify, isAlive),
    };
  }

  /** What has reached the platter. */
  async records(): Promise<readonly unknown[]> {
    return (await this.#platter.inspect?.())?.records ?? [];
  }

  /** The runs that the history on the platter has, the newest first. */
  async past(): Promise<readonly PastRun[]> {
    const runs: PastRun[] = [];
    for await (const run of this.#platter.history?.({}) ?? []) runs.push(run);
    return runs;
  }

  trouble(kind: Trouble, ms: number): void {
    this.#trouble = { kind, until: this.#timeline.passed + ms };
  }

  /** An operator makes a request durable (I1). */
  ask(request: ControlRequest): void {
    void this.#platter.ask?.(request);
    this.#mailbox.ask(request);
  }

  answered(answers: readonly ControlAnswer[]): void {
    this.#mailbox.answered(answers);
  }

  /** A rival takes the lock as soon as it is free, and frees it after a while. */
  hold(ms: number, patienceMs = RIVAL_PATIENCE_MS): void {
    if (this.#healed) return;
    this.#platter.open({ waitMs: 0, history: EVERYTHING }).then(
      (session) => this.#timeline.plan(ms, () => void session.close()),
      () => {
        if (patienceMs > 0) this.#timeline.plan(LOCK_POLL_MS, () => this.hold(ms, patienceMs - LOCK_POLL_MS));
      },
    );
  }

  /** From here on every request is served. A request that stalls comes through. */
  heal(): void {
    this.#trouble = undefined;
    this.#healed = true;
  }

  /** The process that owns the store is dead. */
  crash(): void {
    const owner = this.#owner;
    this.#owner = undefined;
    this.#mailbox.closed();
    owner?.die(this.#random.fork('crash', this.#crashes++));
  }

  /** How long the next request takes, and what becomes of it. */
  draw(kind: AnsweredRequest['kind']): { readonly afterMs: number; readonly fate: Fate } {
    const chance = this.#random.fork('request', this.#requests++);
    const { latencyMs, refusedPerMille, unansweredPerMille } = this.#mix;
    let afterMs = chance.percent(30) ? 0 : chance.below(latencyMs + 1);
    if (this.#healed) return { afterMs, fate: 'served' };
    const leftMs = (this.#trouble?.until ?? 0) - this.#timeline.passed;
    if (this.#trouble !== undefined && leftMs > 0) {
      switch (this.#trouble.kind) {
        case 'stalls':
          this.counts.stalled++;
          afterMs += leftMs;
          break;
        case 'refuses':
          return { afterMs, fate: 'refused' };
        case 'takes and denies':
          return { afterMs, fate: kind === 'commit' ? 'unanswered' : 'served' };
        case 'unreadable':
          if (kind === 'read') return { afterMs, fate: 'refused' };
      }
    }
    const roll = chance.below(1000);
    if (roll < refusedPerMille) return { afterMs, fate: 'refused' };
    if (roll < refusedPerMille + unansweredPerMille && kind === 'commit')
      return { afterMs, fate: 'unanswered' };
    return { afterMs, fate: 'served' };
  }

  rivalryOf(batch: Batch): Rivalry {
    const known = this.#rivalries.get(batch);
    if (known !== undefined) return known;
    const rivalry = this.#drawRivalry(batch);
    this.#rivalries.set(batch, rivalry);
    for (const start of batch.starts ?? [])
      if (!rivalry.ungranted.has(start.name)) this.#started.set(start.name, start);
    return rivalry;
  }

  /**
   * A rival that takes a run over ends it as the scheduler itself does, one millisecond earlier, so that nothing else is
   * different. If the run was never called, the rival has started a run of its own, and is dead by the next initialize.
   */
  #drawRivalry({ starts = [], ends = [], unstarts = [], moves = [] }: Batch): Rivalry {
    const { ungrantedPerMille = 0 } = this.#mix;
    if (ungrantedPerMille === 0 || this.#healed) return NO_RIVALRY;
    const granting = this.#random.fork('grant', this.#requests);
    const names = Array.from(starts, ({ name }) => name).filter(
      () => granting.below(1000) < ungrantedPerMille,
    );
    const taking = this.#random.fork('take over', this.#requests);
    // If the clock was set back, a rival would notice it, too. What it would do then is not simulated.
    const isTaken = ({ name }: { readonly name: string }): boolean =>
      taking.below(1000) < ungrantedPerMille && ![...moves].some((move) => move.name === name);
    const overtaken = {
      ends: [...ends].filter(isTaken).map((end) => ({ ...end, endedAt: end.endedAt - 1 })),
      starts: unstarts.filter(isTaken).flatMap(({ name, runId }) => {
        const started = this.#started.get(name);
        const run = { runId: `rival of ${runId}`, instanceId: 'rival' };
        // The start has raised the version that it was decided by.
        return started === undefined
          ? []
          : [{ ...started, version: started.version + 1, run: { ...started.run, ...run } }];
      }),
    };
    return { ungranted: new Set(names), overtaken };
  }

  release(session: DiskSession): void {
    if (this.#owner !== session) return;
    this.#owner = undefined;
    this.#mailbox.closed();
  }

  #open(options: OpenOptions, notify: Notify, isAlive: () => boolean): Promise<StoreSession> {
    const { waitMs } = options;
    const { promise, resolve, reject } = Promise.withResolvers<StoreSession>();
    const askedAt = this.#timeline.passed;
    const deadline = askedAt + waitMs;
    const answered = (how: AnsweredRequest['how']): void =>
      notify('requestAnswered', { kind: 'open', askedAt, dueAt: this.#timeline.passed, how });
    // The lock is the inner store's own, so that it is tested, too.
    const attempt = (): void => {
      if (!isAlive()) return;
      this.#platter.open({ waitMs: 0, history: EVERYTHING }).then(
        (inner) => {
          if (!isAlive()) return inner.close();
          this.#owner = new DiskSession(this, this.#timeline, inner, notify);
          this.#mailbox.openedBy(options.onRequests, notify, isAlive);
          answered('served');
          return resolve(this.#owner);
        },
        (error) => {
          if (this.#timeline.passed < deadline) return this.#timeline.plan(LOCK_POLL_MS, attempt);
          answered('failed');
          return reject(
            error instanceof StoreLockedError
              ? new StoreLockedError({ path: LOCATION, waitedMs: waitMs })
              : error,
          );
        },
      );
    };
    const { afterMs, fate } = this.draw('open');
    this.#timeline.plan(afterMs, () => {
      if (!isAlive()) return;
      if (fate === 'served') return attempt();
      this.counts.refused++;
      answered('failed');
      reject(new StoreFailedError({ path: LOCATION, reason: 'it cannot be opened, on purpose' }));
    });
    return promise;
  }
}
