/** Brings what tasks and calls have broken, and how long what they were owed took, before the ledger. */
import type { Axiom } from '../axioms/axiom.ts';
import { scheduleKey } from '../calendar/valid-list.ts';
import type { Compute, Witnesses } from '../delays/compute.ts';
import type { Workers } from '../delays/workers.ts';
import { type Scoped, seenOf } from '../logic/parts.ts';
import type { Call, Calls } from '../tasks/calls.ts';
import type { Klass } from '../tasks/classes.ts';
import type { Durability } from '../tasks/durability.ts';
import type { Enlisted, Population } from '../tasks/population.ts';
import type { DemandEnd, Explainer } from './explain.ts';
import type { Delay, Ledger } from './ledger.ts';
import type { Status } from './verdict.ts';

/** The first task of a population is nobody in particular. */
const NOBODY = 0;

/** The position at which something is said. */
export interface Here {
  readonly now: number;
  /** 0 where there are no lines. */
  readonly line: number;
}

export interface AccuserPorts {
  readonly witnesses: Witnesses;
  readonly axioms: readonly Axiom[];
  readonly ofTasks: Scoped;
  readonly ofCalls: Scoped;
  readonly population: Population;
  readonly calls: Calls;
  readonly ledger: Ledger;
  readonly explain: Explainer;
  readonly durability: Durability;
  readonly workers: Workers;
  /** For L2 and L3; and, with the time in which no worker was free, for demands of tasks. */
  readonly compute: Compute;
  readonly computeOfTasks: Compute;
}

/** A demand that is open, as if it ended now. */
export interface Open {
  readonly delay: Delay;
  readonly compute: Compute;
}

export class Accuser {
  readonly #ports: AccuserPorts;
  /** The letters of the list that is registered; and of the one that was when stop() began to owe its return, if it is another. */
  #letters = 0;
  readonly #lettersAt = new WeakMap<Call, number>();

  constructor(ports: AccuserPorts) {
    this.#ports = ports;
  }

  brokenByTasks(mask: number, edge: number, tasks: readonly number[], { now, line }: Here): void {
    const { ofTasks, population, ledger, explain } = this.#ports;
    for (const [i, axiom] of ofTasks.safety.entries()) {
      if (!(mask & (1 << i))) continue;
      for (const task of tasks) {
        if (task === NOBODY) continue;
        ledger.violate({
          axiom: axiom.id,
          task: population.names[task],
          at: now,
          blame: axiom.blame,
          ...explain.broken(axiom, task, edge, now, line),
        });
      }
    }
  }

  brokenByCall(mask: number, call: Call, { now, line }: Here): void {
    const { ofCalls, ledger, explain } = this.#ports;
    for (const [i, axiom] of ofCalls.safety.entries())
      if (mask & (1 << i))
        ledger.violate({
          axiom: axiom.id,
          at: now,
          blame: axiom.blame,
          ...explain.inconsistent(call, now, line),
        });
  }

  /** Whether it is worth telling that a demand of tasks, open since then, ends now. */
  isNews(demand: number, openAt: number, now: number): boolean {
    const { ledger, ofTasks } = this.#ports;
    return !ledger.isNothingNew(ofTasks.demands[demand], openAt, now);
  }

  closedByTasks(demand: number, openAt: number, who: number | Klass, now: number, end: DemandEnd): void {
    const { ofTasks, population, ledger, workers, computeOfTasks } = this.#ports;
    const axiom = ofTasks.demands[demand];
    workers.countBusy(now);
    if (typeof who === 'number') ledger.ended(this.#delay(axiom, who, openAt, now, end), computeOfTasks);
    else
      for (const task of population.slices.members(who))
        if (task !== NOBODY) ledger.ended(this.#delay(axiom, task, openAt, now, end), computeOfTasks);
  }

  closedByCall(demand: number, openAt: number, call: Call, here: Here): void {
    const { ofCalls, ledger, compute } = this.#ports;
    ledger.ended(this.#callDelay(ofCalls.demands[demand], call, openAt, here), compute);
  }

  #delay(axiom: Axiom, task: number, from: number, to: number, end: DemandEnd): Delay {
    const { population, explain } = this.#ports;
    const name = population.names[task];
    const violation = () => ({ task: name, at: to, ...explain.late(task, from, to, end) });
    // Another list ends the demands of tasks, so this one was registered when they began.
    return { axiom, from, to, budget: this.#budget(this.#letters, from), task: name, violation };
  }

  #callDelay(axiom: Axiom, call: Call, from: number, { now, line }: Here): Delay {
    const { explain } = this.#ports;
    const violation = () => ({ at: now, ...explain.lateCall(call, from, now, line) });
    return { axiom, from, to: now, budget: this.#budget(this.#lettersOf(call), from), violation };
  }

  /** a·|⟨R, τ⟩| + b. */
  #budget(letters: number, at: number): number {
    const { a, b } = this.#ports.witnesses;
    return a === 0 ? b : a * (8 * letters + 1 + Math.ceil(Math.log2(1 + Math.abs(at)))) + b;
  }

  /** A list may have been taken over. What stop() has owed since before is counted by the old one. */
  listed(): void {
    const { witnesses, population, calls } = this.#ports;
    if (witnesses.a === 0) return;
    for (const call of calls.open)
      if (call.openAt.some((at) => !Number.isNaN(at)) && !this.#lettersAt.has(call))
        this.#lettersAt.set(call, this.#letters);
    this.#letters = lettersOf(population.registered);
  }

  /** initialize() is granted compute for its own list (L2), stop() for the registered one (L3). */
  #lettersOf(call: Call): number {
    const { kind, registrations, timeZone } = call;
    if (this.#ports.witnesses.a === 0) return 0;
    if (kind === 'stop') return this.#lettersAt.get(call) ?? this.#letters;
    return lettersOf(
      registrations.map(({ name, cron }) => ({ name, schedule: scheduleKey(cron, timeZone) })),
    );
  }

  /** From when, and until when, somebody may ask how much work could be done. */
  *instants(): Generator<number> {
    const { population, calls, ledger } = this.#ports;
    for (const group of population.groups) for (const { openAt } of group.classes) yield* openAt ?? [];
    for (const { openAt } of calls.open) yield* openAt;
    yield* ledger.instants();
  }

  /** Every demand that is open. */
  open(now: number): readonly Open[] {
    this.#ports.workers.countBusy(now);
    return [...this.#openOfTasks(now), ...this.#openOfCalls(now)];
  }

  *#openOfTasks(now: number): Generator<Open> {
    const { population, ofTasks, computeOfTasks: compute } = this.#ports;
    for (const group of population.groups)
      for (const klass of group.classes) {
        if (klass.openAt === undefined || klass.tasks === 0) continue;
        const tasks = population.slices.members(klass).filter((task) => task !== NOBODY);
        for (const [i, at] of klass.openAt.entries()) {
          if (Number.isNaN(at)) continue;
          for (const task of tasks)
            yield { delay: this.#delay(ofTasks.demands[i], task, at, now, { by: 'other' }), compute };
        }
      }
  }

  *#openOfCalls(now: number): Generator<Open> {
    const { calls, ofCalls, compute } = this.#ports;
    // It has not ended, so no line shows it.
    for (const call of calls.open)
      for (const [i, at] of call.openAt.entries())
        if (!Number.isNaN(at))
          yield { delay: this.#callDelay(ofCalls.demands[i], call, at, { now, line: 0 }), compute };
  }

  /** What the slice of one task says: of the axioms that are of tasks, and of those whose violations name one. */
  statusOf(name: string, isBrokenBy: (axiom: string, task: string) => boolean): Record<string, Status> {
    const { axioms, population, ofTasks } = this.#ports;
    const task = population.find(name);
    if (task === undefined)
      throw new RangeError(`The trace does not speak of a task ${JSON.stringify(name)}`);
    const { openAt, seen } = population.slices.of(task);
    const tested = new Set(seenOf(ofTasks, seen));
    const open = new Set(
      ofTasks.demands.filter((_, i) => openAt !== undefined && !Number.isNaN(openAt[i])).map(({ id }) => id),
    );
    const asked = new Set([...ofTasks.safety, ...ofTasks.demands].map(({ id }) => id));
    const statuses = axioms.flatMap(({ id }): [string, Status][] => {
      const wasTested = asked.has(id) ? tested.has(id) : this.#wasTestedByHand(id, task);
      if (wasTested === undefined) return [];
      if (isBrokenBy(id, name)) return [[id, 'violated']];
      return [[id, open.has(id) ? 'undecided' : wasTested ? 'holds' : 'vacuous']];
    });
    return Object.fromEntries(statuses);
  }

  /** Whether a task has tested an axiom that no automaton steps; undefined where the axiom is not of tasks. */
  #wasTestedByHand(axiom: string, task: number): boolean | undefined {
    const { explain, durability } = this.#ports;
    if (axiom === 'WA') return durability.wasAsked(task);
    return axiom === 'EA3' ? explain.hasActed(task) : undefined;
  }
}

const lettersOf = (list: readonly Enlisted[]): number =>
  list.reduce((sum, { name, schedule }) => sum + name.length + schedule.length, 0);
