/** What a callback of a cluster's host does: it ends after a time, well or badly, or soon after its signal is aborted. */
import type { RunContext } from '../../scheduler/index.ts';
import type { FaultCounts } from '../machine/counts.ts';
import type { Random } from '../scenario/random.ts';
import type { ClusterScenario } from './scenario.ts';

export function behave(
  context: RunContext,
  { long, failing, heeding = 0 }: Pick<ClusterScenario, 'long' | 'failing' | 'heeding'>,
  chance: Random,
  plan: (afterMs: number, run: () => void) => void,
  counts: FaultCounts,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (): void => reject(new Error('a failure, on purpose'));
  const afterMs = chance.percent(long) ? chance.spread(1000, 60_000) : chance.spread(1, 200);
  const fails = chance.percent(failing);
  if (fails) counts.failures++;
  plan(afterMs, fails ? fail : resolve);
  if (chance.percent(heeding))
    context.signal.addEventListener('abort', () =>
      plan(chance.below(50), chance.percent(70) ? fail : resolve),
    );
  return promise;
}
