/**
 * A whole world in one thread: the scheduler that ships, on a simulated clock and disk. A scenario starts it, kills it, stops it,
 * sets its clock, holds its process, spoils its disk. One seed decides everything.
 *
 *     faults ──last event of the scenario──▶ healing ──calm for long enough──▶ stopping ──StopEnd──▶ over
 *
 * - *faults*: safety. The judges check every start and every write when it happens.
 * - *healing*: liveness. The disk works, callbacks end, no process is killed. A scheduler must be active within
 *   `HEALED_WITHIN_MS`, and `CALM_MS` later nothing may be owed any more.
 * - *stopping*: the store must hold all that the scheduler knows.
 */
import { breaks, isHopeless, playTwice } from './frame.ts';
import { EventsJudge } from './judges/events.ts';
import { type Notify, notifyAll } from './judges/judge.ts';
import { LifecycleJudge } from './judges/lifecycle.ts';
import { Model } from './judges/model.ts';
import { judgeTrace } from './judges/oracle.ts';
import { RecordsJudge } from './judges/records.ts';
import { type Violation, Violations } from './judges/violations.ts';
import { act } from './machine/actions.ts';
import type { FaultCounts } from './machine/counts.ts';
import { LOCK_POLL_MS } from './machine/disk.ts';
import { Machine } from './machine/machine.ts';
import type { WorldRecord } from './machine/recorder.ts';
import { Timeline } from './machine/timeline.ts';
import { drawScenario } from './scenario/draw.ts';
import { checkScenario, checkSeed } from './scenario/options.ts';
import type { Action, Scenario } from './scenario/scenario.ts';
import { cutDown } from './scenario/shrink.ts';

/** How long a scheduler may take to be active again once the world has healed. */
export const HEALED_WITHIN_MS = 300_000;
/**
 * How long after that nothing may be owed any more: a clock step is noticed within a minute, a backoff is over in ten seconds.
 */
export const CALM_MS = 130_000;
const VIOLATIONS_MAX = 10;
/**
 * How long a start may take by the theory; and how long if the store refuses one start in five of tasks that are due every
 * minute.
 */
const LAG_MS = 60_000;
const UNGRANTED_LAG_MS = 900_000;

/** What came of a world. */
export interface WorldReport {
  /** The axioms of the theory that this world put to the test. */
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
  /** How often the first process called a port before the world was healed. */
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

/** Refuses mistakes: with a wrong option, another world would be played than was meant. */
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

/** Plays a world twice. If the two traces differ, something other than the scenario decides, which is a violation. */
export const runTwice = (world: SimulatedWorld): Promise<WorldReport> => playTwice(world);

/** Cuts a scenario down while it still breaks the rule; resolves to the smallest one found. */
export const shrink = (scenario: Scenario, rule: string): Promise<Scenario> =>
  cutDown(scenario, (smaller) => breaks(createWorld({ scenario: smaller }), rule));

/** How long a start may take while nothing delays it: a few writes, and those of the batches before it. */
function boundOf({ disk, sizes, events }: Scenario): number {
  const most = Math.max(0, ...events.map(([, action]) => ('tasks' in action && action.tasks?.length) || 0));
  const batches = sizes === undefined ? 0 : Math.ceil(most / sizes.batch);
  return (4 + 4 * batches) * disk.latencyMs + 50;
}

class World {
  readonly #scenario: Scenario;
  readonly #timeline: Timeline;
  readonly #machine: Machine;
  readonly #violations: Violations;
  readonly #model: Model;
  readonly #notify: Notify;
  #phase: 'faults' | 'healing' | 'stopping' | 'over' = 'faults';
  #healedAt = 0;
  #portCalls = 0;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    const timeline = new Timeline(Date.parse(scenario.start));
    const violations = new Violations(timeline);
    const { blame } = violations;
    const model = new Model(timeline, blame, scenario.workers, boundOf(scenario));
    this.#timeline = timeline;
    this.#violations = violations;
    this.#model = model;
    this.#notify = notifyAll([
      new RecordsJudge(timeline, blame, model),
      ...(scenario.listener === 'none' ? [] : [new EventsJudge(timeline, blame, model)]),
      model,
      new LifecycleJudge(timeline, blame, scenario, LOCK_POLL_MS),
    ]);
    this.#machine = new Machine(scenario, timeline, this.#notify, (error) => this.#stopped(error));
  }

  async play(): Promise<WorldReport> {
    const timeline = this.#timeline;
    const { events, disk, finalWriteMs } = this.#scenario;
    for (const [atMs, action] of events) timeline.plan(atMs, () => this.#act(action));
    timeline.plan((events.at(-1)?.[0] ?? 0) + 1, () => this.#heal());
    try {
      await timeline.drive(
        () =>
          isHopeless(timeline, this.#machine.starts, this.#violations, VIOLATIONS_MAX) ||
          this.#phase === 'over',
      );
      await this.#machine.inspectStore();
    } catch (error) {
      this.#violations.blame('F1', `the scheduler threw, or what it stored cannot be read: ${error}`);
    }
    // The trace does not show that the store refused a start; the task is tried again when it comes due again.
    const usualMs = disk.ungrantedPerMille === undefined ? LAG_MS : UNGRANTED_LAG_MS;
    // A stop may take this long for its last write, and once more to close the store (D7).
    const lagMs = Math.max(usualMs, 2 * finalWriteMs + 1000);
    const { recorder, counts, starts } = this.#machine;
    const judged = judgeTrace(recorder.records, lagMs);
    return {
      violations: [...this.#violations.all, ...judged.violations],
      tested: judged.tested,
      trace: recorder.records,
      text: recorder.text(),
      counts,
      starts,
      events: timeline.steps,
      simulatedMs: timeline.passed,
      portCalls: this.#portCalls,
    };
  }

  #act(action: Action): void {
    this.#notify('beforeNextAction');
    act(this.#machine, this.#timeline, action, () => this.#model.someCursor);
  }

  #stopped(error: Error | undefined): void {
    if (this.#phase !== 'stopping') return;
    if (error !== undefined) this.#violations.blame('D7', `stop failed in a healed world: ${error.message}`);
    this.#phase = 'over';
  }

  #heal(): void {
    this.#notify('beforeNextAction');
    this.#phase = 'healing';
    this.#healedAt = this.#timeline.passed;
    this.#portCalls = this.#machine.portCalls;
    this.#machine.heal();
    this.#tick();
  }

  /** Looks once per second how far the world has recovered. */
  #tick(): void {
    if (this.#phase !== 'healing') return;
    const { passed } = this.#timeline;
    this.#machine.revive();
    const { activeSince } = this.#machine;
    if (activeSince !== undefined && passed >= Math.max(activeSince, this.#healedAt) + CALM_MS) {
      this.#notify('beforeNextAction');
      this.#notify('worldIsCalm');
      this.#phase = 'stopping';
      this.#machine.stop(this.#machine.process);
    } else if (passed > this.#healedAt + HEALED_WITHIN_MS + CALM_MS) {
      this.#violations.blame('L1', 'the scheduler did not recover in a healed world');
      this.#phase = 'over';
    } else this.#timeline.plan(1000, () => this.#tick());
  }
}
