/**
 * Steps of the wall clock (B5): how they are seen, and what a clock that was set back leaves to be done.
 *
 *     the list is in force ──▶ watched ──a reading shows a step back──▶ walking: each idle task is judged, some per turn ──the last──▶ watched
 *
 * A million tasks would hold the event loop, so they are judged some at a time. Why a task may wait: nothing is decided about it meanwhile,
 * because a decision judges it first. Until then its cursor lies where it was, mostly ahead of the clock, so that it is not due. Why none is
 * judged twice: each is judged by who takes it first. What ran or was claimed when the clock was set is judged at once, since its cursor is written
 * with the end, or when the claim is taken back (`cursor-moves.ts`). If the process dies before the last is judged, the next `initialize` judges all of them.
 *
 * Why a step is seen: every reading that something is done by is made here. While an edit is on its way (I5), a step is judged for the tasks that
 * are there. What the edit brings was planned by the clock of before: so the step is recorded once more behind the `InitSuccess` of the edit, and
 * judged once more, which moves nothing of a task that was judged.
 */
import type { SeenStep } from './clock-watch.ts';
import type { CursorMoves } from './cursor-moves.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Turns } from './turns.ts';

/** The tasks that a step back has left to be judged. */
class StepWalk {
  /** Where the clock landed at the earliest, and what it showed when that was seen: tasks are judged by the latter. */
  readonly landedAt: number;
  readonly seenAt: number;
  readonly #isJudged: Uint8Array;
  /** All before it are judged. */
  #next = 0;

  constructor(landedAt: number, seenAt: number, count: number) {
    this.landedAt = landedAt;
    this.seenAt = seenAt;
    this.#isJudged = new Uint8Array(count);
  }

  /** Whether a task is still to be judged. Who is answered yes judges it. */
  take(task: number): boolean {
    if (this.#isJudged[task] === 1) return false;
    this.#isJudged[task] = 1;
    return true;
  }

  /** Tells of some tasks; answers whether those were the last. */
  advance(count: number, judge: (task: number) => void): boolean {
    const end = Math.min(this.#next + count, this.#isJudged.length);
    while (this.#next < end) judge(this.#next++);
    return end === this.#isJudged.length;
  }
}

/** The engine, as far as its steps need it. */
export interface ClockStepsPorts {
  readonly moves: CursorMoves;
  readonly turns: Turns;
  /** Every task is judged. What is pending may be another than before. */
  allJudged(): void;
}

export class ClockSteps {
  readonly #options: EngineOptions;
  readonly #ports: ClockStepsPorts;
  #walk: StepWalk | undefined;
  /** Given while an edit is on its way: the steps back that came meanwhile. */
  #duringEdit: SeenStep[] | undefined;
  #isInForce = false;

  constructor(options: EngineOptions, ports: ClockStepsPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** The list is in force from now on. If a stop came first, it never is. */
  begin(): void {
    this.#isInForce = true;
  }

  /** A scheduler that stops leaves steps to the next `initialize`. */
  get #isWatching(): boolean {
    return this.#isInForce && !this.#options.executor.stopped;
  }

  /** Whether tasks are left to be judged. */
  get isWalking(): boolean {
    return this.#walk !== undefined;
  }

  /** Reads the clock, and handles a step of it before anything is done by what it shows. */
  readClock(): number {
    const now = this.#options.clock.now();
    const seen = this.#isWatching ? this.#options.watch.stepSince(now) : undefined;
    if (seen !== undefined) this.#stepped(seen, now);
    return now;
  }

  #stepped({ step, withinMs }: SeenStep, now: number): void {
    const { emit, logger, trace } = this.#options;
    emit('ClockStepped', now, step);
    logger.warn(`the clock was set from ${iso(step.from)} to ${iso(step.to)}`);
    // Recorded as if it had happened right after the last reading: nothing was done by the old time since.
    trace?.({ event: 'ClockStep', at: now, from: step.from - withinMs, to: step.to - withinMs });
    if (step.to > step.from) return;
    this.#duringEdit?.push({ step, withinMs });
    this.#begin(this.#walkAfter(step.to - withinMs, now));
  }

  /** The tasks that are to be judged by a step. Those that run or are claimed are judged at once. */
  #walkAfter(landedAt: number, seenAt: number): StepWalk {
    const { count } = this.#options.tasks;
    const walk = new StepWalk(landedAt, seenAt, count);
    for (let task = 0; task < count; task++)
      if (this.#ports.moves.isOut(task) && walk.take(task)) this.#ports.moves.afterStep(task, seenAt);
    return walk;
  }

  #begin(walk: StepWalk): void {
    this.judgeRest();
    // The agenda begins again where the clock landed, so that it triggers running tasks too: what comes due from there on, and is owed, is
    // started after the end (A5).
    this.#options.agenda.reset(walk.landedAt);
    this.#walk = walk;
    this.judgeSome();
  }

  /** Judges some of the tasks that a step has left. */
  judgeSome(): void {
    const walk = this.#walk;
    if (walk === undefined) return;
    this.#ports.turns.inSteps((count) => {
      const isLast = walk.advance(count, (task) => this.judge(task));
      if (isLast) this.#allJudged();
      return isLast;
    });
  }

  judgeRest(): void {
    if (this.#walk === undefined) return;
    this.#walk.advance(this.#options.tasks.count, (task) => this.judge(task));
    this.#allJudged();
  }

  #allJudged(): void {
    this.#walk = undefined;
    // If the clock was set ahead and back, the agenda misses what came due in between.
    this.#ports.allJudged();
  }

  /** Judges an idle task by the last step of the clock, unless that is done. */
  judge(task: number): void {
    const walk = this.#walk;
    if (walk?.take(task)) this.#ports.moves.idleAfterStep(task, walk.seenAt);
  }

  /** An edit is planned from now on. */
  editBegins(): void {
    this.judgeRest();
    this.#duringEdit = [];
  }

  /** It is over. If it is in force, the steps that came meanwhile hold for what it has brought, too. */
  editEnds(how: 'in force' | 'dropped'): void {
    const steps = this.#duringEdit ?? [];
    this.#duringEdit = undefined;
    if (how === 'in force') for (const step of steps) this.#stepped(step, this.#options.clock.now());
  }
}

const iso = (instant: number): string => new Date(instant).toISOString();
