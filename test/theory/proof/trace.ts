/** The way to a state, in lines that a person can follow. */
import { BASE } from './instance.ts';
import type { Space } from './space.ts';
import type { Name, State } from './state.ts';
import { says } from './way.ts';
import type { World } from './world.ts';

/** Makes the moves again, without shifting time, and tells of each. */
export function traceTo(world: World, space: Space, target: number): readonly string[] {
  const [, ...way] = space.wayTo(target);
  let state = world.initial();
  const lines = [line(world, 'nothing has happened', state)];
  for (const index of way) {
    const found: { label: string; next: State }[] = [];
    world.moves(state, (label, next) => found.push({ label, next }));
    const step = found.find(({ next }) => space.isAt(next, index));
    if (step === undefined) throw new Error('a way that was found cannot be gone again');
    state = step.next;
    lines.push(line(world, step.label, state));
  }
  return lines;
}

function line(world: World, label: string, state: State): string {
  const { now, life } = state.scene;
  const isAsked = life === 'down' || life === 'running' || life === 'stopping';
  const reasons = isAsked ? world.core.reasons(state) : undefined;
  const names = state.names.map((name, i) => {
    const pending = reasons === undefined ? [] : [pendingOf(name, reasons[i])];
    return `${world.names[i]}: ${[owedOf(name), ...pending, ...moreOf(name)].join(', ')}`;
  });
  return `${clockTime(now)} ${label.padEnd(46)} ${life.padEnd(9)} ${names.join('; ')}`;
}

/** Minutes and seconds since the beginning. */
function clockTime(now: number): string {
  const seconds = (now - BASE) / 1000;
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}

const owedOf = ({ real }: Name): string =>
  real.says & says.obligation ? 'owed' : real.says & says.owing ? 'will be owed' : 'not owed';

const pendingOf = ({ phase }: Name, reason: string | undefined): string =>
  phase === 'running' ? 'runs' : reason === undefined ? 'not pending' : `pending (${reason})`;

const moreOf = ({ stored, phase, end }: Name): string[] =>
  [
    stored === undefined ? 'not in the store' : '',
    phase === 'idle' || phase === 'running' ? '' : phase,
    end === undefined ? '' : 'end not durable',
  ].filter((word) => word !== '');
