/**
 * The machine on which one process after another lives. It begins processes, hands them their lists, stops them and kills them.
 * It reports everything that happens to the judges, and never asks them anything (`judges/judge.ts`).
 *
 *     no process ──start──▶ process ──initialize──▶ initializing ──▶ active ──stop──▶ stopping ──▶ idle ──start──▶ …
 *         ▲                                  └─ failed: tried again later ─┘                         │
 *         └── dies, from anywhere, and the next begins when its downtime is over; or leaves ─────────┘
 */
import type { Registration, SchedulerEvent, Task } from '../../scheduler/index.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import type { Notify } from '../judges/judge.ts';
import { Random } from '../scenario/random.ts';
import type { Action, Flaw, NextLife, Scenario, TaskPlan } from '../scenario/scenario.ts';
import { createCounts, type FaultCounts } from './counts.ts';
import { Disk } from './disk.ts';
import { Environment } from './environment.ts';
import { flawed } from './flaws.ts';
import type { MachineParts } from './parts.ts';
import { SimulatedProcess } from './process.ts';
import { Recorder } from './recorder.ts';
import { Runs } from './runs.ts';
import type { Timeline } from './timeline.ts';

type Doom = Extract<Action, { kind: 'crash at call' }>;

/** One error for all events: it costs more to make one than to hear an event. */
const LISTENER_FAILED = new Error('a listener that throws, on purpose');

export class Machine {
  process: SimulatedProcess | undefined;
  /** Since when a scheduler has been active, in `passed`. */
  activeSince: number | undefined;
  /** When the scheduler last compared its wall clock with the one that does not step, in `passed`. */
  comparedAt = 0;
  readonly environment: Environment;
  readonly #parts: MachineParts;
  readonly #disk: Disk;
  readonly #runs: Runs;
  /** Called when a stop has ended. */
  readonly #stopped: (error: Error | undefined) => void;
  #tasks: readonly TaskPlan[] = [];
  #next: NextLife = { downMs: 0 };
  /** When the next process is to die. */
  #doom: Doom | undefined;
  #first: SimulatedProcess | undefined;
  #boots = 0;

  constructor(
    scenario: Scenario,
    timeline: Timeline,
    notify: Notify,
    stopped: (error: Error | undefined) => void,
  ) {
    const random = new Random(scenario.seed);
    const recorder = new Recorder(timeline, (because) => notify('traceDisordered', because));
    this.#parts = { scenario, random, timeline, recorder, counts: createCounts(), notify };
    this.#disk = new Disk(timeline, random.fork('disk'), scenario.disk);
    this.environment = new Environment(this.#parts, this.#disk, () => this.process);
    this.#runs = new Runs(this.#parts, {
      stop: (process) => this.stop(process),
      trouble: (kind, ms) => this.environment.trouble(kind, ms),
    });
    this.#stopped = stopped;
  }

  get recorder(): Recorder {
    return this.#parts.recorder;
  }

  get counts(): FaultCounts {
    return { ...this.#parts.counts, ...this.#disk.counts };
  }

  /** How many callbacks have been called. */
  get starts(): number {
    return this.#runs.starts;
  }

  /** How often the first process has called its ports. */
  get portCalls(): number {
    return this.#first?.calls ?? 0;
  }

  start(tasks: readonly TaskPlan[], flaw?: Flaw): void {
    if (flaw === undefined) this.#tasks = tasks;
    const { process } = this;
    if (process?.state === 'idle' && this.#parts.random.fork('reboot', this.#boots).percent(50))
      this.#leave(process);
    this.#initialize(this.process ?? this.#boot(), tasks, flaw);
  }

  crash(next: NextLife): void {
    this.#next = next;
    this.process?.die();
  }

  doom(doom: Doom): void {
    this.#next = doom;
    if (this.process === undefined) this.#doom = doom;
    else this.process.doom(doom.calls, doom.when);
  }

  /** From here on the disk works, no process is killed, and every callback ends. */
  heal(): void {
    this.#disk.heal();
    this.#doom = undefined;
    this.process?.pardon();
    this.#runs.heal();
  }

  /** Starts a scheduler with the last valid list, unless one is on its way. */
  revive(): void {
    if (this.process === undefined) this.start(this.#tasks);
    else if (this.process.state === 'idle') this.#initialize(this.process, this.#tasks);
  }

  stop(process: SimulatedProcess | undefined): void {
    if (process === undefined) return;
    const { notify, counts } = this.#parts;
    counts.stops++;
    if (process.state === 'active' || process.state === 'initializing') {
      process.state = 'stopping';
      notify('stopCalled');
    }
    const ended = (error?: Error): void => {
      if (!process.isAlive()) return;
      this.activeSince = undefined;
      process.state = 'idle';
      // A second stop has nothing to do, and makes nothing durable.
      process.couldNotStop ||= error !== undefined;
      if (error !== undefined) counts.failedStops++;
      notify('stopReturned', error);
      this.#stopped(error);
    };
    process.scheduler.stop().then(() => ended(), ended);
    notify('stopBegun');
    this.#runs.stopping();
  }

  /** An operator asks for something (I1). */
  ask({ control: kind, task, catchUp = false }: Extract<Action, { kind: 'ask' }>): void {
    const { notify, timeline, counts } = this.#parts;
    const request = { id: `r${++counts.requests}`, kind, task, askedAt: timeline.now, catchUp };
    notify('requestAsked', request);
    this.#disk.ask(request);
  }

  /** Reports what lies on the disk. */
  async inspectStore(): Promise<void> {
    this.#parts.notify('storeInspected', await this.#disk.records(), await this.#disk.past());
  }

  #boot(): SimulatedProcess {
    const { scenario, timeline, notify, recorder } = this.#parts;
    this.#boots++;
    recorder.begins();
    const { workers, finalWriteMs, lockWaitMs, listener } = scenario;
    const process: SimulatedProcess = new SimulatedProcess({
      timeline,
      options: {
        timeZone: this.#next.timeZone ?? scenario.timeZone,
        finalWrite: finalWriteMs,
        ...(scenario.reload === true ? { reload: true } : {}),
        ...(workers === 0 ? {} : { workers }),
        ...(lockWaitMs === undefined ? {} : { lockWait: lockWaitMs }),
        ...(listener === 'none' ? {} : { onEvent: (event) => this.#heard(process, event) }),
      },
      sizes: scenario.sizes,
      store: (isAlive) => this.#disk.storeFor(notify, isAlive),
      trace: (record) => this.#recorded(process, record),
      clockRead: (now) => notify('clockRead', now),
      clocksCompared: () => {
        recorder.clockSeen();
        this.comparedAt = timeline.passed;
      },
      died: () => this.#died(),
    });
    this.process = process;
    this.#first ??= process;
    if (this.#doom !== undefined) process.doom(this.#doom.calls, this.#doom.when);
    this.#doom = undefined;
    // Before the process reads it.
    void this.inspectStore();
    return process;
  }

  #initialize(process: SimulatedProcess, tasks: readonly TaskPlan[], flaw?: Flaw): void {
    const { notify, counts, scenario } = this.#parts;
    const { state } = process;
    const list = tasks.map((task) => this.#runs.registration(process, task));
    if (flaw === undefined && scenario.reload === true && state !== 'stopping' && state !== 'idle')
      return void this.#reload(process, list);
    if (flaw !== undefined || state !== 'idle') {
      if (flaw !== undefined) counts.flaws++;
      const returned = (error?: Error): void => {
        if (process.isAlive()) notify('wrongInitializeReturned', state, error);
      };
      const wrong = flaw === undefined ? list : flawed(list, flaw);
      return void process.scheduler.initialize(wrong).then(() => returned(), returned);
    }
    process.state = 'initializing';
    process.hasSucceeded = false;
    notify('initializeCalled', tasks, process.timeZone);
    process.scheduler.initialize(list).then(
      () => this.#initialized(process),
      (error: Error) => this.#initFailed(process, error),
    );
  }

  /** One list after the other (I5). A list that fails leaves the one before it in force. */
  #reload(process: SimulatedProcess, list: ReadonlyArray<Registration | Task>): void {
    if (process.state !== 'active' || process.isReloading) return;
    const { notify, counts } = this.#parts;
    counts.reloads++;
    process.isReloading = true;
    notify('reloadCalled');
    const ended = (): void => {
      process.isReloading = false;
      if (process.isAlive()) notify('reloadReturned');
    };
    process.scheduler.initialize(list).then(ended, ended);
  }

  #initialized(process: SimulatedProcess): void {
    const { notify, timeline } = this.#parts;
    if (!process.isAlive()) return;
    process.couldNotStop = false;
    notify('initializeReturned', undefined);
    if (process.state !== 'initializing') return;
    process.state = 'active';
    this.activeSince = timeline.passed;
  }

  #initFailed(process: SimulatedProcess, error: Error): void {
    const { notify, counts, random, timeline } = this.#parts;
    if (!process.isAlive()) return;
    counts.failedInitializations++;
    notify('initializeReturned', error);
    // If a stop waits for it, there is nothing to stop, and that stop still has to return.
    if (process.state === 'initializing') process.state = 'idle';
    const chance = random.fork('again', counts.failedInitializations);
    timeline.plan(chance.spread(500, 20_000), () => {
      if (process === this.process && process.state === 'idle') this.#initialize(process, this.#tasks);
    });
  }

  #recorded(process: SimulatedProcess, record: WrittenRecord): void {
    const { notify, recorder } = this.#parts;
    if (record.event === 'InitSuccess') process.hasSucceeded = true;
    recorder.write(record);
    notify('recorded', record);
  }

  /** A listener may throw, and that must not matter to the scheduler (G4). */
  #heard(process: SimulatedProcess, event: SchedulerEvent): void {
    if (!process.isAlive()) return;
    const { notify, scenario } = this.#parts;
    notify('eventHeard', event);
    if (scenario.listener === 'throws') throw LISTENER_FAILED;
  }

  #died(): void {
    const { counts, timeline, recorder } = this.#parts;
    counts.crashes++;
    counts.cutOff += this.#runs.cutOff();
    recorder.crashed();
    this.#ended();
    const { downMs, tasks = this.#tasks } = this.#next;
    timeline.plan(downMs, () => {
      if (this.process === undefined) this.start(tasks);
    });
  }

  /** The process ends by itself, after a stop. */
  #leave(process: SimulatedProcess): void {
    this.#parts.recorder.left(process.couldNotStop ? 'failed' : 'stopped');
    process.leave();
    this.#runs.cutOff();
    this.#ended();
  }

  #ended(): void {
    this.process = undefined;
    this.activeSince = undefined;
    this.#parts.notify('processDied');
    this.#disk.crash();
  }
}
