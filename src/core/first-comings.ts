/**
 * The records of names that the store does not have (E2): all alike but for name, configuration and cursor. A store that writes columns
 * takes those as they are. For any other, each record is made when it is asked for.
 */
import type { Many } from './changes.ts';
import { NOTHING_YET, type TaskRecord } from './record.ts';
import type { CheckedRegistration } from './registration.ts';

export class FirstComings implements Many<TaskRecord> {
  readonly firstSeenAt: number;
  readonly #tasks: readonly number[];
  readonly #registrations: readonly CheckedRegistration[];
  readonly #cursorOf: (task: number) => number;
  /** Since when tasks that begin anew are paused (H10). */
  readonly #pausedAt: ReadonlyMap<number, number | null>;

  constructor(
    tasks: readonly number[],
    registrations: readonly CheckedRegistration[],
    cursors: { readonly now: number; of(task: number): number },
    pausedAt: ReadonlyMap<number, number | null>,
  ) {
    this.firstSeenAt = cursors.now;
    this.#tasks = tasks;
    this.#registrations = registrations;
    this.#cursorOf = (task) => cursors.of(task);
    this.#pausedAt = pausedAt;
  }

  get length(): number {
    return this.#tasks.length;
  }

  /** Whether any of them is paused: then columns do not say everything. */
  get isAnyPaused(): boolean {
    for (const pausedAt of this.#pausedAt.values()) if (pausedAt !== null) return true;
    return false;
  }

  registrationAt(place: number): CheckedRegistration {
    return this.#registrations[this.#tasks[place]];
  }

  cursorAt(place: number): number {
    return this.#cursorOf(this.#tasks[place]);
  }

  *[Symbol.iterator](): Generator<TaskRecord> {
    for (const task of this.#tasks) {
      const { name, cron, retryDelayMs, policy } = this.#registrations[task];
      const config = { name, cron, retryDelayMs, policy: policy.text };
      const instants = { firstSeenAt: this.firstSeenAt, servedThrough: this.#cursorOf(task) };
      yield { ...config, ...instants, ...NOTHING_YET, pausedAt: this.#pausedAt.get(task) ?? null };
    }
  }
}
