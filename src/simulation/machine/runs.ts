/**
 * The callbacks of a world: what each run does, drawn by its task's name and its number, and the runs that have not ended.
 *
 *     called ──▶ ended at once (returns, throws, holds the loop)
 *        └─────▶ running ──its time has come, the stop is heard, the world heals──▶ ended
 *                    └──────── the process dies: nobody hears of its end
 */
import type { Registration, RunContext } from '../../scheduler/index.ts';
import { BACKOFF_MS } from '../judges/violations.ts';
import type { TaskPlan } from '../scenario/scenario.ts';
import { type Behaviour, drawBehaviour } from './callbacks.ts';
import type { SimulatedProcess } from './process.ts';
import type { Surroundings } from './surroundings.ts';

type Outcome = 'success' | 'failure';

interface Running {
  readonly end: (outcome: Outcome) => void;
  readonly heedsStop: boolean;
  readonly name: string;
  readonly context: RunContext;
}

/** A run that has begun, and when, by the wall clock. */
interface Called {
  readonly name: string;
  readonly runId: string;
  readonly at: number;
}

const HARMLESS: Behaviour = { kind: 'at once', outcome: 'success', holdsMs: 0 };

export class Runs {
  readonly #world: Surroundings;
  /** Called by a callback that stops its own scheduler. */
  readonly #stop: (process: SimulatedProcess) => void;
  readonly #numbers = new Map<string, number>();
  #running = new Set<Running>();
  #healed = false;
  /** When a run last ended, by the clock that does not step. */
  lastEndAt = 0;

  constructor(world: Surroundings, stop: (process: SimulatedProcess) => void) {
    this.#world = world;
    this.#stop = stop;
  }

  registration(process: SimulatedProcess, { name, cron, retryDelayMs }: TaskPlan): Registration {
    const callback = (context: RunContext): unknown =>
      process.port(() => this.#called(process, name, context), new Promise(() => {}));
    return [name, cron, callback, retryDelayMs];
  }

  /** The process is dead; answers how many runs were cut off. */
  cutOff(): number {
    const { size } = this.#running;
    this.#running = new Set();
    return size;
  }

  /** Whoever does not listen to the signal is ended by and by, or the stop would never come to its end. */
  stopping(): void {
    const { random, timeline, counts, model } = this.#world;
    for (const run of this.#running) {
      // Also whoever asks only now is told (D10).
      if (!run.context.signal.aborted) model.blame('D10', `${run.name} was not told to stop`);
      const chance = random.fork('end at stop', counts.stops);
      if (!run.heedsStop) timeline.plan(chance.spread(1, 20_000), () => run.end('success'));
    }
  }

  /** From here on every run ends well and at once. */
  heal(): void {
    this.#healed = true;
    for (const run of [...this.#running]) run.end('success');
  }

  #called(process: SimulatedProcess, name: string, context: RunContext): unknown {
    const { model, heard, timeline } = this.#world;
    const { runId, key, attempt, reason, scheduledFor } = context;
    const given = { runId, key, attempt, reason, scheduledFor: scheduledFor.getTime() };
    if (context.name !== name) model.blame('F4', `${name} was given the name ${context.name}`);
    const retry = model.retryOf(name);
    heard.called(name, given, retry?.at ?? null, retry?.since ?? 'as it was');
    model.called(name, given);
    const called = { name, runId, at: timeline.now };
    if (!process.hasReturned) model.blame('D6', `${name} was called before initialize had returned`);
    const behaviour = this.#draw(name);
    if (behaviour.kind === 'at once') return this.#endAtOnce(called, behaviour);
    if (behaviour.kind === 'stop') {
      const { disk, counts, scenario } = this.#world;
      if (behaviour.trouble !== undefined) {
        const ms = 3 * scenario.finalWriteMs;
        counts.troubles++;
        model.perturbed(ms + BACKOFF_MS);
        disk.trouble(behaviour.trouble, ms);
      }
      this.#stop(process);
    }
    return this.#endLater(process, called, behaviour, context);
  }

  #draw(name: string): Behaviour {
    const { random, scenario } = this.#world;
    const number = (this.#numbers.get(name) ?? 0) + 1;
    this.#numbers.set(name, number);
    return this.#healed ? HARMLESS : drawBehaviour(scenario.callbacks, random.fork(`run ${name}`, number));
  }

  #endAtOnce(called: Called, { outcome, holdsMs }: Extract<Behaviour, { kind: 'at once' }>): unknown {
    const { timeline, model, counts, recorder } = this.#world;
    if (holdsMs > 0) {
      const from = recorder.told(timeline.now);
      counts.burns++;
      timeline.burn(holdsMs);
      model.perturbed(0);
      const to = recorder.told(timeline.now);
      recorder.write({ event: 'Frozen', at: to, from, to, task: called.name });
    }
    const error = this.#ended(called, outcome);
    if (error === undefined) return undefined;
    counts.failures++;
    throw error;
  }

  /** Answers what a run that fails throws. */
  #ended({ name, runId, at }: Called, outcome: Outcome): Error | undefined {
    const { model, heard, timeline } = this.#world;
    this.lastEndAt = timeline.passed;
    model.ended(name, outcome);
    const error = outcome === 'failure' ? new Error('failed on purpose') : undefined;
    const failure = error && { error, retryAt: model.retryOf(name)?.at ?? null };
    heard.ended(name, { runId, durationMs: timeline.now - at, ...(failure && { failure }) });
    return error;
  }

  #endLater(
    process: SimulatedProcess,
    called: Called,
    behaviour: Exclude<Behaviour, { kind: 'at once' }>,
    context: RunContext,
  ): Promise<void> {
    const { timeline, counts } = this.#world;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const run: Running = {
      name: called.name,
      context,
      heedsStop: behaviour.kind === 'hang' && behaviour.heedsStop === 'yes',
      end: (outcome) => {
        if (!this.#running.delete(run) || !process.isAlive()) return;
        const error = this.#ended(called, outcome);
        if (error === undefined) return resolve();
        counts.failures++;
        return reject(error);
      },
    };
    this.#running.add(run);
    if (behaviour.kind === 'later') timeline.plan(behaviour.afterMs, () => run.end(behaviour.outcome));
    else if (behaviour.kind === 'stop') timeline.plan(behaviour.afterMs, () => run.end('success'));
    else {
      counts.hangs++;
      if (run.heedsStop)
        context.signal.addEventListener('abort', () => timeline.plan(1, () => run.end('failure')));
      else if (process.state === 'stopping') timeline.plan(1000, () => run.end('success'));
    }
    return promise;
  }
}
