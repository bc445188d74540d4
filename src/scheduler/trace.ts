/**
 * The observable alphabet: what the theory judges a scheduler by. A sink is called synchronously, before whatever the record
 * speaks of goes on, so that a `RunStart` it has written cannot be lost to a killed process.
 */
export interface TracedRegistration {
  readonly name: string;
  readonly cron: string;
  readonly retryDelayMs: number;
}

export type TraceRecord = { readonly at: number } & (
  | {
      readonly event: 'InitStart';
      readonly call: number;
      readonly registrations: readonly TracedRegistration[];
      readonly timeZone: string;
      readonly workers?: number;
    }
  | { readonly event: 'InitSuccess'; readonly call: number; readonly instance: string }
  | { readonly event: 'InitFailure'; readonly call: number; readonly error: string; readonly valid: boolean }
  | { readonly event: 'StopStart'; readonly call: number }
  | { readonly event: 'StopEnd'; readonly call: number; readonly error?: string }
  | {
      readonly event: 'RunStart' | 'RunSuccess' | 'RunFailure' | 'StartDurable' | 'EndDurable';
      readonly task: string;
      readonly runId: string;
      readonly instance: string;
    }
  | { readonly event: 'ClockStep'; readonly from: number; readonly to: number }
  | { readonly event: 'StoreTrouble'; readonly from: number; readonly to: number; readonly error: string }
);

export type TraceSink = (record: TraceRecord) => void;
