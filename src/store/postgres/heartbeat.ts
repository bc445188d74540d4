/** The heartbeat of a session of PostgreSQL: the statements of each beat, and its timers. */
import type { Retention } from '../../core/history.ts';
import type { OpenOptions, Sharing } from '../port.ts';
import { Heartbeat, type HeartbeatParts } from '../sharing/heartbeat.ts';
import type { Database } from './database.ts';
import { beat, declareDead } from './members.ts';
import { prunePast } from './past.ts';
import { takeRequests } from './requests.ts';
import type { Scope } from './run-statements.ts';

/** How often the history is looked at for what is too old or too much. */
const PRUNE_MS = 30_000;

export interface BeatingParts extends Pick<HeartbeatParts, 'leaseMs' | 'lost'> {
  readonly database: Database;
  readonly scope: Scope;
  readonly history: Retention | false;
  readonly listeners: Pick<OpenOptions, 'onTrouble' | 'onRequests'>;
  readonly sharing: Sharing | undefined;
}

export function heartbeatOf({ database, scope, history, ...parts }: BeatingParts): Heartbeat {
  const { sharing, leaseMs } = parts;
  let prunedAt = 0;
  return new Heartbeat({
    ...parts,
    clock: { monotonic: () => sharing?.monotonic() ?? performance.now(), setTimer: setIdleTimer },
    // A connection that has gone silent must not cost the lease: the next beat takes another one.
    beat: () => beat(database.ask, scope, leaseMs / 3),
    declareDead: () => declareDead(database, scope),
    takeRequests: () => takeRequests(database.ask, scope),
    async upkeep(at) {
      if (history === false || at - prunedAt < PRUNE_MS) return;
      const hasMore = await prunePast(database.ask, scope.schema, history);
      if (!hasMore) prunedAt = at;
    },
  });
}

/** A heartbeat keeps no process alive. */
const setIdleTimer: HeartbeatParts['clock']['setTimer'] = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs).unref();
  return { cancel: () => clearTimeout(timer) };
};
