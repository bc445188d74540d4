/** What each action of a scenario does to the machine. */
import type { Action } from '../scenario/scenario.ts';
import type { Machine } from './machine.ts';
import type { Timeline } from './timeline.ts';

const MINUTE_MS = 60_000;

/** `someCursor` says where some task's cursor is, for a clock step that aims at one. */
export function act(
  machine: Machine,
  timeline: Timeline,
  action: Action,
  someCursor: () => number | undefined,
): void {
  switch (action.kind) {
    case 'start':
      machine.start(action.tasks, action.flaw);
      break;
    case 'crash':
      machine.crash(action);
      break;
    case 'crash at call':
      machine.doom(action);
      break;
    case 'stop':
      machine.stop(machine.process);
      break;
    case 'step': {
      const cursor = action.landing === 'before a cursor' ? someCursor() : undefined;
      machine.environment.step(stepOf(action, timeline, machine.comparedAt, cursor));
      break;
    }
    case 'freeze':
      machine.environment.freeze(action.ms, action.how);
      break;
    case 'trouble':
      machine.environment.trouble(action.trouble, action.ms);
      break;
    case 'rival':
      machine.environment.rival(action.ms);
      break;
    case 'ask':
      machine.ask(action);
      break;
    case 'intrude':
      machine.environment.intrude();
  }
}

/** By how much the clock is to be set. The scheduler judges a step as if it had come right after its last look (B5). */
function stepOf(
  { byMs, landing, offsetMs = 0 }: Extract<Action, { kind: 'step' }>,
  { now, passed }: Timeline,
  comparedAt: number,
  cursor: number | undefined,
): number {
  if (landing === 'at a minute') return Math.ceil((now + byMs) / MINUTE_MS) * MINUTE_MS + offsetMs - now;
  return cursor === undefined ? byMs : cursor + offsetMs + (passed - comparedAt) - now;
}
