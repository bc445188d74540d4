/**
 * The state of every past of every past, without a visit to each of them.
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
import type { Automaton } from '../logic/automaton.ts';

export class Group {
  readonly key: string;
  readonly classes: EquivalenceClass[] = [];
  /** By state, the classes without an open demand: nearly all. Several may differ in what they have tested; this is the first. */
  readonly withoutDemand: (EquivalenceClass | undefined)[] = [];
  /** Whether a class has changed since the last question which groups are restless. */
  isChanged = false;

  constructor(key: string) {
    this.key = key;
  }

  get isEmpty(): boolean {
    return this.classes.every(({ pasts }) => pasts === 0);
  }
}

export class EquivalenceClass {
  group: Group;
  readonly born: number;
  state: number;
  /** Since when each demand is open; NaN where it is not. Undefined where none is. */
  openAt: readonly number[] | undefined;
  /** Which axioms each of its pasts has put to the test: a bit each. */
  seen: number;
  pasts = 0;
  parent: EquivalenceClass | undefined;
  /** The next class of its group and state without an open demand. */
  next: EquivalenceClass | undefined;
  place = -1;
  isUnsettled = false;

  constructor(group: Group, { state, openAt, seen }: Common, born: number) {
    this.group = group;
    this.state = state;
    this.openAt = openAt;
    this.seen = seen;
    this.born = born;
  }

  /** Whether a letter would change nothing in it. */
  isIdle(automaton: Automaton, letter: number): boolean {
    return automaton.isIdle(this.state, this.#open, letter);
  }

  /** Whether only the last of many such letters would matter. */
  isSteady(automaton: Automaton, letters: readonly number[]): boolean {
    return !this.isUnsettled && automaton.isSteady(this.state, this.#open, letters);
  }

  get #open(): number {
    let open = 0;
    this.openAt?.forEach((at, i) => {
      if (!Number.isNaN(at)) open |= 1 << i;
    });
    return open;
  }
}

/** What the pasts of a class have in common. */
type Common = Pick<EquivalenceClass, 'state' | 'openAt' | 'seen'>;

/** What a past was when it was taken out: its class goes on without it. */
export type Taken = Common & Pick<EquivalenceClass, 'group'>;

/** Where a past is between `take` and `put`, and where a past is that exists no more. */
const nowhere = new EquivalenceClass(new Group(''), { state: -1, openAt: undefined, seen: 0 }, -1);

/** Hears what the classes find. */
export interface Findings {
  /** A safety axiom breaks at this edge, for these pasts. */
  broken(mask: number, edge: number, pasts: readonly number[], now: number): void;
  /** Whether a delay of a demand is too short to be worth a word. */
  isShort(demand: number, delayMs: number): boolean;
  /** A demand that was open since then has ended at this edge, for a past or for all of a class. */
  ended(demand: number, openAt: number, edge: number, who: number | EquivalenceClass, now: number): void;
}

export class Classes {
  readonly automaton: Automaton;
  readonly #findings: Findings;
  readonly #silent: number;
  readonly #classOf: EquivalenceClass[] = [];
  readonly #unsettled: EquivalenceClass[] = [];
  /** Groups in which something has changed; and of the others, those that a minute would change. */
  readonly #changed: Group[] = [];
  readonly #restless = new Set<Group>();
  #born = 0;
  /** Which safety axioms have been put to the test. */
  seen = 0;

  constructor(automaton: Automaton, findings: Findings) {
    this.automaton = automaton;
    this.#findings = findings;
    this.#silent = automaton.letter(0);
  }

  /** Whether a past exists here. */
  has(past: number): boolean {
    return past < this.#classOf.length && this.#classOf[past] !== nowhere;
  }

  /** The class that a past is in now. */
  of(past: number): EquivalenceClass {
    const kind = this.#classOf[past];
    if (kind.parent === undefined) return kind;
    const root = this.#rootOf(kind);
    this.#classOf[past] = root;
    return root;
  }

  #rootOf(kind: EquivalenceClass): EquivalenceClass {
    let root = kind;
    while (root.parent !== undefined) root = root.parent;
    for (let at = kind; at.parent !== undefined && at.parent !== root; ) {
      const { parent } = at;
      at.parent = root;
      at = parent;
    }
    return root;
  }

  /** One past sees a letter; no other sees anything. Returns the edge that it took. */
  own(past: number, letter: number, now: number): number {
    const from = this.of(past);
    const edge = this.automaton.edge(from.state, letter);
    if (this.#unsettled.length > 0) {
      const taken = this.take(past);
      this.settle(now);
      this.move(past, taken, edge, now, taken.group);
    } else {
      this.#leave(from);
      this.#arrive(past, from, edge, now, from.group);
    }
    return edge;
  }

  /** Takes a past out. It must be put back, or moved on; between the two, others may be moved. */
  take(past: number): Taken {
    const from = this.of(past);
    const { group, state, openAt, seen } = from;
    this.#leave(from);
    this.#classOf[past] = nowhere;
    return { group, state, openAt, seen };
  }

  /** Puts a past somewhere, without a position. */
  put(past: number, { group, state, openAt, seen }: Taken): void {
    this.#classOf[past] = this.#enter(group, state, openAt, seen);
  }

  /** Moves a past that was taken along an edge, and into a group. */
  move(past: number, from: Taken, edge: number, now: number, group: Group): void {
    this.#arrive(past, from, edge, now, group);
  }

  #arrive(past: number, from: Taken, edge: number, now: number, group: Group): void {
    const { automaton } = this;
    const seen = automaton.seen[edge];
    this.seen |= seen;
    if (automaton.broken[edge] !== 0) this.#findings.broken(automaton.broken[edge], edge, [past], now);
    if (from.openAt !== undefined) this.#close(from.openAt, edge, past, now);
    const openAt = this.#demands(from, edge, now);
    this.#classOf[past] = this.#enter(group, automaton.target[edge], openAt, from.seen | seen);
  }

  /** All pasts of these groups see a letter; a class that is unsettled elsewhere sees nothing. */
  all(groups: Iterable<Group>, letterOf: (group: Group) => number, now: number): void {
    const moves: { kind: EquivalenceClass; letter: number }[] = [];
    for (const group of groups) {
      const letter = letterOf(group);
      for (const kind of group.classes.filter(({ pasts }) => pasts === 0)) this.#detach(kind);
      for (const kind of group.classes) moves.push({ kind, letter });
      this.#change(group);
    }
    const moved = new Set(moves.map(({ kind }) => kind));
    for (const kind of this.#unsettled.splice(0)) {
      kind.isUnsettled = false;
      if (kind.place < 0 || moved.has(kind)) continue;
      this.#change(kind.group);
      if (kind.pasts === 0) this.#detach(kind);
      else moves.push({ kind, letter: this.#silent });
    }
    this.#step(moves, now);
  }

  /** The groups in which a letter would change something. It must be the same letter each time: only changed groups are looked at. */
  restless(letter: number): ReadonlySet<Group> {
    for (const group of this.#changed) {
      group.isChanged = false;
      const isRestless = group.classes.some(
        (kind) => kind.pasts > 0 && (kind.isUnsettled || !kind.isIdle(this.automaton, letter)),
      );
      if (isRestless) this.#restless.add(group);
      else this.#restless.delete(group);
    }
    this.#changed.length = 0;
    return this.#restless;
  }

  /** A position at which no past sees anything. */
  settle(now: number): void {
    if (this.#unsettled.length === 0) return;
    this.all([], () => this.#silent, now);
  }

  /** The pasts of some classes: for rare questions only, it looks at all pasts. */
  members(kinds: ReadonlySet<EquivalenceClass>): readonly number[] {
    const members: number[] = [];
    for (let past = 0; past < this.#classOf.length; past++) if (kinds.has(this.of(past))) members.push(past);
    return members;
  }

  /** All classes move at once: no class may be merged into one that has still to move. */
  #step(moves: readonly { kind: EquivalenceClass; letter: number }[], now: number): void {
    const { automaton } = this;
    const changed: { kind: EquivalenceClass; edge: number; openAt: readonly number[] | undefined }[] = [];
    for (const { kind, letter } of moves) {
      const edge = automaton.edge(kind.state, letter);
      const seen = automaton.seen[edge];
      this.seen |= seen;
      if (automaton.broken[edge] !== 0)
        this.#findings.broken(automaton.broken[edge], edge, this.members(new Set([kind])), now);
      if (kind.openAt !== undefined) this.#close(kind.openAt, edge, kind, now);
      const openAt = this.#demands(kind, edge, now);
      const isAsTested = (kind.seen | seen) === kind.seen;
      if (automaton.target[edge] === kind.state && isAsTested && same(openAt, kind.openAt)) continue;
      changed.push({ kind, edge, openAt });
    }
    for (const { kind } of changed) this.#detach(kind);
    for (const { kind, edge, openAt } of changed) {
      kind.state = automaton.target[edge];
      kind.openAt = openAt;
      kind.seen |= automaton.seen[edge];
      this.#attach(kind);
    }
    for (const { kind } of moves) if (kind.place >= 0) this.#watch(kind);
  }

  /** Reports the demands that an edge ends. */
  #close(openAt: readonly number[], edge: number, who: number | EquivalenceClass, now: number): void {
    const kept = this.automaton.kept[edge];
    for (let i = 0; i < openAt.length; i++) {
      if (Number.isNaN(openAt[i]) || kept & (1 << i)) continue;
      if (!this.#findings.isShort(i, now - openAt[i])) this.#findings.ended(i, openAt[i], edge, who, now);
    }
  }

  /** The demands after an edge: kept, or opened now. */
  #demands({ openAt: was }: Taken, edge: number, now: number): readonly number[] | undefined {
    const open = this.automaton.open[edge];
    if (open === 0) return undefined;
    const kept = this.automaton.kept[edge];
    return Array.from({ length: this.automaton.responses }, (_, i) => {
      if (!(open & (1 << i))) return Number.NaN;
      const since = kept & (1 << i) ? was?.[i] : undefined;
      return since === undefined || Number.isNaN(since) ? now : since;
    });
  }

  #change(group: Group): void {
    if (group.isChanged) return;
    group.isChanged = true;
    this.#changed.push(group);
  }

  #leave(kind: EquivalenceClass): void {
    kind.pasts--;
    this.#change(kind.group);
    // A class without demands is often entered again at once, by runs that end as they begin. `all` removes it later.
    if (kind.pasts === 0 && kind.openAt !== undefined) this.#detach(kind);
  }

  #enter(group: Group, state: number, openAt: readonly number[] | undefined, seen: number): EquivalenceClass {
    this.#change(group);
    let kind = openAt === undefined ? group.withoutDemand[state] : undefined;
    // The first one is nearly always the right one.
    if (kind === undefined || kind.seen !== seen) kind = this.#find(group, state, openAt, seen);
    if (kind === undefined) {
      kind = new EquivalenceClass(group, { state, openAt, seen }, this.#born++);
      this.#insert(kind);
    }
    kind.pasts++;
    return kind;
  }

  #find(
    group: Group,
    state: number,
    openAt: readonly number[] | undefined,
    seen: number,
  ): EquivalenceClass | undefined {
    if (openAt === undefined) {
      let found = group.withoutDemand[state];
      while (found !== undefined && found.seen !== seen) found = found.next;
      return found;
    }
    return group.classes.find(
      (kind) => kind.state === state && kind.seen === seen && same(kind.openAt, openAt),
    );
  }

  #insert(kind: EquivalenceClass): void {
    const { group } = kind;
    kind.place = group.classes.push(kind) - 1;
    if (kind.openAt === undefined) {
      kind.next = group.withoutDemand[kind.state];
      group.withoutDemand[kind.state] = kind;
    }
    this.#watch(kind);
  }

  #watch(kind: EquivalenceClass): void {
    if (kind.isUnsettled || kind.isIdle(this.automaton, this.#silent)) return;
    kind.isUnsettled = true;
    this.#unsettled.push(kind);
  }

  #detach(kind: EquivalenceClass): void {
    const { group, place } = kind;
    const last = group.classes.pop();
    if (last !== undefined && last !== kind) {
      group.classes[place] = last;
      last.place = place;
    }
    kind.place = -1;
    if (kind.openAt === undefined) unlist(kind);
  }

  #attach(kind: EquivalenceClass): void {
    const other = this.#find(kind.group, kind.state, kind.openAt, kind.seen);
    if (other === undefined) {
      this.#insert(kind);
      return;
    }
    const [older, younger] = other.born < kind.born ? [other, kind] : [kind, other];
    older.pasts += younger.pasts;
    younger.pasts = 0;
    younger.parent = older;
    if (older === kind) {
      this.#detach(other);
      this.#insert(kind);
    }
  }
}

/** Takes a class off the list of its state. */
function unlist(kind: EquivalenceClass): void {
  const { withoutDemand } = kind.group;
  let before = withoutDemand[kind.state];
  if (before === kind) withoutDemand[kind.state] = kind.next;
  while (before !== undefined && before.next !== kind) before = before.next;
  if (before !== undefined) before.next = kind.next;
  kind.next = undefined;
}

function same(a: readonly number[] | undefined, b: readonly number[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.every((value, i) => Object.is(value, b[i]));
}
