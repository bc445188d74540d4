/** Schedulers over one database, in this process, and what they do. */
import type { TestContext } from 'node:test';
import type { RunContext } from '../../src/scheduler/context.ts';
import type { SchedulerEvent } from '../../src/scheduler/events.ts';
import type { Logger } from '../../src/scheduler/logger.ts';
import { createScheduler, type Scheduler } from '../../src/scheduler/scheduler.ts';
import type { Store } from '../../src/store/port.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { hostClock } from '../../src/time/host-clock.ts';
import { Conditions } from '../patience.ts';

export interface Start {
  readonly by: string;
  readonly task: string;
  readonly runId: string;
  readonly key: string;
  readonly scheduledFor: number;
  readonly signal: AbortSignal;
}

export type Entry = readonly [name: string, cron: string, retryDelayMs: number];

export class Fleet {
  readonly conditions = new Conditions();
  readonly starts: Start[] = [];
  readonly events: SchedulerEvent[] = [];
  readonly lines: string[] = [];
  /** How callbacks end. */
  outcome: 'success' | 'failure' | 'held' = 'success';
  /** What happens before a scheduler reads all records. */
  beforeReading: (id: string) => Promise<void> = async () => {};
  /** How often a scheduler has looked for what others left behind. */
  sweeps = 0;
  readonly #url: string;
  readonly #schema: string;
  readonly #schedulers = new Map<string, Scheduler>();
  readonly #held = Promise.withResolvers<void>();

  /** Whatever the test comes to, the schedulers of the fleet are stopped after it: they would keep its process alive. */
  constructor(test: TestContext, url: string, schema: string) {
    this.#url = url;
    this.#schema = schema;
    test.after(() => {
      this.release();
      return this.stop();
    });
  }

  /** A scheduler whose clock is off by so much. */
  async begin(id: string, list: readonly Entry[], offMs = 0): Promise<void> {
    const say = (line: string): void => {
      this.lines.push(`${id}: ${line}`);
      this.conditions.happened();
    };
    const logger: Logger = { debug: say, info: say, warn: say, error: say, failure() {} };
    const scheduler = createScheduler({
      store: this.#store(id),
      clock: { ...hostClock, now: () => Date.now() + offMs },
      reload: true,
      logger,
      onEvent: (event) => {
        this.events.push(event);
        this.conditions.happened();
      },
    });
    this.#schedulers.set(id, scheduler);
    await this.reload(id, list);
  }

  #store(id: string): Store {
    const store = postgres(this.#url, { schema: this.#schema });
    const open: Store['open'] = async (options) => {
      const session = await store.open(options);
      const { readPages, sharing } = session;
      const beforeReading = (): Promise<void> => this.beforeReading(id);
      const swept = (): void => {
        this.sweeps++;
        this.conditions.happened();
      };
      Object.assign(session, {
        async *readPages(ownName?: (name: string) => string) {
          await beforeReading();
          yield* readPages?.call(session, ownName) ?? [];
        },
      });
      if (sharing !== undefined) {
        const { leftBehind } = sharing;
        Object.assign(sharing, { leftBehind: () => leftBehind().finally(swept) });
      }
      return session;
    };
    return { ...store, open };
  }

  async reload(id: string, list: readonly Entry[]): Promise<void> {
    const call = (context: RunContext): Promise<void> | undefined => this.#call(id, context);
    await this.#schedulers
      .get(id)
      ?.initialize(list.map(([name, cron, retryDelayMs]) => [name, cron, call, retryDelayMs]));
  }

  #call(by: string, { name: task, runId, key, scheduledFor, signal }: RunContext): Promise<void> | undefined {
    this.starts.push({ by, task, runId, key, scheduledFor: scheduledFor.getTime(), signal });
    this.conditions.happened();
    if (this.outcome === 'failure') throw new Error('as asked');
    return this.outcome === 'held' ? this.#held.promise : undefined;
  }

  /** Lets callbacks end that are held. */
  release(): void {
    this.outcome = 'success';
    this.#held.resolve();
  }

  /** Lets them fail. */
  fail(): void {
    this.outcome = 'success';
    this.#held.reject(new Error('as asked'));
  }

  async stopOne(id: string): Promise<void> {
    const scheduler = this.#schedulers.get(id);
    this.#schedulers.delete(id);
    await scheduler?.stop();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#schedulers.keys()].map((id) => this.stopOne(id)));
  }
}
