/** What is wrong with a stored record (E7), in three words: whose, where, why. */
import { ObbligatoError } from '../../errors.ts';

export interface Problem {
  /** The task's name; a placeholder where it has none that can be read. */
  readonly task: string;
  readonly field: string;
  readonly reason: string;
}

export function problemOf(value: unknown, error: unknown): Problem {
  const name: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'name') : undefined;
  const details: object = error instanceof ObbligatoError ? error.details : {};
  const field: unknown = Reflect.get(details, 'field');
  return {
    task: typeof name === 'string' && name !== '' ? name : '(no name)',
    field: typeof field === 'string' ? field : 'record',
    reason: error instanceof Error ? error.message : String(error),
  };
}
