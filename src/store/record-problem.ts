/** What is wrong with a stored record (E7), as data: which task, which field, and why. */
import { ObbligatoError } from '../errors.ts';

/** What is wrong with a stored record. */
export interface RecordProblem {
  /** The task's name; `(no name)` where it has none that can be read. */
  readonly task: string;
  /** The field that makes no sense, such as `work.key`; `record` if it is the record as a whole. */
  readonly field: string;
  /** Why, in one sentence. */
  readonly reason: string;
}

/** The problem of a stored value, from the error that reading it has thrown. */
export function problemOf(value: unknown, error: unknown): RecordProblem {
  const name: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'name') : undefined;
  const details: object = error instanceof ObbligatoError ? error.details : {};
  const field: unknown = Reflect.get(details, 'field');
  return {
    task: typeof name === 'string' && name !== '' ? name : '(no name)',
    field: typeof field === 'string' ? field : 'record',
    reason: error instanceof Error ? error.message : String(error),
  };
}
