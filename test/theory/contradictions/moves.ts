/** Which moves there are in a world, whatever the axioms say to them. */
import type { Universe } from './slice.ts';
import { has, type Move, type World, type Worlds } from './world.ts';

/** What the environment may do. */
export function environmentMoves({ setting, idOf }: Worlds, world: World): Move[] {
  if (world.isCommitted) return [{ event: 'Crash' }];
  const { left } = world;
  const { lists, schedules } = setting.universe;
  const moves: Move[] = [];
  if (left.minutes > 0)
    for (let due = 0; due < 1 << schedules.length; due++) moves.push({ event: 'Minute', due });
  if (left.initializations > 0 && world.initializing < 0)
    for (const list of lists.keys()) moves.push({ event: 'IS', list });
  if (left.stops > 0 && world.stopping === 0) moves.push({ event: 'SS' });
  if (left.crashes > 0 && (world.list >= 0 || world.initializing >= 0)) {
    moves.push({ event: 'Crash' });
    if (setting.commits === 'judged' && world.initializing >= 0 && world.busy !== 'from its call')
      moves.push({ event: 'Commit' });
  }
  return [...moves, ...taskMoves(idOf.length, world)];
}

/** Runs end, well or badly, and retries come due. */
function taskMoves(tasks: number, world: World): Move[] {
  const moves: Move[] = [];
  for (let task = 0; task < tasks; task++) {
    if (has(world.running, task)) {
      moves.push({ event: 'REs', task });
      if (world.left.failures > 0) moves.push({ event: 'REf', task });
    }
    if (has(world.fresh, task) || world.stale[task] > 0) moves.push({ event: 'RetryDue', task });
  }
  return moves;
}

/** What the scheduler can do at all. */
export function schedulerMoves(worlds: Worlds, world: World): Move[] {
  if (world.isCommitted) return [];
  const moves: Move[] = [];
  if (world.initializing >= 0) moves.push({ event: 'IEs' }, { event: 'IEf' });
  if (world.stopping) moves.push({ event: 'SE' });
  for (const task of worlds.idOf.keys())
    if (worlds.registration(world, task) !== undefined && !has(world.running, task))
      moves.push({ event: 'RS', task });
  return moves;
}

export function showMove({ names, schedules, lists }: Universe, move: Move): string {
  const minute = (due: number): string =>
    `Minute{${schedules.filter((_, schedule) => has(due, schedule)).join()}}`;
  // A tuple says its schedule itself.
  const entry = ({ name, schedule }: { name: string; schedule: string }): string =>
    name.includes('|') ? name : `${name}:${schedule}`;
  if (move.event === 'Minute') return minute(move.due);
  if (move.event === 'IS') return `IS[${lists[move.list].map(entry).join()}]`;
  if (move.event === 'RS')
    return `RS ${names[move.task]}${move.due === undefined ? '' : ` with ${minute(move.due)}`}`;
  return 'task' in move ? `${move.event} ${names[move.task]}` : move.event;
}
