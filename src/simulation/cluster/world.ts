/**
 * A cluster in one thread: several hosts with the scheduler that ships, over a database in memory. One seed decides everything.
 *
 *     faults ──last event of the scenario──▶ healing ──calm for long enough──▶ stopping ──all have stopped──▶ over
 *
 * Two judges know nothing of each other: the book of the rules K (`rules.ts`) sees what the database grants, and the theory sees the merged
 * traces of all hosts, which name neither rows nor leases (K9).
 */
import { checkTrace } from '../../theory/check.ts';
import { mergeTraces } from '../../trace/merge/merge.ts';
import { breaks, isHopeless, playTwice } from '../frame.ts';
import { type Violation, Violations } from '../judges/violations.ts';
import { createCounts, type FaultCounts } from '../machine/counts.ts';
import { Timeline } from '../machine/timeline.ts';
import { checkSeed } from '../scenario/options.ts';
import { ClusterDatabase } from './database.ts';
import { drawClusterScenario } from './draw.ts';
import { Host } from './host.ts';
import { Recovery } from './recovery.ts';
import { ClusterRules } from './rules.ts';
import type { ClusterAction, ClusterScenario } from './scenario.ts';
import { Server } from './server.ts';
import { cutDownCluster } from './shrink.ts';

const MINUTE_MS = 60_000;
const OUTAGE_LATER_MS = 300;
const VIOLATIONS_MAX = 5;

/** What came of a world with several hosts. */
export interface ClusterReport {
  readonly violations: readonly Violation[];
  /** The traces of the hosts, one after the other: the same for the same scenario, byte for byte. */
  readonly text: string;
  readonly counts: FaultCounts;
  readonly starts: number;
  readonly events: number;
  readonly simulatedMs: number;
}

/** A world with several hosts, which can be played. */
export interface ClusterWorld {
  readonly scenario: ClusterScenario;
  /** Plays the scenario to its end, from the beginning each time. */
  run(): Promise<ClusterReport>;
}

/** The world of several instances that a seed decides, or a scenario that was kept. */
export function createClusterWorld(
  options: { readonly seed: number } | { readonly scenario: ClusterScenario },
): ClusterWorld {
  if ('seed' in options) checkSeed(options.seed);
  const scenario = 'scenario' in options ? options.scenario : drawClusterScenario(options.seed);
  return { scenario, run: () => new World(scenario).play() };
}

/** Plays a world twice. If the traces differ, something other than the scenario decides, which is a violation. */
export const runClusterTwice = (world: ClusterWorld): Promise<ClusterReport> => playTwice(world);

/** Cuts a scenario of a cluster down while it still breaks the rule; resolves to the smallest one found. */
export const shrinkCluster = (scenario: ClusterScenario, rule: string): Promise<ClusterScenario> =>
  cutDownCluster(scenario, (smaller) => breaks(createClusterWorld({ scenario: smaller }), rule));

class World {
  readonly #scenario: ClusterScenario;
  readonly #timeline: Timeline;
  readonly #violations: Violations;
  readonly #recovery: Recovery;
  readonly #server: Server;
  readonly #hosts: readonly Host[];
  readonly #counts = createCounts();
  #isOver = false;

  constructor(scenario: ClusterScenario) {
    const timeline = new Timeline(Date.parse(scenario.start));
    const violations = new Violations(timeline);
    const rules = new ClusterRules(() => timeline.now, violations.blame);
    const database = new ClusterDatabase(() => timeline.now, rules);
    const server = new Server(timeline);
    const counts = this.#counts;
    this.#scenario = scenario;
    this.#timeline = timeline;
    this.#violations = violations;
    this.#server = server;
    this.#hosts = scenario.skewsMs.map(
      (_, number) =>
        new Host({
          number,
          scenario,
          timeline,
          database,
          server,
          counts,
          called: (_host, { name, key, attempt }) => rules.called(name, key, attempt),
        }),
    );
    const { leaseMs } = scenario;
    const { blame } = violations;
    this.#recovery = new Recovery({ timeline, leaseMs, database, rules, hosts: this.#hosts, blame });
  }

  async play(): Promise<ClusterReport> {
    const timeline = this.#timeline;
    const { events, leaseMs } = this.#scenario;
    for (const [atMs, action] of events) timeline.plan(atMs, () => this.#act(action));
    const healedAt = (events.at(-1)?.[0] ?? 0) + MINUTE_MS + 5000;
    timeline.plan(healedAt, () => {
      for (const host of this.#hosts) host.heal();
    });
    // Every minute has its due, every retry its deadline, and every death its lease, twice.
    timeline.plan(healedAt + 2 * leaseMs + 130_000, () => this.#calm());
    try {
      await timeline.drive(
        () => isHopeless(timeline, this.#starts, this.#violations, VIOLATIONS_MAX) || this.#isOver,
      );
    } catch (error) {
      this.#violations.blame('F1', `something threw: ${error}`);
    }
    const text = this.#hosts.map(({ lines }) => lines.join('\n')).join('\n\n');
    const judged = this.#violations.all.length > 0 ? [] : await this.#judged();
    return {
      violations: [...this.#violations.all, ...judged],
      text,
      counts: this.#counts,
      starts: this.#starts,
      events: timeline.steps,
      simulatedMs: timeline.passed,
    };
  }

  get #starts(): number {
    return this.#hosts.reduce((sum, { starts }) => sum + starts, 0);
  }

  /** K9: what the theory says of the merged traces. */
  async #judged(): Promise<readonly Violation[]> {
    const traces = this.#hosts.filter(({ lines }) => lines.length > 0);
    if (traces.length === 0) return [];
    const lagMs = MINUTE_MS + 3 * this.#scenario.leaseMs;
    const merged = mergeTraces(traces.map(({ lines }) => [lines.map((line) => `${line}\n`).join('')]));
    const { axioms } = await checkTrace(merged, { durability: 'recorded', witnesses: { lagMs } });
    return Object.values(axioms).flatMap(({ violations }) =>
      violations.map(({ axiom, at = this.#timeline.now, because }) => ({ rule: axiom, at, because })),
    );
  }

  #act(action: ClusterAction): void {
    if (action.kind === 'outage') {
      this.#crashDatabase(action.ms);
      return;
    }
    const host = this.#hosts[action.host];
    switch (action.kind) {
      case 'start':
        host.start(action.tasks);
        break;
      case 'stop':
        host.stop();
        break;
      case 'crash':
        if (host.crash()) this.#recovery.died(action.host);
        break;
      case 'pause':
        host.pause(action.ms);
        host.disturbed();
        break;
      case 'cut':
        host.spoil((network) => network.cut(action.ms, action.lost));
        break;
      case 'slow':
        host.spoil((network) => network.slow(action.ms));
        break;
      case 'ask': {
        const { control: kind, task, catchUp = false } = action;
        host.ask({ id: `q${this.#counts.requests}`, kind, task, askedAt: host.now, catchUp });
      }
    }
  }

  /** What a list has changed when its answer is lost, nobody's trace can tell (T11): then the database crashes a little later. */
  #crashDatabase(ms: number): void {
    if (this.#hosts.some(({ isInitializing }) => isInitializing)) {
      this.#timeline.plan(OUTAGE_LATER_MS, () => this.#crashDatabase(ms));
      return;
    }
    this.#counts.outages++;
    this.#server.crash(ms);
    const disturb = (): void => {
      for (const host of this.#hosts) host.disturbed();
    };
    disturb();
    this.#timeline.plan(ms, disturb);
  }

  /** Nothing may be owed any more. */
  #calm(): void {
    this.#recovery.check();
    for (const host of this.#hosts) host.stop();
    this.#whenStopped();
  }

  #whenStopped(): void {
    const { passed } = this.#timeline;
    const isStopped = this.#hosts.every(({ isGone }) => isGone);
    if (isStopped) this.#isOver = true;
    else this.#timeline.plan(1000, () => this.#whenStopped());
    if (!isStopped && passed > this.#calmBy + 10 * MINUTE_MS) {
      this.#violations.blame('D7', 'a stop has not ended in a healed world');
      this.#isOver = true;
    }
  }

  get #calmBy(): number {
    const { events, leaseMs } = this.#scenario;
    return (events.at(-1)?.[0] ?? 0) + MINUTE_MS + 2 * leaseMs + 135_000;
  }
}
