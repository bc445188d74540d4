/** What began under earlier lists, for the engine of the list in force (I5). */
export interface Elsewhere {
  /** Aborts the signal of such a run. */
  abort(name: string, reason: unknown): void;
}

/** No list came before. */
export const NOTHING_ELSEWHERE: Elsewhere = { abort() {} };
