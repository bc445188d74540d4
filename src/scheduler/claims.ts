/**
 * The claims of the batch that is on its way (A4): the tasks that the executor has given to its workers, and whose starts the store decides on.
 *
 *     queued ──take: there is a reason──▶ claimed ──durable──▶ granted: to be called
 *       │                                    ├──refused by the store, or not to be called any more──▶ idle, as if never claimed
 *       └──no reason is left──▶ idle
 *
 * Why none is invented: a take asks `reasonToRun` again, by the clock of that moment. Why none is lost: a claim that leads to no call leaves
 * the reason as it was.
 *
 * What the store refuses is not written and not sent again. A refused start is a claim that was never made: the task is idle. A refused end,
 * unstart or move says that somebody else has written the record, since an embedded store never refuses its only owner. It is reported. Either way
 * the answer brings the record, and the task goes on by that (K2): if it is pending by another version than before, it is claimed again at once.
 * So there is no loop, because a store that refuses a version and brings the same one waits for the next trigger; and nothing is lost, because
 * the record of the store stands.
 */
import type { UnstartChange } from '../core/changes.ts';
import { Starts } from '../core/rows.ts';
import type { Tasks } from '../core/tasks.ts';
import { type ExecutorState, finish, NONE, take } from '../executor/state.ts';
import type { ClockSteps } from './clock-steps.ts';
import type { CursorMoves } from './cursor-moves.ts';
import type { Dues } from './dues.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Outbox } from './outbox.ts';

/** After so many claims the clock is asked whether the batch has taken long enough. */
const CLAIMS_PER_LOOK = 256;
/**
 * The first batches of a life are small, and each is so many times larger than the one before: all code has run once before it is worth
 * compiling. What is compiled earlier knows only a part of the ways through it, and is soon thrown away and compiled again.
 */
const FIRST_BATCH = 64;
const GROWTH = 4;

/** The engine, as far as its claims need it. */
export interface ClaimsPorts {
  readonly outbox: Outbox;
  readonly moves: CursorMoves;
  readonly steps: ClockSteps;
  readonly dues: Dues;
  /** Which requests the durable claim of a task has answered. */
  answeredBy(task: number): readonly string[];
}

export class Claims {
  readonly #options: EngineOptions;
  readonly #tasks: Tasks;
  readonly #executor: ExecutorState;
  readonly #outbox: Outbox;
  readonly #moves: CursorMoves;
  readonly #steps: ClockSteps;
  readonly #dues: Dues;
  #claimed: Starts;
  readonly #answeredBy: (task: number) => readonly string[];
  #batchSize: number;
  /** How many runs this instance has begun. */
  #runCount = 0;

  constructor(options: EngineOptions, { outbox, moves, steps, dues, answeredBy }: ClaimsPorts) {
    this.#options = options;
    this.#tasks = options.tasks;
    this.#executor = options.executor;
    this.#outbox = outbox;
    this.#moves = moves;
    this.#steps = steps;
    this.#dues = dues;
    this.#answeredBy = answeredBy;
    this.#claimed = new Starts(options.tasks);
    this.#batchSize = Math.min(FIRST_BATCH, options.sizes.batch);
  }

  /** How many starts the next batch can have. */
  get batchSize(): number {
    return this.#batchSize;
  }

  get isEmpty(): boolean {
    return this.#claimed.length === 0;
  }

  /** Who may start now. */
  take(now: number): Starts {
    const { agenda, owed, sizes, clock } = this.#options;
    const size = this.#batchSize;
    const expected = Math.min(this.#executor.queuedCount, size);
    const starts = new Starts(this.#tasks, expected);
    const until = clock.monotonic() + sizes.callSliceMs;
    while (this.#outbox.mayStart && starts.length < size) {
      // A batch that is on its way takes the rest along when it is durable.
      if (starts.length % CLAIMS_PER_LOOK === CLAIMS_PER_LOOK - 1 && clock.monotonic() >= until) break;
      const task = take(this.#executor);
      if (task === NONE) break;
      this.#steps.judge(task);
      const lastDue = agenda.lastDue(task, now);
      if (this.#tasks.isTooOld(task, now, lastDue)) this.#dues.lookForSkip(task, now);
      const reason = this.#tasks.reasonToRun(task, now, lastDue);
      if (reason === undefined) {
        owed.forget(task);
        finish(this.#executor, task);
        continue;
      }
      this.#tasks.claim(task, ++this.#runCount, now, reason, lastDue, starts);
      owed.taken(task, now, lastDue);
    }
    if (starts.length === size) this.#batchSize = Math.min(GROWTH * size, sizes.batch);
    this.#claimed = starts;
    return starts;
  }

  /** The tasks whose starts are granted. */
  granted(refusedStarts: ReadonlySet<string>): number[] {
    const tasks = Array.from({ length: this.#claimed.length }, (_, place) => this.#claimed.taskAt(place));
    return tasks.filter((task) => !refusedStarts.has(this.#tasks.nameOf(task)));
  }

  /** The batch is durable, but for what is refused of it. Answers the starts, and the places of those that are to be called. */
  durable(
    refused: ReadonlySet<string>,
    tellRefused: (task: number) => void,
  ): { readonly starts: Starts; readonly places: readonly number[] } {
    const starts = this.#claimed;
    this.#claimed = new Starts(this.#tasks);
    const places: number[] = [];
    for (let place = 0; place < starts.length; place++) {
      const task = starts.taskAt(place);
      if (refused.size > 0 && refused.has(this.#tasks.nameOf(task))) {
        this.#unclaim(task);
        // Nothing was written.
        this.#tasks.setVersion(task, starts.versionAt(place));
        finish(this.#executor, task);
        tellRefused(task);
      } else if (this.#executor.stopped) this.takeBack(task);
      else places.push(place);
    }
    return { starts, places };
  }

  /** A durable start that will not be called. */
  takeBack(task: number): void {
    const requests = this.#answeredBy(task);
    this.#outbox.takenBack(task, { ...this.#unclaim(task), ...(requests.length > 0 && { requests }) });
    finish(this.#executor, task);
  }

  /** A claim is as if it had never been: a clock that was set back meanwhile moves what it would have moved. */
  #unclaim(task: number): UnstartChange {
    const before = this.#tasks.unclaim(task);
    this.#options.owed.forget(task);
    this.#moves.unclaimed(task, before.runId);
    return before;
  }
}
