/** A scheduler on a real file and a real clock, whose store can be made to fail, and what it says. */
import { createScheduler, type Registration, type Scheduler, type SchedulerEvent } from '../../src/index.ts';
import type { Store } from '../../src/store/port.ts';
import { Conditions } from '../patience.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

export interface Schedule {
  readonly scheduler: Scheduler;
  readonly events: readonly SchedulerEvent[];
  /** The first event of a kind, as soon as there is one. */
  next<Type extends SchedulerEvent['type']>(type: Type): Promise<Extract<SchedulerEvent, { type: Type }>>;
}

export async function schedule(
  store: Store,
  tasks: readonly Registration[],
  options: { readonly finalWrite?: number; readonly lockWait?: number } = {},
): Promise<Schedule> {
  const events: SchedulerEvent[] = [];
  const conditions = new Conditions();
  const onEvent = (event: SchedulerEvent): void => {
    events.push(event);
    conditions.happened();
  };
  const scheduler = createScheduler({ store, onEvent, logger: SILENT, timeZone: 'UTC', ...options });
  await scheduler.initialize(tasks);
  return {
    scheduler,
    events,
    next: (type) =>
      conditions.find(
        type,
        () => events.find((event) => event.type === type) as Extract<SchedulerEvent, { type: typeof type }>,
        () => events.map((event) => event.type).join(),
      ),
  };
}
