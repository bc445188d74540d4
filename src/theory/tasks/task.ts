/**
 * Everything that the oracle keeps of each task. A task has one *past*, or several if it is in doubt (`pasts.ts`). What belongs to a
 * past may differ between them; what belongs to the task itself only repeats what the trace has shown.
 */
import { type Enlisted, isSameRegistration } from '../calendar/valid-list.ts';
import type { Delay, ShownTask } from '../delays/delay.ts';
import { ScheduleGroup } from './schedule-groups.ts';

/** A failed run waits for its retry. */
export interface Retry {
  readonly at: number;
  /** The delay of the registration under which it failed (A6). */
  readonly delayMs: number;
  readonly failedAt: number;
}

/** Nearly all pasts have nothing stored that moved, and no delays: they share an empty list. */
const none: readonly never[] = [];

/** What one past of a task has been, as far as its class does not say. */
export class History {
  /** Up to which instant the dues of the task have been served; for a first coming, the last instant before its minute. */
  servedTo = Number.NEGATIVE_INFINITY;
  /** Whether `servedTo` comes from a first coming: then the minute right after it may be owed (E2). */
  isFirstComing = false;
  enlisted: Enlisted | undefined;
  /** The registration under which it was started last: a run goes on under it, and ends by it, whatever list is in force then (I5). */
  startedAs: Enlisted | undefined;
  /** How often its work has been started (F4); 0 where it has none: the last one succeeded, or was given up. */
  attempt = 0;
  /** The last run may have been decided that early, and the store knows no more of it: dues since then are not served by it (A4). */
  decidedFrom = Number.NaN;
  /**
   * Whether its next start goes on with its work is not known: a crash cut that off, and then the schedule or the clock changed; or it skips what
   * came due before its process died, and the trace does not show when that was (H9).
   */
  isWorkInDoubt = false;
  /** It ended after a list had left it out, and the store still has it (I5). */
  isKnown = false;
  /** The run that was durable, not called, and owed, when the last list came (T23). */
  decided: string | undefined;
  /** A start was owed when it was paused, or when its due became too old, and may have been on its way. */
  mayBeClaimed = false;
  /** Before the last run ended: the state of the automaton, the attempt, how far it was served. The store holds that until the end is durable. */
  stateBeforeEnd = 0;
  attemptBeforeEnd = 0;
  servedBeforeEnd = Number.NEGATIVE_INFINITY;
  /** The retry that it waits for, due or not. */
  retry: Retry | undefined;
  /** What the store may hold instead, where it may not know of a step that moved something. */
  stored: readonly Stored[] = none;
}

export type Stored = Readonly<Pick<History, 'servedTo' | 'retry'>>;

/** So much is kept of what a store may hold. */
const MOST_STORED = 8;

/** What the store may hold once something of a past has moved: of very many moves the first, which leaves most owed, and the last ones. */
export function perhapsStored({ servedTo, retry, stored }: Readonly<History>): readonly Stored[] {
  const all = [...stored, { servedTo, retry }];
  return all.length <= MOST_STORED ? all : all.toSpliced(1, 1);
}

/** One way that things may have been for a task, up to now: a past as a value. */
export interface Possibility extends Readonly<History> {
  /** Of the automaton. */
  readonly state: number;
  readonly group: ScheduleGroup<Past>;
}

export const isSamePossibility = (a: Possibility, b: Possibility): boolean =>
  a.state === b.state &&
  a.group === b.group &&
  a.servedTo === b.servedTo &&
  a.isFirstComing === b.isFirstComing &&
  a.isKnown === b.isKnown &&
  a.decided === b.decided &&
  a.stateBeforeEnd === b.stateBeforeEnd &&
  isSameRegistration(a.enlisted, b.enlisted) &&
  // Attempts count where a policy limits them (H2).
  (a.attempt === b.attempt || a.enlisted?.policy?.retry === undefined) &&
  a.retry?.at === b.retry?.at &&
  a.retry?.delayMs === b.retry?.delayMs &&
  (a.stored === b.stored || JSON.stringify(a.stored) === JSON.stringify(b.stored));

/** Whether what comes due during the last run is served by its end (H9). */
export const skipsWhileRunning = ({ startedAs }: Readonly<History>): boolean =>
  startedAs?.schedule.rules.whileRunning === 'skip';

/** Where a past is that exists no more, or not yet. How many are here is not counted. */
export const nowhere = new ScheduleGroup<Past>(undefined);

export class Past {
  readonly task: Task;
  readonly history = new History();
  /** Where it stands, as `Slices.of` has it: its state of the automaton, and since when its demands are open. */
  state = 0;
  openAt: readonly number[] | undefined;
  /** Which axioms it has put to the test: a bit each. */
  seen = 0;
  group = nowhere;
  /** The last position that its state takes in, and when it was put there or saw something. */
  position = 0;
  lastAt = Number.NEGATIVE_INFINITY;
  isAwake = false;
  /** What the probes said at its last step. */
  probes = 0;
  /** What was owed too long in it, while the task is in doubt. */
  delays: readonly Delay[] = none;

  constructor(task: Task) {
    this.task = task;
  }
}

export class Task implements ShownTask {
  readonly name: string;
  /** What the trace tells by itself comes first. */
  pasts: readonly Past[] = [new Past(this)];
  /** It has several pasts. */
  isInDoubt = false;
  /** The last start and the last end that the trace has shown, for explanations; NaN where there was none. Line 0 is no line. */
  startedAt = Number.NaN;
  startLine = 0;
  endedAt = Number.NaN;
  endLine = 0;
  endedBy = 'RunSuccess';
  /** An operator has asked for the end of the run that was started last (I4). */
  isCancelled = false;
  /** What `runs.ts` knows of the last run that was called, and the run whose start is durable and was not called yet. */
  run = '';
  known = 0;
  claimed: string | undefined;
  wasAsked = false;
  /** How many runs of all tasks had ended when its last run ended, and when it was paused or went on (I3). */
  endedAs = 0;
  turnedAfter = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Its only past, or the one that the trace tells by itself. */
  get past(): Past {
    return this.pasts[0];
  }
}

/** All tasks that the trace has mentioned. The first one is the *stranger*: it stands for every name that has not been mentioned yet. */
export class TaskTable {
  readonly stranger = new Task('');
  readonly all: Task[] = [this.stranger];
  readonly #places = new Map<string, number>();
  /** The place that was found last, and how far from it the next one probably is: 0 or 1. */
  #found = 0;
  #step = 1;

  add(name: string): Task {
    const task = new Task(name);
    this.#places.set(name, this.all.push(task) - 1);
    return task;
  }

  get size(): number {
    return this.#places.size;
  }

  /**
   * The task of a name, if there is one. Schedulers work through tasks in order, so it is mostly the one after the last for a start,
   * and the last one again for its end: a guess costs next to nothing, where a look-up among many names costs several cache misses.
   */
  find(name: string): Task | undefined {
    const guess = this.#found + this.#step;
    if (guess > 0 && this.all[guess]?.name === name) {
      this.#found = guess;
      this.#step = 1 - this.#step;
      return this.all[guess];
    }
    const place = this.#places.get(name);
    if (place === undefined) return undefined;
    this.#step = place === this.#found + 1 ? 0 : 1;
    this.#found = place;
    return this.all[place];
  }
}
