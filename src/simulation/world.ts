/**
 * A whole world in one thread: the scheduler as it ships, on a simulated clock and disk, with an environment that plays a
 * scenario: starts it, kills it, stops it, sets the clock, holds the process, spoils the disk. Everything is decided by one seed.
 *
 *     faults ──last event of the scenario──▶ healing ──calm for long enough──▶ stopping ──StopEnd──▶ over
 *
 * - *faults*: safety. Every start and every write is held against the model as it happens.
 * - *healing*: liveness. The disk works, callbacks end, nobody kills anybody; within `HEALED_WITHIN_MS` a scheduler must be
 *   active, and `CALM_MS` later nothing may be owed any more.
 * - *stopping*: what is stored must be all that is known.
 */

import { HeardEvents } from './judges/events.ts';
import { Model } from './judges/model.ts';
import { judgeTrace } from './judges/oracle.ts';
import { Evidence } from './judges/records.ts';
import { BACKOFF_MS, type Violation } from './judges/violations.ts';
import { createCounts, type FaultCounts } from './machine/counts.ts';
import { Disk } from './machine/disk.ts';
import { Host } from './machine/machine.ts';
import { Recorder, type WorldRecord } from './machine/recorder.ts';
import type { Surroundings } from './machine/surroundings.ts';
import { Timeline } from './machine/timeline.ts';
import { drawScenario } from './scenario/draw.ts';
import { checkScenario, checkSeed } from './scenario/options.ts';
import { Random } from './scenario/random.ts';
import type { Action, Scenario } from './scenario/scenario.ts';

/** How long a scheduler may take to be active again once the world has healed. */
export const HEALED_WITHIN_MS = 300_000;
/** How long after that nothing may be owed any more: a clock step is noticed within a minute, a backoff is over in ten seconds. */
export const CALM_MS = 130_000;
/** Far more than any world needs that is not wedged. */
const EVENTS_MAX = 1_000_000;
const VIOLATIONS_MAX = 10;
/** A step of the wall clock is noticed at the latest when the scheduler wakes by itself. */
const NOTICED_WITHIN_MS = 61_000;
const MINUTE_MS = 60_000;
/** How long a start may take by the theory; and where a store refuses one in five of tasks that are due every minute. */
const LAG_MS = 60_000;
const UNGRANTED_LAG_MS = 900_000;

/** What came of a world. */
export interface WorldReport {
  /** Which axioms of the theory this world put to the test. */
  readonly tested: readonly string[];
  readonly violations: readonly Violation[];
  readonly trace: readonly WorldRecord[];
  /** The trace as JSON Lines: the same for the same scenario, byte for byte. */
  readonly text: string;
  readonly counts: FaultCounts;
  readonly starts: number;
  /** How many events there were, and how much time passed. */
  readonly events: number;
  readonly simulatedMs: number;
  /** How often the first process called a port, until the world was healed. */
  readonly portCalls: number;
}

/** A world that can be played. */
export interface SimulatedWorld {
  readonly scenario: Scenario;
  /** Plays the scenario to its end, from the beginning each time. */
  run(): Promise<WorldReport>;
}

/** The world of a seed, or of a scenario that was kept. */
export function createWorld(
  options: { readonly seed: number } | { readonly scenario: Scenario },
): SimulatedWorld {
  const scenario = scenarioOf(options);
  return { scenario, run: () => new World(scenario).play() };
}

/** A mistake here would be played as another world than was meant. */
function scenarioOf(options: { readonly seed: number } | { readonly scenario: Scenario }): Scenario {
  if (typeof options !== 'object' || options === null || !('seed' in options || 'scenario' in options))
    throw new TypeError('createWorld takes { seed: 42 } or { scenario }');
  if ('scenario' in options) {
    checkScenario(options.scenario);
    return options.scenario;
  }
  checkSeed(options.seed);
  return drawScenario(options.seed);
}

/** Runs a world twice: the second time proves that nothing but the scenario decides. */
export async function runTwice(world: SimulatedWorld): Promise<WorldReport> {
  const first = await world.run();
  const second = await world.run();
  if (first.text === second.text) return first;
  const lines = second.text.split('\n');
  const differs = first.text.split('\n').findIndex((line, index) => line !== lines[index]);
  const at = first.trace[differs]?.at ?? 0;
  const because = `line ${differs + 1} of the trace is not the same in the second run: ${lines[differs]}`;
  return { ...first, violations: [...first.violations, { rule: 'determinism', at, because }] };
}

/** How long a start may take when nothing is the matter: a few writes, and those of the batches before it. */
function boundOf({ disk, sizes, events }: Scenario): number {
  const most = Math.max(0, ...events.map(([, action]) => ('tasks' in action && action.tasks?.length) || 0));
  const batches = sizes === undefined ? 0 : Math.ceil(most / sizes.batch);
  return (4 + 4 * batches) * disk.latencyMs + 50;
}

class World {
  readonly #world: Surroundings;
  readonly #host: Host;
  #phase: 'faults' | 'healing' | 'stopping' | 'over' = 'faults';
  #healedAt = 0;
  #portCalls = 0;

  constructor(scenario: Scenario) {
    const random = new Random(scenario.seed);
    const timeline = new Timeline(Date.parse(scenario.start));
    const disk = new Disk(timeline, random.fork('disk'), scenario.disk);
    const model = new Model(timeline, scenario.workers, boundOf(scenario));
    const recorder = new Recorder((because) => model.blame('trace', because));
    const blame = (rule: string, because: string): void => model.blame(rule, because);
    const evidence = new Evidence(timeline, blame);
    const heard = new HeardEvents(
      timeline,
      scenario.listener === 'none' ? 'nobody listens' : 'listens',
      blame,
    );
    const counts = createCounts();
    this.#world = { scenario, random, timeline, disk, model, recorder, evidence, heard, counts };
    this.#host = new Host(this.#world, (error) => this.#stopped(error));
  }

  async play(): Promise<WorldReport> {
    const { scenario, timeline, model, disk, recorder, counts } = this.#world;
    const { events } = scenario;
    for (const [atMs, action] of events) timeline.plan(atMs, () => this.#act(action));
    timeline.plan((events.at(-1)?.[0] ?? 0) + 1, () => this.#heal());
    try {
      await timeline.drive(() => this.#isOver());
      model.checkStored(await disk.records());
    } catch (error) {
      model.blame('F1', `the scheduler threw, or what it stored cannot be read: ${error}`);
    }
    // Of a start that the store does not grant a trace knows nothing: it is tried again when the task comes due again.
    const usualMs = scenario.disk.ungrantedPerMille === undefined ? LAG_MS : UNGRANTED_LAG_MS;
    // A stop may take its last write, and closing the store, each for so long (D7).
    const lagMs = Math.max(usualMs, 2 * scenario.finalWriteMs + 1000);
    const judged = judgeTrace(recorder.records, lagMs);
    return {
      violations: [...model.violations, ...judged.violations],
      tested: judged.tested,
      trace: recorder.records,
      text: recorder.text(),
      counts: { ...counts, ...disk.counts },
      starts: model.starts,
      events: timeline.steps,
      simulatedMs: timeline.passed,
      portCalls: this.#portCalls,
    };
  }

  /** A world that has gone wrong need not go on for long, and one that never comes to rest has gone wrong. */
  #isOver(): boolean {
    const { timeline, model } = this.#world;
    if (timeline.steps > EVENTS_MAX) {
      model.blame('A7', `after ${EVENTS_MAX} events the world has not come to its end`);
      return true;
    }
    return this.#phase === 'over' || model.violations.length >= VIOLATIONS_MAX;
  }

  #act(action: Action): void {
    const { model, counts, disk } = this.#world;
    model.checkPrompt();
    switch (action.kind) {
      case 'start':
        this.#host.start(action.tasks, action.flaw);
        break;
      case 'crash':
        this.#host.crash(action);
        break;
      case 'crash at call':
        this.#host.doom(action);
        break;
      case 'stop':
        this.#host.stop(this.#host.process);
        break;
      case 'step':
        counts.steps++;
        this.#setClock(this.#stepOf(action));
        break;
      case 'freeze':
        this.#freeze(action.ms, action.how);
        break;
      case 'trouble':
        counts.troubles++;
        model.perturbed(action.ms + BACKOFF_MS);
        disk.trouble(action.trouble, action.ms);
        break;
      case 'rival':
        counts.intruders++;
        disk.hold(action.ms);
        break;
      case 'intrude':
        this.#host.intrude();
    }
  }

  /** By how much the clock is to be set. A step is judged as if it had been right after the scheduler's last look (B5). */
  #stepOf({ byMs, landing, offsetMs = 0 }: Extract<Action, { kind: 'step' }>): number {
    const { timeline, model, evidence } = this.#world;
    const { now, passed } = timeline;
    if (landing === 'at a minute') return Math.ceil((now + byMs) / MINUTE_MS) * MINUTE_MS + offsetMs - now;
    const cursor = landing === 'before a cursor' ? model.someCursor : undefined;
    return cursor === undefined ? byMs : cursor + offsetMs + (passed - evidence.lookedAt) - now;
  }

  /** Nobody but an active scheduler looks for steps; any other is told of by the world. */
  #setClock(byMs: number): void {
    const { timeline, model, recorder, evidence } = this.#world;
    const from = timeline.now;
    timeline.step(byMs);
    evidence.clockSet(byMs);
    model.perturbed(NOTICED_WITHIN_MS);
    model.clockSet(byMs);
    recorder.clockWasSet(byMs);
    const to = timeline.now;
    if (model.isActive) recorder.clockIsUnseen(byMs);
    else if (this.#host.process !== undefined) recorder.write({ event: 'ClockStep', at: to, from, to });
  }

  #freeze(ms: number, how: 'held' | 'asleep'): void {
    const { timeline, model, recorder, counts } = this.#world;
    counts.freezes++;
    const from = recorder.told(timeline.now);
    if (how === 'held') timeline.burn(ms);
    else this.#setClock(ms);
    model.perturbed(0);
    const to = recorder.told(timeline.now);
    // To an active scheduler sleep is a step of the clock.
    if (this.#host.process !== undefined && to > from) recorder.write({ event: 'Frozen', at: to, from, to });
  }

  #stopped(error: Error | undefined): void {
    if (this.#phase !== 'stopping') return;
    if (error !== undefined) this.#world.model.blame('D7', `stop failed in a healed world: ${error.message}`);
    this.#phase = 'over';
  }

  #heal(): void {
    const { model, timeline, disk } = this.#world;
    model.checkPrompt();
    this.#phase = 'healing';
    this.#healedAt = timeline.passed;
    this.#portCalls = this.#host.portCalls;
    disk.heal();
    this.#host.heal();
    this.#tick();
  }

  /** Looks once a second how far the world has recovered. */
  #tick(): void {
    if (this.#phase !== 'healing') return;
    const { timeline, model } = this.#world;
    this.#host.revive();
    const { activeSince } = this.#host;
    if (activeSince !== undefined && timeline.passed >= Math.max(activeSince, this.#healedAt) + CALM_MS) {
      model.checkPrompt();
      this.#phase = 'stopping';
      this.#host.stop(this.#host.process);
    } else if (timeline.passed > this.#healedAt + HEALED_WITHIN_MS + CALM_MS) {
      model.blame('L1', 'the scheduler did not recover in a healed world');
      this.#phase = 'over';
    } else timeline.plan(1000, () => this.#tick());
  }
}
