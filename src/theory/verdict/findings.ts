/**
 * Brings what tasks and calls find to the book: an axiom that broke, with its explanation; a demand that ended, with how long it was
 * open. What one past of a task in doubt finds is kept with that past (`tasks/pasts.ts`).
 */
import type { Axiom } from '../axioms/axiom.ts';
import type { Compute, Witnesses } from '../delays/compute.ts';
import type { Workers } from '../delays/workers.ts';
import { bits, Due, DueThen } from '../logic/atoms.ts';
import { type Scoped, seenOf } from '../logic/compiled.ts';
import type { Formula } from '../logic/formula.ts';
import type { Call, CallFindings, Calls } from '../tasks/calls.ts';
import type { EquivalenceClass } from '../tasks/classes.ts';
import { STRANGER } from '../tasks/task-table.ts';
import type { TaskFindings, Tasks } from '../tasks/tasks.ts';
import type { Explainer } from './explain.ts';
import type { Delay, Ledger, Settled } from './ledger.ts';
import { judge, type Status, type Verdict, type Violation } from './verdict.ts';

/** The axioms of a scope, and where their delays are measured. */
export interface Scope extends Scoped {
  readonly compute: Compute;
}

/** What findings are made of. Tasks, calls and the explainer need the findings, so they come later. */
export interface FindingParts {
  readonly ledger: Ledger;
  readonly witnesses: Witnesses;
  readonly axioms: readonly Axiom[];
  readonly ofTasks: Scope;
  readonly ofCalls: Scope;
  readonly workers: Workers;
  readonly tasks: () => Tasks;
  readonly calls: () => Calls;
  readonly explain: () => Explainer;
}

export class Findings implements TaskFindings, CallFindings {
  readonly #parts: FindingParts;
  readonly #taskEntries: readonly { readonly shortMs: number }[];
  /** The line of the record at hand; 0 where there are no lines. */
  line = 0;
  /** The size of the list that is registered, in bits; and the size when a stop began to owe its return, where it was another. */
  #listSize = 0;
  readonly #listSizeAt = new WeakMap<Call, number>();

  constructor(parts: FindingParts) {
    this.#parts = parts;
    this.#taskEntries = parts.ofTasks.demands.map(({ id }) => parts.ledger.entry(id));
  }

  // What is broken

  broken(mask: number, edge: number, rows: readonly number[], now: number): void {
    const tasks = this.#parts.tasks();
    for (const [i, axiom] of this.#parts.ofTasks.safety.entries()) {
      if (!(mask & (1 << i))) continue;
      for (const row of rows) {
        const task = tasks.pasts.taskOf(row);
        // If all pasts of a task break an axiom, the first one is accused.
        if (row !== task || row === STRANGER || this.#isUnreadable(row, axiom)) continue;
        const explained = this.#parts.explain().broken(axiom, task, edge, now, this.line);
        const violation = { axiom: axiom.id, task: tasks.table.nameOf(task), at: now, blame: axiom.blame };
        this.#parts.ledger.violate({ ...violation, ...explained });
      }
    }
  }

  brokenByCall(mask: number, call: Call, now: number): void {
    for (const [i, { id, blame }] of this.#parts.ofCalls.safety.entries()) {
      if (!(mask & (1 << i))) continue;
      const explained = this.#parts.explain().inconsistent(call, now, this.line);
      this.#parts.ledger.violate({ axiom: id, at: now, blame, ...explained });
    }
  }

  /** Whether an axiom asks when a task is due that has a schedule which the oracle cannot read. */
  #isUnreadable(row: number, { id, formula }: Axiom): boolean {
    if (!this.#parts.tasks().groupOf(row).isUnreadable || !asksForDue(formula)) return false;
    this.#parts.ledger.note(id, 'a task whose schedule the oracle cannot read is not judged');
    return true;
  }

  // How long it took

  ended(demand: number, openAt: number, edge: number, who: number | EquivalenceClass, now: number): void {
    if (now - openAt <= this.#taskEntries[demand].shortMs) return;
    const tasks = this.#parts.tasks();
    const isStarted = (tasks.automaton.maskOf(edge) & bits.RS) !== 0;
    this.#parts.workers.countBusy(now);
    for (const row of tasks.classes.members(who)) {
      if (row === STRANGER || tasks.groupOf(row).isUnreadable) continue;
      tasks.pasts.delayed(row, this.#delay(demand, row, openAt, now, isStarted));
    }
  }

  endedByCall(demand: number, openAt: number, call: Call, now: number): void {
    this.#parts.ledger.delayed(this.#callDelay(demand, call, openAt, now, this.line));
  }

  delayed(delay: Delay): void {
    this.#parts.ledger.delayed(delay);
  }

  owed(row: number, openAt: readonly number[], now: number): readonly Delay[] {
    if (row === STRANGER || this.#parts.tasks().groupOf(row).isUnreadable) return [];
    return openAt.flatMap((at, i) => (Number.isNaN(at) ? [] : [this.#delay(i, row, at, now, false)]));
  }

  #delay(demand: number, row: number, from: number, to: number, isStarted: boolean): Delay {
    const { demands, compute } = this.#parts.ofTasks;
    const { pasts, table } = this.#parts.tasks();
    const what = pasts.taskOf(row);
    // Another list ends the demands of tasks, so this one was registered when they began.
    const budget = this.#budget(this.#listSize, from);
    // One literal, on the path of every late start: a spread would cost a quarter of the time.
    return {
      axiom: demands[demand],
      from,
      to,
      budget,
      compute,
      what,
      task: table.nameOf(what),
      isStarted,
      line: this.line,
      judgeAt: Number.NaN,
    };
  }

  #callDelay(demand: number, what: Call, from: number, to: number, line: number): Delay {
    const { demands, compute } = this.#parts.ofCalls;
    const budget = this.#budget(this.#sizeFor(what), from);
    const owed = { what, task: undefined, isStarted: false, line, judgeAt: Number.NaN };
    return { axiom: demands[demand], from, to, budget, compute, ...owed };
  }

  /** a·|⟨R, τ⟩| + b. */
  #budget(listSize: number, at: number): number {
    const { a, b } = this.#parts.witnesses;
    return a === 0 ? b : a * (listSize + 1 + Math.ceil(Math.log2(1 + Math.abs(at)))) + b;
  }

  /** Another list may be registered. What stop() has owed since before is counted by the old one. */
  listed(): void {
    if (this.#parts.witnesses.a === 0) return;
    for (const call of this.#parts.calls().open)
      if (call.openAt.some((at) => !Number.isNaN(at)) && !this.#listSizeAt.has(call))
        this.#listSizeAt.set(call, this.#listSize);
    this.#listSize = sizeOf(this.#parts.tasks().registered);
  }

  /** initialize() is granted compute for its own list (L2), stop() for the registered one (L3). */
  #sizeFor(call: Call): number {
    if (this.#parts.witnesses.a === 0) return 0;
    return call.kind === 'stop' ? (this.#listSizeAt.get(call) ?? this.#listSize) : sizeOf(call.list);
  }

  // What is still open

  /**
   * What is owed as if the trace ended now: every demand that is open, and, for a task in doubt, what was owed before in the past that
   * owes least.
   */
  #owedAtEnd(now: number): { readonly open: readonly Delay[]; readonly ended: readonly Delay[] } {
    const { classes, pasts } = this.#parts.tasks();
    this.#parts.workers.countBusy(now);
    const openOf = (row: number): readonly Delay[] => this.owed(row, classes.of(row).openAt ?? [], now);
    const rows = classes.membersOf(({ openAt }) => openAt !== undefined);
    const certain = rows.filter((row) => !pasts.isInDoubt(pasts.taskOf(row))).flatMap(openOf);
    const least = pasts.inDoubt.map((task) => pasts.least(task, openOf));
    // A call that is open has no end yet, so no line shows it.
    const ofCalls = this.#parts
      .calls()
      .open.flatMap((call) =>
        call.openAt.flatMap((at, i) => (Number.isNaN(at) ? [] : [this.#callDelay(i, call, at, now, 0)])),
      );
    return {
      open: [...certain, ...least.flatMap(({ open }) => open), ...ofCalls],
      ended: least.flatMap(({ ended }) => ended),
    };
  }

  /** What the slice of one task says, of the axioms that are of tasks, and of WA and EA3. */
  #statusOf(name: string, settled: Settled): Readonly<Record<string, Status>> {
    const { classes, table } = this.#parts.tasks();
    const task = table.find(name);
    if (task === undefined)
      throw new RangeError(`The trace does not speak of a task ${JSON.stringify(name)}`);
    const { openAt, seen } = classes.of(task);
    const { safety, demands } = this.#parts.ofTasks;
    const open = demands.filter((_, i) => openAt !== undefined && !Number.isNaN(openAt[i]));
    const hasActed = !(Number.isNaN(table.startedAt[task]) && Number.isNaN(table.endedAt[task]));
    const tested = new Set([
      ...seenOf(this.#parts.ofTasks, seen),
      ...(table.wasAsked[task] ? ['WA'] : []),
      ...(hasActed ? ['EA3'] : []),
    ]);
    const statusOf = (id: string): Status => {
      const { violations, unkept } = settled.of(id);
      if (violations.some((violation) => violation.task === name) || unkept.has(name)) return 'violated';
      if (open.some((axiom) => axiom.id === id)) return 'undecided';
      return tested.has(id) ? 'holds' : 'vacuous';
    };
    const ids = [...safety, ...demands].map(({ id }) => id);
    const byHand = this.#parts.axioms.map(({ id }) => id).filter((id) => id === 'WA' || id === 'EA3');
    return Object.fromEntries([...ids, ...byHand].map((id) => [id, statusOf(id)]));
  }

  /** Everything that can be said of the trace as if it ended here. */
  verdict(
    counts: Verdict['counts'],
    unexplained: readonly Violation[],
    undecided: readonly string[],
    now: number,
  ): Verdict {
    const { open, ended } = this.#owedAtEnd(now);
    const settled = this.#parts.ledger.settled([...open, ...ended], unexplained);
    return judge({
      axioms: this.#parts.axioms,
      settled,
      undecided: new Set([...open.map(({ axiom }) => axiom.id), ...undecided]),
      seen: new Set([
        ...seenOf(this.#parts.ofTasks, this.#parts.tasks().classes.seen),
        ...seenOf(this.#parts.ofCalls, this.#parts.calls().seen),
        ...(counts.records > 0 ? ['WF', 'EA3'] : []),
      ]),
      witnesses: this.#parts.witnesses,
      now,
      counts,
      of: (name) => this.#statusOf(name, settled),
    });
  }
}

const asksForDue = (formula: Formula): boolean => {
  if (formula === Due || formula === DueThen) return true;
  if ('of' in formula) return asksForDue(formula.of);
  return 'left' in formula && (asksForDue(formula.left) || asksForDue(formula.right));
};

const sizeOf = (list: readonly { name: string; schedule: string; retryDelayMs: number }[]): number =>
  list.reduce(
    (sum, { name, schedule, retryDelayMs }) =>
      sum + 8 * (name.length + schedule.length + String(retryDelayMs).length),
    0,
  );
