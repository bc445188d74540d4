/**
 * What must hold in every state: the theory's obligation and rule A1 coincide. Each half has its name: what is owed is pending
 * is L1's (nothing owed is overlooked), what is pending is owed is S1's (nothing else is started).
 *
 * While the scheduler is stopping or down nothing is an obligation; but what the theory remembers as pending must be what A1
 * would find in memory or in the store, or it would come out after the next initialization.
 */
import type { Life, Name, State } from './state.ts';
import { says } from './way.ts';
import type { World } from './world.ts';

export const PROPERTIES = {
  owedIsPending: 'L1: what is owed is pending',
  pendingIsOwed: 'S1: what is pending is owed',
  startedIsOwed: 'S1: what is on its way to be called is owed',
  remembered: 'L1: what will be owed is remembered',
  notInvented: 'S1: what will not be owed is not remembered',
  running: 'the theory and the scheduler agree on what runs',
  active: 'the theory and the scheduler agree on when tasks may start',
} as const;

/** What a state breaks, and for whom; undefined if nothing. */
export function broken(world: World, state: State): string | undefined {
  const { life } = state.scene;
  const isKnown = life === 'down' || life === 'running' || life === 'stopping';
  const reasons = isKnown ? world.core.reasons(state) : [];
  for (let i = 0; i < state.names.length; i++) {
    const property =
      brokenByLife(state.names[i], life) ??
      (isKnown ? brokenByReason(state.names[i], life, reasons[i]) : undefined);
    if (property !== undefined) return `${property} (${world.names[i]})`;
  }
  return undefined;
}

function brokenByLife({ phase, real }: Name, life: Life): string | undefined {
  if (((real.says & says.active) !== 0) !== (life === 'running')) return PROPERTIES.active;
  if (((real.says & says.running) !== 0) !== (phase === 'running')) return PROPERTIES.running;
  return undefined;
}

function brokenByReason({ phase, real }: Name, life: Life, reason: string | undefined): string | undefined {
  const isPending = phase !== 'running' && reason !== undefined;
  const isOwed = (real.says & says.obligation) !== 0;
  if (life === 'running') {
    if (isOwed && !isPending) return PROPERTIES.owedIsPending;
    if (isPending && !isOwed) return PROPERTIES.pendingIsOwed;
    if (!isOwed && (phase === 'claimed' || phase === 'ready')) return PROPERTIES.startedIsOwed;
    return undefined;
  }
  if (isOwed) return PROPERTIES.active;
  const isRemembered = (real.says & says.owing) !== 0;
  if (isRemembered && !isPending) return PROPERTIES.remembered;
  return isPending && !isRemembered ? PROPERTIES.notInvented : undefined;
}
