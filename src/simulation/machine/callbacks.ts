/** What the callbacks of a world do. Each run is drawn by its task's name and its number. */
import type { Random } from '../scenario/random.ts';
import type { CallbackMix, Trouble } from '../scenario/scenario.ts';

/** `at once` returns or throws; `later` settles a promise after a time; `hang` never settles it by itself. */
export type Behaviour =
  | { readonly kind: 'at once'; readonly outcome: 'success' | 'failure'; readonly holdsMs: number }
  | { readonly kind: 'later'; readonly outcome: 'success' | 'failure'; readonly afterMs: number }
  | {
      readonly kind: 'hang';
      readonly heedsStop: 'yes' | 'no';
      /** How it ends if its signal is aborted by anything but a stop. */
      readonly ifAborted: 'success' | 'failure';
    }
  /** Stops its own scheduler and ends later. The store may get into trouble at the same time. */
  | { readonly kind: 'stop'; readonly afterMs: number; readonly trouble: Trouble | undefined };

const TROUBLES = ['refuses', 'stalls', 'takes and denies'] as const;

export function drawBehaviour(mix: CallbackMix, chance: Random): Behaviour {
  const kinds = Object.entries(mix);
  let roll = chance.below(kinds.reduce((sum, [, weight]) => sum + weight, 0));
  const kind = kinds.find(([, weight]) => {
    roll -= weight;
    return roll < 0;
  })?.[0];
  const shortMs = chance.percent(40) ? 0 : chance.spread(1, 20_000);
  switch (kind) {
    case 'succeedLater':
      return { kind: 'later', outcome: 'success', afterMs: shortMs };
    case 'failLater':
      return { kind: 'later', outcome: 'failure', afterMs: shortMs };
    case 'throwAtOnce':
      return { kind: 'at once', outcome: 'failure', holdsMs: 0 };
    case 'hang':
      return {
        kind: 'hang',
        heedsStop: chance.percent(50) ? 'yes' : 'no',
        ifAborted: chance.percent(70) ? 'failure' : 'success',
      };
    case 'overrun':
      return {
        kind: 'later',
        outcome: chance.percent(70) ? 'success' : 'failure',
        afterMs: chance.spread(60_000, 400_000),
      };
    case 'burn':
      return { kind: 'at once', outcome: 'success', holdsMs: chance.spread(1, 3000) };
    case 'stop':
      return {
        kind: 'stop',
        afterMs: shortMs,
        trouble: chance.percent(40) ? chance.pick(TROUBLES) : undefined,
      };
    default:
      return { kind: 'at once', outcome: 'success', holdsMs: 0 };
  }
}
