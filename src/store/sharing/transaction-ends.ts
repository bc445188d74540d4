/**
 * Runs whose success is committed in a transaction of the user (K8).
 *
 *     running ──complete: the end is written, in the transaction──▶ proposed ──the callback ends──▶ asked
 *        ▲                                                                                          │
 *        │                the transaction is open: asked again after a while ◀──────────────────────┤
 *        └──── it was rolled back: the run ends as its callback does ◀──────────────────────────────┤
 *                         it was committed: *completed*, whatever the callback did after it ◀───────┘
 *
 * What a transaction comes to is known to the database alone: its COMMIT may be durable although the answer was lost. So the database is asked,
 * once the callback is over. Until then the run is running here, and its task does not overlap itself in this process.
 *
 * Why the end is never counted twice: the store grants it only to the current run, and after it there is none. A callback that fails, or
 * that does more, after its COMMIT changes nothing.
 *
 * Why a zombie completes nothing: the statement asks in the transaction itself whether the run is current, and holds its record until
 * the transaction is over. If the instance was declared dead before, the run is cut off, and `complete` rejects. If it is declared dead
 * after, the death waits, and finds either no run or the run as it was.
 *
 * If the store cannot be asked it is asked again, until `stop`. Then, and if the store is lost, the end of the callback goes the way of
 * every other end: the store refuses it if the run is completed. So doubt costs a line of the log and no run.
 */
import type { EndChange } from '../../core/changes.ts';
import { RunLostError } from '../../errors.ts';
import { Backoff } from '../../time/backoff.ts';
import { StoreLostError } from '../errors.ts';
import type { CompletedRun, CompletingScheduler, Completions, TransactionClient } from './port.ts';

/** How long it takes until an open transaction, or a store in trouble, is asked again. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;

/** A transaction of the user that an end was written in. */
export interface Completing {
  /** What has become of it: it is open, or that end is durable, or it is not and never will be. */
  outcome(): Promise<'open' | 'durable' | 'rolled back'>;
}

/** The store, as far as completions need it. */
export interface CompletingStore {
  /** Its clock. */
  now(): number;
  /**
   * Writes an end in a transaction of the user; answers whether its run is current, or shows that end already. `began` hears of the
   * transaction before anything is written in it.
   */
  complete(
    client: TransactionClient,
    end: EndChange,
    began: (transaction: Completing) => void,
  ): Promise<boolean>;
}

/** The end that a run proposes, and the transactions that it was proposed in. */
interface Proposal {
  readonly end: EndChange;
  readonly transactions: Completing[];
  /** Settled once every call of `complete` is answered. */
  answered: Promise<unknown>;
}

export class TransactionEnds implements Completions {
  readonly #store: CompletingStore;
  readonly #scheduler: CompletingScheduler;
  /** By task. */
  readonly #proposals = new Map<number, Proposal>();
  #isStopping = false;

  constructor(store: CompletingStore, scheduler: CompletingScheduler) {
    this.#store = store;
    this.#scheduler = scheduler;
  }

  stop(): void {
    this.#isStopping = true;
  }

  async complete(task: number, run: CompletedRun, client: TransactionClient): Promise<void> {
    const { name, runId } = run;
    if (run.isOver) throw new RunLostError(name, runId);
    const proposal = this.#proposals.get(task) ?? this.#proposalOf(task, run);
    this.#proposals.set(task, proposal);
    const answer = this.#store.complete(client, proposal.end, (transaction) =>
      proposal.transactions.push(transaction),
    );
    proposal.answered = Promise.allSettled([proposal.answered, answer]);
    if (!(await answer)) throw new RunLostError(name, runId);
  }

  #proposalOf(task: number, run: CompletedRun): Proposal {
    const { name, key, runId, attempt, reason, scheduledFor } = run;
    const { instanceId, tasks } = this.#scheduler;
    const endedAt = this.#store.now();
    const end: EndChange = {
      name,
      runId,
      instanceId,
      reason,
      work: { key, scheduledFor: scheduledFor.getTime(), attempt },
      calledAt: tasks.calledAt(task),
      servedThrough: tasks.servedByEnd(task, endedAt),
      endedAt,
      outcome: 'success',
      pendingRetryUntil: null,
      failures: 0,
      failingSince: null,
      error: null,
    };
    return { end, transactions: [], answered: Promise.resolve() };
  }

  settle(task: number): Promise<EndChange | undefined> | undefined {
    if (this.#proposals.size === 0) return undefined;
    const proposal = this.#proposals.get(task);
    this.#proposals.delete(task);
    return proposal && this.#settled(proposal);
  }

  async #settled({ end, transactions, answered }: Proposal): Promise<EndChange | undefined> {
    // The run is over here, so that no further call is let in.
    await answered;
    return (await this.#isDurable(transactions)) ? end : undefined;
  }

  async #isDurable(transactions: readonly Completing[]): Promise<boolean> {
    const { clock, spread } = this.#scheduler;
    const backoff = new Backoff({ firstMs: FIRST_WAIT_MS, longestMs: LONGEST_WAIT_MS, spread });
    for (;;) {
      try {
        const outcomes = await Promise.all(transactions.map((transaction) => transaction.outcome()));
        if (outcomes.includes('durable')) return true;
        if (!outcomes.includes('open')) return false;
      } catch (error) {
        if (error instanceof StoreLostError || this.#isStopping) return false;
      }
      await new Promise<void>((resolve) => clock.setTimer(resolve, backoff.next()));
    }
  }
}
