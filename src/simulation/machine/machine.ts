/**
 * The machine on which one process after the other lives: begins them, hands them their lists, stops them, and sees them die.
 *
 *     no process ──start──▶ process ──initialize──▶ initializing ──▶ active ──stop──▶ stopping ──▶ nobody ──start──▶ …
 *         ▲                                  └─ failed: tried again later ─┘                          │
 *         └── dies, from anywhere, and another one is begun when its downtime is over; or leaves ─────┘
 */
import { SchedulerAlreadyActiveError } from '../../errors.ts';
import type { SchedulerEvent } from '../../scheduler/index.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import { Waits } from '../judges/lifecycle.ts';
import type { Action, Flaw, NextLife, TaskPlan } from '../scenario/scenario.ts';
import { flawed } from './flaws.ts';
import { SimulatedProcess } from './process.ts';
import { Runs } from './runs.ts';
import type { Surroundings } from './surroundings.ts';

type Doom = Extract<Action, { kind: 'crash at call' }>;

/** One for all: to make one costs more than to hear of an event. */
const LISTENER_FAILED = new Error('a listener that throws, on purpose');

export class Host {
  process: SimulatedProcess | undefined;
  /** Since when a scheduler has been active, by the clock that does not step. */
  activeSince: number | undefined;
  readonly #world: Surroundings;
  readonly #runs: Runs;
  readonly #waits: Waits;
  /** A stop has come to its end. */
  readonly #stopped: (error: Error | undefined) => void;
  #tasks: readonly TaskPlan[] = [];
  #next: NextLife = { downMs: 0 };
  /** When the next process is to die. */
  #doom: Doom | undefined;
  #first: SimulatedProcess | undefined;
  /** What the wall clock showed at the end of the last process, and how much time had passed. */
  #end: { readonly wall: number; readonly passed: number } | undefined;
  #boots = 0;

  constructor(world: Surroundings, stopped: (error: Error | undefined) => void) {
    this.#world = world;
    this.#runs = new Runs(world, (process) => this.stop(process));
    this.#stopped = stopped;
    this.#waits = new Waits(world);
  }

  /** How often the first process has called its ports. */
  get portCalls(): number {
    return this.#first?.calls ?? 0;
  }

  start(tasks: readonly TaskPlan[], flaw?: Flaw): void {
    if (flaw === undefined) this.#tasks = tasks;
    const { process } = this;
    if (process?.state === 'nobody' && this.#world.random.fork('reboot', this.#boots).percent(50))
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

  /** Nobody is killed any more, and every callback ends. */
  heal(): void {
    this.#doom = undefined;
    this.process?.pardon();
    this.#runs.heal();
  }

  /** Sees to it that a scheduler is on its way, with the list that was valid last. */
  revive(): void {
    if (this.process === undefined) this.start(this.#tasks);
    else if (this.process.state === 'nobody') this.#initialize(this.process, this.#tasks);
  }

  stop(process: SimulatedProcess | undefined): void {
    if (process === undefined) return;
    const { model, counts } = this.#world;
    counts.stops++;
    if (process.state === 'active' || process.state === 'initializing') {
      process.state = 'stopping';
      this.#waits.stopCalled();
    }
    model.stopCalled();
    const ended = (error?: Error): void => {
      if (!process.isAlive()) return;
      this.activeSince = undefined;
      this.#waits.stopEnded(this.#runs.lastEndAt);
      process.state = 'nobody';
      // A second stop has nothing to do, and makes nothing durable.
      process.couldNotStop ||= error !== undefined;
      if (error !== undefined) this.#stopFailed(process, error);
      this.#stopped(error);
    };
    process.scheduler.stop().then(() => ended(), ended);
    this.#runs.stopping();
  }

  /** A second scheduler tries the same store: it must be refused, and the first must not notice. */
  intrude(): void {
    const { model, counts, timeline, disk, scenario } = this.#world;
    if (!model.isActive) return;
    counts.intruders++;
    const wrong = (): void => model.blame('E6', 'a second scheduler wrote to the store');
    const watcher = { commitCalled: wrong, durable: wrong, failed() {}, answered() {} };
    const intruder: SimulatedProcess = new SimulatedProcess({
      timeline,
      options: { timeZone: scenario.timeZone },
      store: (isAlive) => disk.storeFor(watcher, () => isAlive() && model.isActive),
      trace() {},
      looked() {},
      compared() {},
      died() {},
    });
    intruder.scheduler.initialize([['intruder', '* * * * *', wrong, 1000]]).then(wrong, () => intruder.die());
  }

  #boot(): SimulatedProcess {
    const { scenario, timeline, disk, model, recorder, evidence } = this.#world;
    this.#boots++;
    this.#recordDowntime();
    const { workers, finalWriteMs } = scenario;
    const timeZone = this.#next.timeZone ?? scenario.timeZone;
    const process: SimulatedProcess = new SimulatedProcess({
      timeline,
      options: {
        timeZone,
        finalWriteMs,
        ...(workers === 0 ? {} : { workers }),
        ...(scenario.lockWaitMs === undefined ? {} : { lockWaitMs: scenario.lockWaitMs }),
        ...(scenario.listener === 'none' ? {} : { onEvent: (event) => this.#heard(process, event) }),
      },
      sizes: scenario.sizes,
      store: (isAlive) =>
        disk.storeFor(
          {
            commitCalled: (batch) => {
              evidence.commitCalled(batch);
              model.commitCalled(batch);
            },
            durable: (batch, refused) => {
              evidence.durable(batch, refused, (name) => model.runOf(name));
              model.durable(batch, refused);
            },
            answered: (request) => evidence.answered(request),
            failed: () => {
              process.storeFailures++;
              model.storeFailed();
            },
          },
          isAlive,
        ),
      trace: (record) => this.#traced(record),
      looked: (now) => model.reading(now),
      compared: () => {
        recorder.clockIsSeen();
        evidence.lookedAt = timeline.passed;
      },
      died: () => this.#died(),
    });
    this.process = process;
    this.#first ??= process;
    if (this.#doom !== undefined) process.doom(this.#doom.calls, this.#doom.when);
    this.#doom = undefined;
    // What the process will find is looked at before it does.
    void disk.records().then((records) => model.checkStored(records));
    return process;
  }

  #initialize(process: SimulatedProcess, tasks: readonly TaskPlan[], flaw?: Flaw): void {
    const { model, counts, timeline, evidence } = this.#world;
    const { state } = process;
    const wasIdle = state === 'nobody';
    const isValid = wasIdle && flaw === undefined;
    if (isValid) {
      process.state = 'initializing';
      this.#waits.initCalled();
      process.hasReturned = false;
      process.storeFailures = 0;
      model.initCalled(tasks, process.timeZone);
      evidence.initCalled();
    } else if (flaw !== undefined) counts.flaws++;
    const list = tasks.map((task) => this.#runs.registration(process, task));
    process.scheduler.initialize(flaw === undefined ? list : flawed(list, flaw)).then(
      () => {
        if (!process.isAlive()) return;
        process.hasReturned = true;
        this.#waits.initEnded();
        process.couldNotStop = false;
        if (!isValid) model.blame(wasIdle ? 'D3' : 'D4', 'initialize succeeded and should not have');
        if (process.state !== 'initializing') return;
        process.state = 'active';
        this.activeSince = timeline.passed;
      },
      (error: Error) => {
        if (!process.isAlive()) return;
        if (isValid) this.#initFailed(process, error);
        else if (!wasIdle && !isAlreadyActive(error, state === 'active' ? 'running' : state))
          model.blame('D4', `initialize while ${state} was rejected with ${error.name}: ${error.message}`);
      },
    );
  }

  #initFailed(process: SimulatedProcess, error: Error): void {
    const { model, counts, random, timeline } = this.#world;
    counts.failedInitializations++;
    model.initFailed();
    this.#waits.initEnded(error);
    if (process.storeFailures === 0)
      model.blame('S5', `initialize failed without a reason: ${error.name} ${error.message}`);
    // If a stop waits for it, there is nothing to stop, and the end of the stop is told all the same.
    if (process.state === 'initializing') process.state = 'nobody';
    const chance = random.fork('again', counts.failedInitializations);
    timeline.plan(chance.spread(500, 20_000), () => {
      if (process === this.process && process.state === 'nobody') this.#initialize(process, this.#tasks);
    });
  }

  #stopFailed(process: SimulatedProcess, error: Error): void {
    const { model, counts, disk } = this.#world;
    counts.failedStops++;
    if (process.storeFailures === 0 && !disk.wasTroubled && !this.#waits.wasHeld)
      model.blame('D7', `stop failed without a reason: ${error.message}`);
  }

  #traced(record: WrittenRecord): void {
    const { model, recorder, evidence, heard } = this.#world;
    evidence.told(record);
    heard.traced(record, model.isActive);
    recorder.write(record);
    if (record.event === 'InitSuccess') model.initSucceeded(record);
    else if (record.event === 'StopStart') model.stopStarted();
    else if (record.event === 'StopEnd') model.stopEnded(record.error === undefined ? 'stopped' : 'failed');
    else if (record.event === 'ClockStep') model.clockStepped(record);
  }

  /** A listener may throw: that is nobody's affair but its own (G4). */
  #heard(process: SimulatedProcess, event: SchedulerEvent): void {
    if (!process.isAlive()) return;
    const { heard, model, scenario } = this.#world;
    heard.heard(event, model.isActive, model.plan);
    if (scenario.listener === 'throws') throw LISTENER_FAILED;
  }

  #died(): void {
    const { counts, timeline, recorder } = this.#world;
    counts.crashes++;
    counts.cutOff += this.#runs.cutOff();
    const wall = recorder.clockAtDeath(timeline.now);
    this.#recordShutdown();
    this.#bury(wall);
    const { downMs, tasks = this.#tasks } = this.#next;
    timeline.plan(downMs, () => {
      if (this.process === undefined) this.start(tasks);
    });
  }

  /** The process ends by itself, after a stop. If that stop failed, what it could not write is lost with it, as in a crash. */
  #leave(process: SimulatedProcess): void {
    if (process.couldNotStop) this.#recordShutdown();
    process.leave();
    this.#runs.cutOff();
    this.#bury(this.#world.timeline.now);
  }

  /** `wall` is what its clock showed, as far as its trace knows: a step that it had not seen is told with those of its downtime. */
  #bury(wall: number): void {
    const { timeline, disk, model, evidence, heard } = this.#world;
    this.process = undefined;
    evidence.died();
    this.#waits.died();
    heard.died();
    this.activeSince = undefined;
    disk.crash();
    model.died();
    this.#end = { wall, passed: timeline.passed };
  }

  /** As the recorder of the next process would: right after the last record, which is all that is left of this one. */
  #recordShutdown(): void {
    const { recorder, timeline } = this.#world;
    recorder.write({ event: 'UnexpectedShutdown', at: recorder.last?.at ?? timeline.now });
  }

  /** Nobody computed while there was no process; and if the clock was set meanwhile, nobody saw it. */
  #recordDowntime(): void {
    if (this.#end === undefined) return;
    const { timeline, recorder } = this.#world;
    const to = this.#end.wall + (timeline.passed - this.#end.passed);
    const from = Math.min(recorder.last?.at ?? to, to);
    const { now } = timeline;
    this.#end = undefined;
    recorder.write({ event: 'Frozen', at: to, from, to });
    if (now !== to) recorder.write({ event: 'ClockStep', at: now, from: to, to: now });
  }
}

const isAlreadyActive = (error: Error, state: string): boolean =>
  error instanceof SchedulerAlreadyActiveError && error.details.currentState === state;
