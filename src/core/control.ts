/** What an operator asks of a running scheduler, and what it answers (I1). */

/** What an operator may ask for. */
export type ControlKind = 'run' | 'pause' | 'resume' | 'cancel';

/** A request, as it is in the store until it is answered and old. */
export interface ControlRequest {
  readonly id: string;
  readonly kind: ControlKind;
  readonly task: string;
  /** In epoch milliseconds, by the clock of the one who asked. */
  readonly askedAt: number;
  /** Of a resume: whether what came due during the pause is owed. */
  readonly catchUp: boolean;
}

/** What became of a request. */
export interface ControlAnswer {
  readonly id: string;
  /** When, in epoch milliseconds, by the clock of the scheduler. */
  readonly at: number;
  readonly state: 'applied' | 'refused';
  /** What happened, or why not, in a few words. */
  readonly text: string;
}

/** An answer on its way to the store. */
export interface GivenAnswer extends ControlAnswer {
  /**
   * Of a request to run, where several schedulers share the store: the task. It counts only if the start of that task in the same batch is
   * granted. So nobody takes the request again once its run is there, and may be cut off and started again (I1).
   */
  readonly start?: string;
}
