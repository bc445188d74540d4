/** A run that was cut off by a crash, in the record of its task: the word of the store that the instance of that run is gone (K3, K9). */
import type { TaskRecord } from './record.ts';

/** What a cut-off run says of its instance. */
export interface CutOffRun {
  readonly instance: string;
  readonly task: string;
  readonly runId: string;
  /** An operator had asked for it (I2). */
  readonly requested?: true;
}

/** What is to be told of it: its instance may have died before it heard that the run was granted, and then nobody else knows. */
export function cutOffRunOf({ name, run }: TaskRecord): CutOffRun | undefined {
  if (run === null || run.cutOffAt === null) return undefined;
  const { instanceId, runId, reason } = run;
  // Its instance lived: it has said so itself.
  if (reason === 'interrupted') return undefined;
  return { instance: instanceId, task: name, runId, ...(reason === 'manual' && { requested: true }) };
}
