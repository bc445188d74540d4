/** Several instances over one database in memory, on one clock. */
import type { Retention } from '../../src/core/history.ts';
import {
  type Callback,
  createScheduler,
  type Scheduler,
  type SchedulerEvent,
  type Store,
  task,
} from '../../src/index.ts';
import { ClusterDatabase } from '../../src/simulation/cluster/database.ts';
import { connect, directLink } from '../../src/simulation/cluster/memory-cluster.ts';
import type { ClusterBatch, Committed, NotCommitted } from '../../src/store/cluster/decide.ts';
import type { Clock } from '../../src/time/clock.ts';
import { timeOfDay } from './scenario.ts';
import { WaitingClock } from './waiting-clock.ts';

const NOON = Date.UTC(2026, 2, 2, 12);

/** A database that remembers what it had of a task when the end of its run was stored. */
class SharedDatabase extends ClusterDatabase {
  /** Where the cursors were then, by the time of day. */
  readonly servedAtEnds: string[] = [];

  override commit(id: string, batch: ClusterBatch, history: Retention | false): Committed | NotCommitted {
    const answer = super.commit(id, batch, history);
    for (const { name } of batch.ends ?? [])
      this.servedAtEnds.push(timeOfDay(this.records.get(name)?.servedThrough ?? 0));
    return answer;
  }
}

export class Scene {
  readonly clock = new WaitingClock(NOON);
  readonly database = new SharedDatabase(() => this.clock.now());
  readonly events: SchedulerEvent[] = [];

  store(): Store {
    return connect({ database: this.database, link: directLink(this.clock), leaseMs: 15_000 });
  }

  instance(clock: Clock = this.clock): Scheduler {
    const store = this.store();
    const { events } = this;
    const onEvent = (event: SchedulerEvent): void => void events.push(event);
    return createScheduler({ store, clock, timeZone: 'UTC', reload: true, logger: false, onEvent });
  }

  /** The dues that were skipped, by the time of day. */
  get skipped(): readonly string[] {
    return this.events.flatMap((event) => (event.type === 'TaskDueSkipped' ? [timeOfDay(event.dueAt)] : []));
  }
}

export const every = (run: Callback, delayMs: number, whileRunning: 'skip' | 'remember') =>
  task({ name: 'a', cron: '* * * * *', run, retry: { delay: delayMs }, whileRunning });
