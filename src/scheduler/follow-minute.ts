/** The minute of an initialize may pass while the store is written; what is new then follows it (D6). */
import type { Many, MoveChange } from '../core/changes.ts';
import { Cursors } from '../core/first-cursors.ts';
import type { Plan } from '../core/plan.ts';
import type { StoreSession } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import type { Zone } from '../time/zone.ts';
import { yieldToEventLoop } from './durable-plan.ts';
import { commit } from './planned-write.ts';
import type { SettledOptions } from './settled-options.ts';
import { reportIfSlow } from './slow-store.ts';

/** How many cursors are moved before others get their turn: some milliseconds' worth. */
const SLICE = 10_000;

/**
 * Reads the clock with which the life begins. If the minute has rolled over since the plan was made, the cursors of new names move with
 * it (D6). Moves that this could not make durable are answered: the engine writes them together with its first starts.
 */
export async function followMinute(
  options: SettledOptions,
  session: StoreSession,
  plan: Plan,
  zone: Zone,
): Promise<{ readonly now: number; readonly moves: Many<MoveChange> }> {
  const { clock } = options;
  const readAt = clock.now();
  const moves = await rollOver(plan, zone, plan.plannedAt, readAt, clock);
  if (moves.length === 0) return { now: readAt, moves };
  // A failure here does not undo the initialize, which has taken effect.
  const areDurable = await isFulfilled(reportIfSlow(options, commit(session, { moves })));
  // The write took time too. It is not repeated: this reading counts, and another minute is left to the engine.
  const now = clock.now();
  const later = await rollOver(plan, zone, readAt, now, clock);
  return { now, moves: later.length > 0 || areDurable ? later : moves };
}

/** If a later minute has begun between two readings of the clock, moves the cursors of new names to it; answers the moves. */
async function rollOver(
  { tasks, fresh, freshZones }: Plan,
  zone: Zone,
  from: number,
  to: number,
  clock: Clock,
): Promise<readonly MoveChange[]> {
  const before = new Cursors(tasks.registrations, from, zone);
  const after = new Cursors(tasks.registrations, to, zone);
  const moves: MoveChange[] = [];
  if (!freshZones.some((name) => after.ofZone(name) > before.ofZone(name))) return moves;
  for (const [place, task] of fresh.entries()) {
    if (place % SLICE === SLICE - 1) await yieldToEventLoop(clock);
    if (after.of(task) > before.of(task)) moves.push(tasks.moveCursor(task, after.of(task)));
  }
  return moves;
}

const isFulfilled = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  );
