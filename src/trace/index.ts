/** Recording what a scheduler does, and reading it again. */
export { TraceFileError, TraceForeignFileError, TraceLockedError } from './errors.ts';
export { type TraceFile, type TraceFileOptions, traceFile } from './file.ts';
export { type FreezeOptions, type FreezeWatch, withFreezes } from './freezes.ts';
export type { TraceEntry, TraceProblem } from './lines.ts';
export { type MergedReading, mergeTraces } from './merge/merge.ts';
export { readTrace, type TraceReading, type TraceSource } from './read.ts';
export type {
  FailureOutcome,
  RecordedRequest,
  RecordedRun,
  RecordedStretch,
  RecordOf,
  RecordWith,
  RunEvent,
  TracedDayRule,
  TracedPolicy,
  TracedRegistration,
  TraceEvent,
  TraceRecord,
  TraceSink,
  WrittenRecord,
} from './record.ts';
