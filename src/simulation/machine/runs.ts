/**
 * The callbacks of a world: what each run does, and the runs that have not ended. A run is drawn by its task's name and its
 * number.
 *
 *     called ──▶ ended at once (returns, throws, holds the event loop)
 *        └─────▶ running ──its time is up, it hears the stop, the world heals──▶ ended
 *                    └──────── the process dies: the scheduler never hears how it ends
 */
import type { Registration, RunContext, Task } from '../../scheduler/index.ts';
import type { TaskPlan, Trouble } from '../scenario/scenario.ts';
import { type Behaviour, drawBehaviour } from './callbacks.ts';
import type { MachineParts } from './parts.ts';
import type { SimulatedProcess } from './process.ts';
import { registrationOf } from './task-object.ts';

type Outcome = 'success' | 'failure';

interface Running {
  readonly end: (outcome: Outcome) => void;
  readonly heedsStop: boolean;
}

/** A run that has begun, and when, by the wall clock. */
interface Called {
  readonly task: string;
  readonly runId: string;
  readonly at: number;
  /** What its callback does last. */
  readonly atEnd: () => void;
}

/** What a callback can do to the machine. */
export interface RunPorts {
  stop(process: SimulatedProcess): void;
  trouble(kind: Trouble, ms: number): void;
}

const HARMLESS: Behaviour = { kind: 'at once', outcome: 'success', holdsMs: 0 };

export class Runs {
  /** How many callbacks have been called. */
  starts = 0;
  readonly #parts: MachineParts;
  readonly #ports: RunPorts;
  readonly #numbers = new Map<string, number>();
  #running = new Set<Running>();
  #healed = false;

  constructor(parts: MachineParts, ports: RunPorts) {
    this.#parts = parts;
    this.#ports = ports;
  }

  registration(process: SimulatedProcess, plan: TaskPlan): Registration | Task {
    return registrationOf(plan, (context: RunContext): unknown =>
      process.port(() => this.#called(process, plan.name, context), new Promise(() => {})),
    );
  }

  /** The process is gone. Returns how many runs were cut off. */
  cutOff(): number {
    const { size } = this.#running;
    this.#running = new Set();
    return size;
  }

  /** `stop` has been called. Runs that do not listen to their signal end after a while, or the stop would never end. */
  stopping(): void {
    const { random, timeline, counts } = this.#parts;
    const endings = random.fork('ending at stop', counts.stops);
    for (const run of this.#running) {
      const chance = random.fork('end at stop', counts.stops);
      const outcome = endings.percent(40) ? 'failure' : 'success';
      if (!run.heedsStop) timeline.plan(chance.spread(1, 20_000), () => run.end(outcome));
    }
  }

  /** From here on every run succeeds at once. */
  heal(): void {
    this.#healed = true;
    for (const run of [...this.#running]) run.end('success');
  }

  #called(process: SimulatedProcess, task: string, context: RunContext): unknown {
    const { notify, timeline, scenario } = this.#parts;
    const { runId, key, attempt, reason, scheduledFor } = context;
    this.starts++;
    const behaviour = this.#draw(task);
    const takes = this.#takesSignal(task, behaviour);
    const seen = { name: context.name, signal: takes === 'at once' ? context.signal : undefined };
    const details = { runId, key, attempt, reason, scheduledFor: scheduledFor.getTime() };
    notify('runStarted', task, details, seen);
    const atEnd = (): void => {
      if (takes === 'at its end') seen.signal = context.signal;
    };
    const called = { task, runId, at: timeline.now, atEnd };
    if (behaviour.kind === 'at once') return this.#endAtOnce(called, behaviour);
    if (behaviour.kind === 'stop') {
      if (behaviour.trouble !== undefined) this.#ports.trouble(behaviour.trouble, 3 * scenario.finalWriteMs);
      this.#ports.stop(process);
    }
    return this.#endLater(process, called, behaviour, context);
  }

  #draw(task: string): Behaviour {
    const { random, scenario } = this.#parts;
    const number = (this.#numbers.get(task) ?? 0) + 1;
    this.#numbers.set(task, number);
    return this.#healed ? HARMLESS : drawBehaviour(scenario.callbacks, random.fork(`run ${task}`, number));
  }

  /** Most callbacks take their signal, whether they heed it or not: what is interrupted by a stop goes by that (A13). */
  #takesSignal(task: string, behaviour: Behaviour): 'at once' | 'at its end' | 'never' {
    if (behaviour.kind === 'hang' && behaviour.heedsStop === 'yes') return 'at once';
    const roll = this.#parts.random.fork(`signal of ${task}`, this.#numbers.get(task) ?? 0).below(100);
    if (roll < 60) return 'at once';
    return roll < 80 ? 'at its end' : 'never';
  }

  #endAtOnce(called: Called, { outcome, holdsMs }: Extract<Behaviour, { kind: 'at once' }>): unknown {
    const { timeline, notify, counts, recorder } = this.#parts;
    if (holdsMs > 0) {
      counts.burns++;
      recorder.frozenWhile(() => timeline.burn(holdsMs), called.task);
      notify('computeWithheld');
    }
    const error = this.#ended(called, outcome);
    if (error === undefined) return undefined;
    throw error;
  }

  /** Returns what a run that fails throws. */
  #ended({ task, runId, at, atEnd }: Called, outcome: Outcome): Error | undefined {
    atEnd();
    const { notify, timeline, counts } = this.#parts;
    const error = outcome === 'failure' ? new Error('failed on purpose') : undefined;
    if (error !== undefined) counts.failures++;
    notify('runEnded', task, { runId, durationMs: timeline.now - at, error });
    return error;
  }

  #endLater(
    process: SimulatedProcess,
    called: Called,
    behaviour: Exclude<Behaviour, { kind: 'at once' }>,
    context: RunContext,
  ): Promise<void> {
    const { timeline, counts } = this.#parts;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const run: Running = {
      heedsStop: behaviour.kind === 'hang' && behaviour.heedsStop === 'yes',
      end: (outcome) => {
        if (!this.#running.delete(run) || !process.isAlive()) return;
        const error = this.#ended(called, outcome);
        if (error === undefined) resolve();
        else reject(error);
      },
    };
    this.#running.add(run);
    if (behaviour.kind === 'later') timeline.plan(behaviour.afterMs, () => run.end(behaviour.outcome));
    else if (behaviour.kind === 'stop') timeline.plan(behaviour.afterMs, () => run.end('success'));
    else {
      counts.hangs++;
      if (run.heedsStop)
        context.signal.addEventListener('abort', () => {
          const outcome = process.state === 'stopping' ? 'failure' : behaviour.ifAborted;
          timeline.plan(1, () => run.end(outcome));
        });
      else if (process.state === 'stopping') timeline.plan(1000, () => run.end('success'));
    }
    return promise;
  }
}
