/** The side of the child process: takes the parameters, measures, posts one result, and ends. */
import type { Figures, GivenParams } from './scenario.ts';

export async function contend<Params>(
  measure: (params: Params & GivenParams) => Figures | Promise<Figures>,
): Promise<void> {
  // Without the runner nobody waits for the result.
  process.once('disconnect', () => process.exit(1));
  const figures = await measure(JSON.parse(process.argv[2]));
  // Some peers leave timers behind, so the process does not wait for them.
  process.send?.(figures, () => process.exit(0));
}
