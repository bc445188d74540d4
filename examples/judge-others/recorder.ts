/** The recorder for a scheduler that knows nothing of traces: a line before and after what it records. */
import { appendFileSync } from 'node:fs';
import type { TraceRecord } from 'obbligato';
import type { Task } from './scenarios.ts';

/** A record without its instant. */
type Untimed<T> = T extends unknown ? Omit<T, 'at'> : never;
export type Work = () => Promise<void>;

export interface Recorder {
  /** A record with its instant, as it is. */
  write(record: TraceRecord): void;
  /** Something happens now. */
  now(record: Untimed<TraceRecord>): void;
  /** The same work, with its start and its end on record. */
  run(task: Task, work: Work): Work;
}

export function createRecorder(file: string, life: number): Recorder {
  let runs = 0;
  const write = (record: TraceRecord): void => appendFileSync(file, `${JSON.stringify(record)}\n`);
  const now = (record: Untimed<TraceRecord>): void => write({ ...record, at: Date.now() } as TraceRecord);
  return {
    write,
    now,
    run({ name: task }, work) {
      return async () => {
        const run = { task, runId: `${life}.${++runs}` };
        now({ event: 'RunStart', ...run });
        try {
          await work();
        } catch (error) {
          now({ event: 'RunFailure', ...run });
          throw error;
        }
        now({ event: 'RunSuccess', ...run });
      };
    },
  };
}
