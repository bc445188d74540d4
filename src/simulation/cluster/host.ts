/**
 * A host of a cluster: one process after the other, each with the real scheduler, a clock that is off, and a network of its own.
 *
 *     no process ──start──▶ process ──initialize──▶ running ──stop──▶ no process
 *         ▲                    │ pause ◀──▶ goes on     │
 *         └──────crash─────────┴───────────────────────┘
 *
 * A process that is paused does nothing: timers, answers and callbacks wait until it goes on, and then come in their order. Its clock that
 * nobody sets goes on meanwhile, and so do the requests that it has sent. A process that has died does nothing any more.
 */
import type { ControlRequest } from '../../core/control.ts';
import { createSizedScheduler, type RunContext, SIZES } from '../../scheduler/index.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import type { FaultCounts } from '../machine/counts.ts';
import { registrationOf } from '../machine/task-object.ts';
import type { Timeline } from '../machine/timeline.ts';
import { Random } from '../scenario/random.ts';
import { behave } from './callback.ts';
import type { ClusterDatabase } from './database.ts';
import { connect } from './memory-cluster.ts';
import { Network, type NetworkHost } from './network.ts';
import { clockOf, type PlanFor, type Process } from './process.ts';
import { type ClusterScenario, type ClusterTask, cronOf } from './scenario.ts';
import type { Server } from './server.ts';

export interface HostParts {
  readonly number: number;
  readonly scenario: ClusterScenario;
  readonly timeline: Timeline;
  readonly database: ClusterDatabase;
  readonly server: Server;
  readonly counts: FaultCounts;
  /** A callback is called. */
  called(host: Host, context: RunContext): void;
}

const RETRY_MS = 1500;

export class Host {
  /** The trace of all its processes. */
  readonly lines: string[] = [];
  tasks: readonly ClusterTask[] = [];
  isWanted = false;
  isInitializing = false;
  /** When something last kept it from its work, or changed it, in `passed`; while it is paused, the end of that. */
  disturbedAt = 0;
  starts = 0;
  readonly #parts: HostParts;
  readonly #network: Network;
  readonly #random: Random;
  #process: Process | undefined;
  #instances = 0;
  #pausedUntil = 0;
  #waiting: Array<() => void> = [];
  #lastAt = 0;
  #isHealed = false;

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.#random = new Random(parts.scenario.seed).fork('host', parts.number);
    this.#network = new Network({ ...parts, random: this.#random.fork('network') });
  }

  get isGone(): boolean {
    return this.#process === undefined;
  }

  get isActive(): boolean {
    return this.#process?.isActive === true;
  }

  /** What its clock shows. */
  get now(): number {
    return this.#parts.timeline.now + this.#parts.scenario.skewsMs[this.#parts.number];
  }

  disturbed(): void {
    this.disturbedAt = Math.max(this.#parts.timeline.passed, this.#pausedUntil);
  }

  start(tasks: readonly ClusterTask[]): void {
    this.tasks = tasks;
    this.isWanted = true;
    this.disturbed();
    if (this.#process?.isActive) this.#parts.counts.reloads++;
    this.#process ??= this.#boot();
    this.#initialize(this.#process);
  }

  stop(): void {
    const process = this.#process;
    this.isWanted = false;
    this.disturbed();
    if (process === undefined) return;
    this.#parts.counts.stops++;
    process.isActive = false;
    const ended = (): void => {
      process.isAlive = false;
      if (this.#process === process) this.#process = undefined;
      this.disturbed();
      if (this.isWanted) this.start(this.tasks);
    };
    process.scheduler.stop().then(ended, ended);
  }

  /** Answers whether a process has died: not while its list is being changed, since nobody's trace can tell what that has changed (T11). */
  crash(): boolean {
    const process = this.#process;
    if (process === undefined || this.isInitializing) return false;
    this.#parts.counts.crashes++;
    process.isAlive = false;
    process.isActive = false;
    this.#process = undefined;
    this.#waiting = [];
    this.isWanted = false;
    this.disturbed();
    this.#write({ event: 'UnexpectedShutdown', at: this.#lastAt });
    return true;
  }

  pause(ms: number): void {
    const { timeline, counts } = this.#parts;
    const from = this.now;
    if (this.#process === undefined || timeline.passed < this.#pausedUntil) return;
    counts.freezes++;
    this.#pausedUntil = timeline.passed + ms;
    timeline.plan(ms, () => this.#goOn(from));
  }

  #goOn(from: number): void {
    this.#pausedUntil = 0;
    this.disturbed();
    if (this.#process !== undefined) this.#write({ event: 'Frozen', at: this.now, from, to: this.now });
    for (const run of this.#waiting.splice(0)) this.#parts.timeline.plan(0, run);
  }

  /** An operator asks for something, from here. */
  ask(request: ControlRequest): void {
    const { counts, database } = this.#parts;
    counts.requests++;
    // Whether it was heard, the operator finds out by asking for the answer.
    this.#network.send(this, 'operators', () => database.ask(request)).catch(() => {});
  }

  /** Something happens to its network. */
  spoil(how: (network: Network) => void): void {
    this.#parts.counts.troubles++;
    how(this.#network);
  }

  /** From here on messages arrive, and callbacks end soon and well. */
  heal(): void {
    this.#isHealed = true;
    this.#network.heal();
    if (this.isWanted && this.#process === undefined) this.start(this.tasks);
  }

  plan(afterMs: number, run: () => void): void {
    this.#plan(this.#process, afterMs, run);
  }

  /**
   * For a process, whichever is there by now. What one has asked for before it died must not be answered under the life of the next one: it
   * would live on, and renew its lease. What is cancelled is no event: an engine sets its timer anew in each turn.
   */
  #plan(process: Process | undefined, afterMs: number, run: () => void): { cancel(): void } {
    let isCancelled = false;
    const happen = (): void => {
      if (isCancelled || process?.isAlive !== true) return;
      if (this.#parts.timeline.passed < this.#pausedUntil) this.#waiting.push(happen);
      else run();
    };
    const planned = this.#parts.timeline.plan(afterMs, happen);
    const cancel = (): void => {
      isCancelled = true;
      planned.cancel();
    };
    return { cancel };
  }

  #boot(): Process {
    const { number, database, scenario, timeline } = this.#parts;
    const plan: PlanFor = (afterMs, run) => this.#plan(process, afterMs, run);
    const clock = clockOf(
      plan,
      () => this.now,
      () => timeline.passed,
    );
    const link = this.#network.link(clock, () => this.#sender(plan));
    const process: Process = {
      isAlive: true,
      isActive: false,
      scheduler: createSizedScheduler(
        {
          store: connect({ database, link, leaseMs: scenario.leaseMs }),
          clock,
          timeZone: 'UTC',
          reload: true,
          logger: false,
          trace: (record) => {
            if (process.isAlive) this.#write(record);
          },
        },
        { ...SIZES, nameInstance: () => `h${number}i${++this.#instances}`, spread: () => 0 },
      ),
    };
    return process;
  }

  #sender(plan: PlanFor): NetworkHost {
    return { isInitializing: this.isInitializing, plan, disturbed: () => this.disturbed() };
  }

  #initialize(process: Process): void {
    const list = this.tasks;
    const call = (context: RunContext): Promise<void> => this.#call(process, context);
    const registrations = list.map((task) => registrationOf({ ...task, cron: cronOf(task) }, call));
    this.isInitializing = true;
    process.scheduler.initialize(registrations).then(
      () => {
        if (!process.isAlive) return;
        process.isActive = this.isWanted;
        this.isInitializing = false;
        this.disturbed();
      },
      () => {
        if (!process.isAlive) return;
        this.isInitializing = false;
        this.#parts.counts.failedInitializations++;
        this.disturbed();
        this.plan(RETRY_MS, () => {
          if (this.isWanted && this.tasks === list && !this.isInitializing) this.#initialize(process);
        });
      },
    );
  }

  #call(process: Process, context: RunContext): Promise<void> {
    const { scenario, counts } = this.#parts;
    this.#parts.called(this, context);
    const chance = this.#random.fork('callback', ++this.starts);
    const mix = this.#isHealed ? { long: 0, failing: 0 } : scenario;
    return behave(context, mix, chance, (afterMs, run) => void this.#plan(process, afterMs, run), counts);
  }

  #write(record: WrittenRecord): void {
    this.#lastAt = record.at;
    this.lines.push(JSON.stringify(record));
  }
}
