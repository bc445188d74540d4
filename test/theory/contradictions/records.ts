/**
 * The moves of a game as the records of a trace, for the oracle. The minutes of a game are given crons that are due in just
 * those minutes, one minute after another. A retry comes at once, with a delay of 0, or not within the game.
 */
import type { TraceRecord } from '../../../src/trace/record.ts';
import type { Universe } from './slice.ts';
import type { Move } from './world.ts';

const NOON = Date.UTC(2027, 0, 1, 12);
const MINUTE_MS = 60_000;
/** Farther than any game goes. */
const NEVER_MS = 24 * 60 * MINUTE_MS;

export type Retries = 'at once' | 'never';

/** The moves of which a game may be made if it is to become records. */
export const isRecordable = (move: Move, last: Move | undefined, retries: Retries): boolean => {
  if (retries === 'never') return move.event !== 'RetryDue';
  return (move.event === 'RetryDue') === (last?.event === 'REf');
};

/** The cron of each schedule: due in the minutes of the game that say so, or in one that the game does not reach. */
function cronsOf({ schedules }: Universe, moves: readonly Move[]): string[] {
  const minutes = moves.flatMap((move) => (move.event === 'Minute' ? [move.due] : []));
  return schedules.map((_, schedule) => {
    const due = minutes.flatMap((bits, index) => (bits & (1 << schedule) ? [index + 1] : []));
    return `${due.length === 0 ? '59' : due.join()} * * * *`;
  });
}

export function recordsOf(universe: Universe, moves: readonly Move[], retries: Retries): TraceRecord[] {
  const crons = cronsOf(universe, moves);
  const retryDelayMs = retries === 'at once' ? 0 : NEVER_MS;
  let minute = NOON;
  let at = NOON;
  let calls = 0;
  let initialization = 0;
  let stop = 0;
  const records = moves.flatMap((move): TraceRecord[] => {
    // Half a second apart, so that a freeze around a crash touches nothing else.
    if (move.event !== 'Minute' && move.event !== 'RetryDue') at += 500;
    switch (move.event) {
      case 'Minute':
        minute += MINUTE_MS;
        at = minute;
        return [];
      case 'RetryDue':
      case 'Commit':
        return [];
      case 'IS': {
        initialization = ++calls;
        const registrations = universe.lists[move.list].map(({ name, schedule }) => ({
          name,
          cron: crons[universe.schedules.indexOf(schedule)],
          retryDelayMs,
        }));
        return [{ event: 'InitStart', at, call: initialization, registrations, timeZone: 'UTC' }];
      }
      case 'IEs':
        return [{ event: 'InitSuccess', at, call: initialization }];
      case 'IEf':
        return [
          {
            event: 'InitFailure',
            at,
            call: initialization,
            valid: true,
            error: 'SchedulerAlreadyActiveError',
          },
        ];
      case 'SS':
        stop = ++calls;
        return [{ event: 'StopStart', at, call: stop }];
      case 'SE':
        return [{ event: 'StopEnd', at, call: stop }];
      case 'Crash':
        return [
          { event: 'UnexpectedShutdown', at },
          { event: 'Frozen', at: at + 1, from: at - 1, to: at + 1 },
        ];
      default: {
        const event = { RS: 'RunStart', REs: 'RunSuccess', REf: 'RunFailure' } as const;
        return [{ event: event[move.event], at, task: universe.names[move.task] }];
      }
    }
  });
  // Something has to be recorded for the last minute to be seen.
  at += 500;
  return [...records, { event: 'Compute', at, from: at - 1, to: at, units: 1 }];
}
