/**
 * Brings what tasks and calls find to the book: an axiom that broke, with its explanation; a demand that ended, with how long it was
 * open. What one past of a task in doubt finds is kept with that past (`tasks/pasts.ts`). And makes the verdict of the book.
 */
import type { Axiom } from '../axioms/axiom.ts';
import { MINUTE_MS } from '../calendar/civil-clock.ts';
import type { Enlisted } from '../calendar/valid-list.ts';
import { Compute, Workers } from '../delays/compute.ts';
import type { Delay } from '../delays/delay.ts';
import { bits, Due, DueThen } from '../logic/atoms.ts';
import { AT } from '../logic/automaton.ts';
import { type Scoped, scoped, seenOf } from '../logic/compiled.ts';
import { anywhere, type Formula } from '../logic/formula.ts';
import { type Call, Calls } from '../tasks/calls.ts';
import { leastOwed } from '../tasks/pasts.ts';
import type { TaskFindings } from '../tasks/slices.ts';
import type { Past, Task } from '../tasks/task.ts';
import { Tasks } from '../tasks/tasks.ts';
import { Explainer, inconsistent } from './explain.ts';
import type { Ledger } from './ledger.ts';
import { type AxiomVerdict, type Status, sentence, type Verdict, type Violation } from './verdict.ts';

/** A store may take this long without a record of trouble. */
const SLOW_STORE_MS = 5000;

export class Findings implements TaskFindings {
  readonly #ledger: Ledger;
  readonly #axioms: readonly Axiom[];
  readonly #ofTasks: Scoped;
  readonly #ofCalls: Scoped;
  /** Where the delays of calls and of tasks are measured. */
  readonly computeOfCalls = new Compute();
  readonly computeOfTasks = new Compute();
  readonly workers = new Workers(this.computeOfTasks);
  readonly tasks: Tasks;
  readonly calls: Calls;
  readonly explain = new Explainer();
  readonly #taskEntries: readonly { readonly shortMs: number }[];
  /** Of each demand of a task: whether it is of dues. */
  readonly #isOfDue: readonly boolean[];

  constructor(ledger: Ledger, axioms: readonly Axiom[]) {
    this.#ledger = ledger;
    this.#axioms = axioms;
    this.#ofTasks = scoped(axioms, 'task');
    this.#ofCalls = scoped(axioms, 'call');
    this.tasks = new Tasks(this.#ofTasks.automaton, this);
    this.calls = new Calls(this.#ofCalls.automaton, {
      broken: (mask, _, call, now) => this.#brokenByCall(mask, call, now),
      ended: (demand, openAt, _, call, now) => this.delayed(this.#delay(demand, call, openAt, now)),
      overlooked: () => ledger.note('L2', 'of very many calls that had not ended, the oldest are not judged'),
    });
    this.#taskEntries = this.#ofTasks.demands.map(({ id }) => ledger.entry(id));
    this.#isOfDue = this.#ofTasks.demanded.map(({ when }) => anywhere(when, (part) => part === Due));
  }

  // What is broken

  broken(mask: number, edge: number, past: Past, now: number): void {
    const { task } = past;
    // If all pasts of a task break an axiom, the first one is accused.
    if (past !== task.past || task === this.tasks.table.stranger) return;
    const { automaton, safety } = this.#ofTasks;
    const [letter, probed] = [automaton.maskOf(edge), automaton.at(edge, AT.probes)];
    const { line } = this.#ledger;
    for (const [i, axiom] of safety.entries()) {
      if (!(mask & (1 << i)) || this.#isUnreadable(past, axiom)) continue;
      const explained = this.explain.broken(axiom, task, { letter, probed, now, line });
      const violation = { axiom: axiom.id, task: task.name, at: now, blame: axiom.blame };
      this.#ledger.violate({ ...violation, ...explained });
    }
  }

  #brokenByCall(mask: number, call: Call, now: number): void {
    for (const [i, { id, blame }] of this.#ofCalls.safety.entries()) {
      if (!(mask & (1 << i))) continue;
      const explained = inconsistent(call, now, this.#ledger.line);
      this.#ledger.violate({ axiom: id, at: now, blame, ...explained });
    }
  }

  /** Whether an axiom asks when a task is due that has a schedule which the oracle cannot read. */
  #isUnreadable({ group }: Past, { id, formula }: Axiom): boolean {
    const asksForDue = (part: Formula): boolean => part === Due || part === DueThen;
    if (!group.isUnreadable || !anywhere(formula, asksForDue)) return false;
    this.#ledger.note(id, 'a task whose schedule the oracle cannot read is not judged');
    return true;
  }

  // How long it took

  ended(demand: number, openAt: number, edge: number, past: Past, now: number): void {
    const shortMs = Math.min(this.#taskEntries[demand].shortMs, this.#lagOf(demand, past));
    if (now - openAt <= shortMs || this.#isUnjudged(past)) return;
    const isStarted = (this.tasks.automaton.maskOf(edge) & bits.RS) !== 0;
    this.workers.countBusy(now);
    this.tasks.pasts.delayed(past, this.#delay(demand, past, openAt, now, isStarted));
  }

  /** The stranger owes nothing, and of a schedule that the oracle cannot read it does not know what is owed. */
  #isUnjudged({ task, group }: Past): boolean {
    return task === this.tasks.table.stranger || group.isUnreadable;
  }

  delayed(delay: Delay): void {
    this.#ledger.delayed(delay);
  }

  overlooked({ name }: Task): void {
    this.#ledger.note(
      'S1',
      `not all that may have happened to "${name}" is kept in mind, only what allows most and asks least`,
    );
  }

  owed(past: Past, now: number): readonly Delay[] {
    return this.#isUnjudged(past) ? [] : this.#open(past, past.openAt, now);
  }

  #open(what: Past | Call, openAt: readonly number[] | undefined, now: number): readonly Delay[] {
    return (openAt ?? []).flatMap((at, i) => (Number.isNaN(at) ? [] : [this.#delay(i, what, at, now)]));
  }

  /** The lag of a demand. A due is waited for no longer than it may be old (H4), or than a store may take that is in no trouble. */
  #lagOf(demand: number, { group }: Past): number {
    const { lagMs } = this.#ledger.witnesses;
    return this.#isOfDue[demand]
      ? Math.min(lagMs, Math.max(SLOW_STORE_MS, group.rules.startWithinMs ?? lagMs))
      : lagMs;
  }

  /** Another list ends the demands of tasks, so the one that is registered was so when they began. */
  #delay(demand: number, of: Past | Call, from: number, to: number, isStarted = false): Delay {
    const isTask = 'task' in of;
    const compute = isTask ? this.computeOfTasks : this.computeOfCalls;
    const lagMs = isTask ? this.#lagOf(demand, of) : this.#ledger.witnesses.lagMs;
    const budget = this.#budget(isTask ? this.tasks.registered : of.list, from);
    const axiom = (isTask ? this.#ofTasks : this.#ofCalls).demands[demand];
    const what = isTask ? of.task : of;
    const { line } = this.#ledger;
    // One literal, on the path of every late start: a spread would cost a quarter of the time.
    return { axiom, from, to, lagMs, budget, compute, what, isStarted, line, judgeAt: Number.NaN };
  }

  /** a·|⟨R, τ⟩| + b. */
  #budget(list: readonly Enlisted[], at: number): number {
    const { a, b } = this.#ledger.witnesses;
    return a === 0 ? b : a * (sizeOf(list) + 1 + Math.ceil(Math.log2(1 + Math.abs(at)))) + b;
  }

  // What is still open

  /**
   * What is owed as if the trace ended now: every demand that is open, and, for a task in doubt, what was owed before in the past that
   * owes least.
   */
  #owedAtEnd(): { readonly open: readonly Delay[]; readonly ended: readonly Delay[] } {
    const { slices, pasts } = this.tasks;
    const { now } = this.#ledger;
    this.workers.countBusy(now);
    const openOf = (past: Past): readonly Delay[] => this.owed(slices.of(past), now);
    const owing = slices.where(({ openAt }) => openAt !== undefined);
    const certain = owing.filter(({ task }) => !task.isInDoubt).flatMap(openOf);
    const least = pasts.inDoubt.map((task) => leastOwed(task, openOf));
    // A call that is open has no end yet, so no line shows it.
    const ofCalls = this.calls.open.flatMap((call) => this.#open(call, call.openAt, now));
    return {
      open: [
        ...certain,
        ...least.flatMap(({ open }) => open),
        ...ofCalls.map((call) => ({ ...call, line: 0 })),
      ],
      ended: least.flatMap(({ ended }) => ended),
    };
  }

  /** What the slice of one task says, of the axioms that are of tasks, and of WA and EA3. */
  #statusOf(name: string, settled: Ledger): Readonly<Record<string, Status>> {
    const { slices, table } = this.tasks;
    const task = table.find(name);
    if (task === undefined)
      throw new RangeError(`The trace does not speak of a task ${JSON.stringify(name)}`);
    const { openAt, seen } = slices.of(task.past);
    const { safety, demands } = this.#ofTasks;
    const open = demands.filter((_, i) => openAt !== undefined && !Number.isNaN(openAt[i]));
    const hasActed = !(Number.isNaN(task.startedAt) && Number.isNaN(task.endedAt));
    const tested = new Set([
      ...seenOf(this.#ofTasks, seen),
      ...(task.wasAsked ? ['WA'] : []),
      ...(hasActed ? ['EA3'] : []),
    ]);
    const byHand = this.#axioms.filter(({ id }) => id === 'WA' || id === 'EA3');
    const statuses = [...safety, ...demands, ...byHand].map(({ id }): [string, Status] => {
      const { violations, unkept } = settled.entry(id);
      const isViolated = violations.some((violation) => violation.task === name) || unkept.has(name);
      const isOpen = open.some((axiom) => axiom.id === id);
      return [id, statusOf({ isViolated, isOpen, isTested: tested.has(id) })];
    });
    return Object.fromEntries(statuses);
  }

  /** Everything that can be said of the trace as if it ended here. */
  verdict(
    counts: Verdict['counts'],
    unexplained: readonly Violation[],
    undecided: readonly string[],
  ): Verdict {
    const axioms = this.#axioms;
    const { open, ended } = this.#owedAtEnd();
    const settled = this.#ledger.settled([...open, ...ended], unexplained);
    const { blames, lagMs, now, witnesses } = settled;
    // EN3 is of the smallest lag that would do, and so of the trace as a whole.
    if (lagMs >= MINUTE_MS && axioms.some(({ id }) => id === 'EN3')) {
      const words = sentence`The smallest lag that would do is ${lagMs / 1000} s, which is not less than a minute`;
      settled.violate({ axiom: 'EN3', at: now, blame: 'environment', ...words, events: [] });
    }
    const owed = new Set([...open.map(({ axiom }) => axiom.id), ...undecided]);
    const tested = new Set([
      ...seenOf(this.#ofTasks, this.tasks.slices.seen),
      ...seenOf(this.#ofCalls, this.calls.seen),
      ...(counts.records > 0 ? ['WF', 'EA3'] : []),
      'EN3',
    ]);
    // Where the trace is not one of the model, what the axioms say of it may mean nothing.
    const blame = (['outside', 'scheduler', 'environment'] as const).find((one) => blames.has(one));
    return {
      conformant: !blames.has('scheduler') && !blames.has('outside'),
      blame: blame ?? 'none',
      axioms: Object.fromEntries(axioms.map((axiom) => [axiom.id, verdictOf(axiom, settled, owed, tested)])),
      witnesses,
      fitted: { a: 0, b: 0, lagMs },
      counts,
      of: (name) => this.#statusOf(name, settled),
    };
  }
}

function verdictOf(
  { id, unbreakable }: Axiom,
  settled: Ledger,
  owed: ReadonlySet<string>,
  tested: ReadonlySet<string>,
): AxiomVerdict {
  const { violations, count, isSeen, notes } = settled.entry(id);
  const noted = Array.from(notes, ([text, times]) => (times === 1 ? text : `${text} (${times} times)`));
  const why = unbreakable === undefined ? [] : [`no finite trace can break it: ${unbreakable}`];
  const status = statusOf({
    isViolated: violations.length > 0,
    isOpen: unbreakable !== undefined || owed.has(id),
    isTested: isSeen || tested.has(id),
  });
  return { status, violations, count, notes: [...noted, ...why] };
}

function statusOf(found: Readonly<Record<'isViolated' | 'isOpen' | 'isTested', boolean>>): Status {
  if (found.isViolated) return 'violated';
  if (found.isOpen) return 'undecided';
  return found.isTested ? 'holds' : 'vacuous';
}

const sizes = new WeakMap<readonly Enlisted[], number>();

/** The size of a list in bits. Many delays ask for the size of one list. */
function sizeOf(list: readonly Enlisted[]): number {
  const text = (one: Enlisted): string => `${one.name}${one.schedule.key}${one.retryDelayMs}`;
  const size = sizes.get(list) ?? list.reduce((sum, one) => sum + 8 * text(one).length, 0);
  sizes.set(list, size);
  return size;
}
