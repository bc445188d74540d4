/**
 * The state of every past of every task, without a visit to each of them.
 *
 * A past is in some state of the automaton, and its demands (L1 and the like) are open since some instant, or not. Pasts with the
 * same schedule that agree in all of this have the same future under events that concern every past. They are kept as one
 * *equivalence class*: an initialization, a stop, a crash or a minute moves classes, of which there are few, and not pasts, of which
 * there are many. An event of one past takes its past out of one class and puts it into another.
 *
 * - A past points to a class. When two classes come to agree, the younger one points to the older one from then on, and every past
 *   that pointed to the younger finds the way (and shortens it). A chain leads to ever older classes, so it cannot grow for ever.
 * - A class is *unsettled* if its state would change at a position where it sees nothing (a `Y` looks one position back). An
 *   unsettled class moves with the next position, whatever that is. All others can be left alone until something concerns them.
 */
import { bits } from '../logic/atoms.ts';
import { AT, type Automaton, type Slice } from '../logic/automaton.ts';
import { ScheduleGroup } from './schedule-groups.ts';
import type { Past, TaskTable } from './task.ts';
import type { TaskFindings } from './tasks.ts';

/** What a past was when it was taken out: its class goes on without it. */
export interface Taken extends Slice {
  readonly group: ScheduleGroup;
  /** Which axioms the past has put to the test: a bit each. */
  readonly seen: number;
}

/** What the pasts of a class have in common; and its place among the others. */
export interface EquivalenceClass extends Taken {
  state: number;
  openAt: readonly number[] | undefined;
  seen: number;
  pasts: number;
  readonly born: number;
  parent: EquivalenceClass | undefined;
  /** The next class of its group with the same state. */
  next: EquivalenceClass | undefined;
  isUnsettled: boolean;
}

const empty = { pasts: 0, parent: undefined, next: undefined, isUnsettled: false };

/** Where a past is between `take` and `put`, and where a past is that exists no more. */
export const nowhere: EquivalenceClass = {
  group: new ScheduleGroup(undefined),
  state: 0,
  openAt: undefined,
  seen: 0,
  born: -1,
  ...empty,
};

export class Classes {
  readonly automaton: Automaton;
  readonly #findings: TaskFindings;
  readonly #table: TaskTable;
  readonly #silent: number;
  readonly #minute: number;
  readonly #unsettled: EquivalenceClass[] = [];
  /** Groups in which something has changed; and of the others, those that a minute would change. */
  readonly #changed: ScheduleGroup[] = [];
  readonly #restless = new Set<ScheduleGroup>();
  #born = 0;
  /** Which safety axioms have been put to the test. */
  seen = 0;

  constructor(automaton: Automaton, findings: TaskFindings, table: TaskTable) {
    this.automaton = automaton;
    this.#findings = findings;
    this.#table = table;
    this.#silent = automaton.letter(0);
    this.#minute = automaton.letter(bits.MinuteStart);
  }

  of(past: Past): EquivalenceClass {
    const { kind } = past;
    if (kind.parent === undefined) return kind;
    let root = kind.parent;
    while (root.parent !== undefined) root = root.parent;
    // The next question finds it at once.
    for (let at = kind; at.parent !== undefined && at.parent !== root; ) {
      const { parent } = at;
      at.parent = root;
      at = parent;
    }
    past.kind = root;
    return root;
  }

  /** One past sees a letter; no other sees anything. Answers what the probes say of it. */
  own(past: Past, letter: number, now: number): number {
    const from = this.take(past);
    const edge = this.automaton.edge(from.state, letter);
    if (this.#unsettled.length > 0) this.settle(now);
    this.move(past, from, edge, now, from.group);
    return this.automaton.at(edge, AT.probes);
  }

  /** Takes a past out. It must be put back, or moved on; between the two, others may be moved. */
  take(past: Past): Taken {
    const kind = this.of(past);
    const { group, state, openAt, seen } = kind;
    kind.pasts--;
    this.#change(group);
    // A class without demands is often entered again at once, by runs that end as they begin. `all` removes it later.
    if (kind.pasts === 0 && openAt !== undefined) this.#detach(kind);
    past.kind = nowhere;
    return { group, state, openAt, seen };
  }

  /** Puts a past somewhere, without a position. */
  put(past: Past, to: Taken): void {
    this.#change(to.group);
    let kind = find(to);
    if (kind === undefined) {
      kind = { ...to, born: this.#born++, ...empty };
      this.#insert(kind);
    }
    kind.pasts++;
    past.kind = kind;
  }

  /** Puts a past into another group, as it is. */
  regroup(past: Past, group: ScheduleGroup): void {
    this.put(past, { ...this.take(past), group });
  }

  /** Moves a past that was taken along an edge, and into a group. */
  move(past: Past, from: Taken, edge: number, now: number, group: ScheduleGroup): void {
    this.put(past, this.#after(from, edge, now, group));
    this.#report(past, from, edge, now);
  }

  #after({ openAt, seen }: Taken, edge: number, now: number, group: ScheduleGroup): Taken {
    const { automaton } = this;
    const open = automaton.openAfter(edge, openAt, now);
    return {
      group,
      state: automaton.at(edge, AT.target),
      openAt: open,
      seen: seen | automaton.at(edge, AT.seen),
    };
  }

  /** What an edge breaks, for a past or for all of a class, and which demands it ends. */
  #report(who: Past | EquivalenceClass, { openAt }: Taken, edge: number, now: number): void {
    const { automaton } = this;
    this.seen |= automaton.at(edge, AT.seen);
    const broken = automaton.at(edge, AT.broken);
    if (broken !== 0) this.#findings.broken(broken, edge, this.members(who), now);
    if (openAt === undefined) return;
    for (let i = 0; i < openAt.length; i++)
      if (automaton.ends(edge, i, openAt)) this.#findings.ended(i, openAt[i], edge, who, now);
  }

  /** All pasts of these groups see the letter of their group; a class that is unsettled elsewhere sees nothing. */
  all(letterOf: ReadonlyMap<ScheduleGroup, number>, now: number): void {
    const letters = new Map<EquivalenceClass, number>();
    for (const [group, letter] of letterOf) {
      for (const kind of group.classes) {
        if (kind.pasts === 0) this.#detach(kind);
        else letters.set(kind, letter);
      }
      this.#change(group);
    }
    for (const kind of this.#unsettled.splice(0)) {
      kind.isUnsettled = false;
      if (!kind.group.classes.has(kind) || letters.has(kind)) continue;
      this.#change(kind.group);
      if (kind.pasts === 0) this.#detach(kind);
      else letters.set(kind, this.#silent);
    }
    this.#step(letters, now);
  }

  /** All classes move at once: no class may be merged into one that has still to move. */
  #step(letters: ReadonlyMap<EquivalenceClass, number>, now: number): void {
    const moved = new Map<EquivalenceClass, Taken>();
    for (const [kind, letter] of letters) {
      const edge = this.automaton.edge(kind.state, letter);
      this.#report(kind, kind, edge, now);
      const to = this.#after(kind, edge, now, kind.group);
      if (!isAlike(kind, to)) moved.set(kind, to);
    }
    for (const kind of moved.keys()) this.#detach(kind);
    for (const [kind, { state, openAt, seen }] of moved) {
      kind.state = state;
      kind.openAt = openAt;
      kind.seen = seen;
      this.#attach(kind);
    }
    for (const kind of letters.keys()) if (kind.group.classes.has(kind)) this.#watch(kind);
  }

  /** The groups in which the start of a minute would change something. */
  get restless(): ReadonlySet<ScheduleGroup> {
    for (const group of this.#changed) {
      group.isChanged = false;
      let isRestless = false;
      for (const kind of group.classes)
        isRestless ||= kind.pasts > 0 && (kind.isUnsettled || !this.automaton.isIdle(kind, this.#minute));
      if (isRestless) this.#restless.add(group);
      else this.#restless.delete(group);
    }
    this.#changed.length = 0;
    return this.#restless;
  }

  /** Whether only the last of many such letters would matter to a group. */
  isSteady({ classes }: ScheduleGroup, letters: readonly number[]): boolean {
    return [...classes].every(
      (kind) => kind.pasts === 0 || (!kind.isUnsettled && this.automaton.isSteady(kind, letters)),
    );
  }

  /** A position at which no past sees anything. */
  settle(now: number): void {
    this.all(new Map(), now);
  }

  /** The pasts of a class: for rare questions only, it looks at all pasts. */
  members(who: Past | EquivalenceClass): readonly Past[] {
    return 'task' in who ? [who] : this.membersOf((kind) => kind === who);
  }

  membersOf(isWanted: (kind: EquivalenceClass) => boolean): readonly Past[] {
    return this.#table.all.flatMap(({ pasts }) => pasts.filter((past) => isWanted(this.of(past))));
  }

  #change(group: ScheduleGroup): void {
    if (group.isChanged) return;
    group.isChanged = true;
    this.#changed.push(group);
  }

  #insert(kind: EquivalenceClass): void {
    const { classes, byState } = kind.group;
    classes.add(kind);
    kind.next = byState[kind.state];
    byState[kind.state] = kind;
    this.#watch(kind);
  }

  #watch(kind: EquivalenceClass): void {
    if (kind.isUnsettled || this.automaton.isIdle(kind, this.#silent)) return;
    kind.isUnsettled = true;
    this.#unsettled.push(kind);
  }

  #detach(kind: EquivalenceClass): void {
    const { classes, byState } = kind.group;
    classes.delete(kind);
    let before = byState[kind.state];
    if (before === kind) byState[kind.state] = kind.next;
    while (before !== undefined && before.next !== kind) before = before.next;
    if (before !== undefined) before.next = kind.next;
    kind.next = undefined;
  }

  /** Where a class comes to agree with another, the older one stays. */
  #attach(kind: EquivalenceClass): void {
    const other = find(kind);
    const [older, younger] = other === undefined || kind.born < other.born ? [kind, other] : [other, kind];
    if (younger !== undefined) {
      older.pasts += younger.pasts;
      younger.pasts = 0;
      younger.parent = older;
    }
    if (older !== kind) return;
    if (other !== undefined) this.#detach(other);
    this.#insert(kind);
  }
}

function find(wanted: Taken): EquivalenceClass | undefined {
  let kind = wanted.group.byState[wanted.state];
  while (kind !== undefined && !isAlike(kind, wanted)) kind = kind.next;
  return kind;
}

function isAlike(a: Taken, b: Taken): boolean {
  if (a.state !== b.state || a.seen !== b.seen) return false;
  if (a.openAt === undefined || b.openAt === undefined) return a.openAt === b.openAt;
  return a.openAt.every((value, i) => Object.is(value, b.openAt?.[i]));
}
