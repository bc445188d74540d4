/**
 * What must hold of the requests of operators in a cluster, kept in a book of its own.
 *
 * - **I1** every request is answered in the end, and has one run: a start that was asked for has a request that no other has begun.
 * - **I3** a pause or a resume that was answered holds.
 */
import type { ControlRequest } from '../../core/control.ts';
import type { RunRecord } from '../../core/record.ts';
import type { ClusterBatch } from '../../store/cluster/decide.ts';
import type { Blame } from '../judges/violations.ts';

const SAME_MOMENT_MS = 5000;

export class ControlRules {
  readonly #now: () => number;
  readonly #blame: Blame;
  /** Requests without an answer (I1). */
  readonly open = new Map<string, ControlRequest>();
  /** Requests to run, and the run that has begun each: no other one may (I1). */
  readonly #toRun = new Map<string, { readonly request: ControlRequest; readonly begunBy?: string }>();
  /** When each task was last paused or resumed, and whether it is paused since. */
  readonly #pauses = new Map<string, { readonly at: number; readonly isPaused: boolean }>();

  constructor(now: () => number, blame: Blame) {
    this.#now = now;
    this.#blame = blame;
  }

  isPaused(task: string): boolean {
    return this.#pauses.get(task)?.isPaused ?? false;
  }

  /** Whether a task is paused, or was since an instant. */
  wasPaused(task: string, since: number): boolean {
    const pause = this.#pauses.get(task);
    return pause !== undefined && (pause.isPaused || pause.at >= since);
  }

  asked(request: ControlRequest): void {
    this.open.set(request.id, request);
    if (request.kind === 'run' && !this.#toRun.has(request.id)) this.#toRun.set(request.id, { request });
  }

  forgotten(task: string): void {
    this.#pauses.delete(task);
  }

  /** A start begins the requests that it answers; if it was asked for, one at least. */
  begun(task: string, { runId, reason }: RunRecord, answers: ClusterBatch['answers'] = []): void {
    const free = Array.from(this.#toRun.values()).filter(
      ({ request, begunBy }) => request.task === task && begunBy === undefined,
    );
    if (reason === 'manual' && free.length === 0)
      this.#blame(
        'I1',
        `${runId} of ${task} was granted because it was asked for, and all requests had runs`,
      );
    const named = free.filter(({ request }) => answers.some(({ id }) => id === request.id));
    const begun = named.length === 0 && reason === 'manual' ? free.slice(0, 1) : named;
    for (const { request } of begun) this.#toRun.set(request.id, { request, begunBy: runId });
  }

  /** A start is taken back: what it has begun is open again. */
  takenBack(runId: string): void {
    for (const [request, { request: asked, begunBy }] of this.#toRun) {
      if (begunBy !== runId) continue;
      this.#toRun.set(request, { request: asked });
      this.open.set(request, asked);
    }
  }

  /** What operators have asked for is done, and answered. A pause counts while its request is open. */
  controlled({ pauses = [], answers = [] }: ClusterBatch): void {
    const now = this.#now();
    for (const { name, pausedAt, request } of pauses)
      if (request === undefined || this.open.has(request))
        this.#pauses.set(name, { at: now, isPaused: pausedAt !== null });
    for (const { id, at: decidedAt, state, text, start } of answers) {
      const { kind, task = '' } = this.open.get(id) ?? {};
      this.open.delete(id);
      if (start === undefined) this.#toRun.delete(id);
      const { at = decidedAt, isPaused = false } = this.#pauses.get(task) ?? {};
      const isWrong = (kind === 'resume' && isPaused) || (kind === 'pause' && !isPaused);
      // It is judged by when it was decided: before it was stored, another instance may have done the opposite. Requests of the same moment
      // may be done in any order.
      if (state === 'applied' && isWrong && decidedAt - at > SAME_MOMENT_MS)
        this.#blame(
          'I3',
          `the answer to ${id} was "${text}", and ${task} ${isPaused ? 'is' : 'is not'} paused`,
        );
    }
  }
}
