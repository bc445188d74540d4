/**
 * Every task's slice of the trace, without visiting every task.
 *
 * A slice is in some state of the automaton, and its demands (L1 and its like) are open since some instant, or not. Slices of
 * tasks with the same schedule that agree in all of this have the same future under events that concern everybody, so they are
 * kept as one *class*: an initialization, a stop, a crash or a minute moves classes, of which there are few, and not tasks, of
 * which there are many. An event of one task takes it out of its class and puts it into another.
 *
 * - A task points to a class. When two classes come to agree, the younger one points to the older one from then on, and
 *   whoever pointed to it finds the way (and shortens it). A chain leads to ever older classes and so cannot grow for ever.
 * - A class whose state would change at a position where it sees nothing (a `Y` looks one position back) is *unsettled*, and
 *   moved with the next position whatever that is. All others may be left alone until something concerns them.
 */
import type { Automaton } from '../logic/automaton.ts';

export class Group {
  readonly key: string;
  readonly classes: Klass[] = [];
  /** By state, those without an open demand: nearly all. Of those that differ only in what they have tested, the first. */
  readonly calm: (Klass | undefined)[] = [];
  /** Whether any of them has changed since it was last asked who is restless. */
  isStirred = false;

  constructor(key: string) {
    this.key = key;
  }

  get isEmpty(): boolean {
    return this.classes.every(({ tasks }) => tasks === 0);
  }
}

export class Klass {
  group: Group;
  readonly born: number;
  state: number;
  /** Since when each demand is open; NaN where it is not. Undefined where none is. */
  openAt: readonly number[] | undefined;
  /** Which axioms each of its tasks has put to the test: a bit each. */
  seen: number;
  tasks = 0;
  parent: Klass | undefined;
  /** The next calm one of its group and state. */
  next: Klass | undefined;
  place = -1;
  isUnsettled = false;

  constructor(group: Group, { state, openAt, seen }: Slice, born: number) {
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

  /** Whether of many such letters only the last would matter. */
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

/** What the slices of a class have in common. */
type Slice = Pick<Klass, 'state' | 'openAt' | 'seen'>;

/** What a task was when it was taken out: its class goes on without it. */
export type Taken = Slice & Pick<Klass, 'group'>;

/** Where a task is between being taken and being put back. */
const nowhere = new Klass(new Group(''), { state: -1, openAt: undefined, seen: 0 }, -1);

export interface SliceListener {
  /** Something is broken at this edge, for these tasks. */
  broken(mask: number, edge: number, tasks: readonly number[]): void;
  /** A demand that was open since then is no longer, for a task or for all of a class. */
  closed(response: number, openAt: number, who: number | Klass): void;
}

export class Slices {
  readonly automaton: Automaton;
  readonly #listener: SliceListener;
  readonly #silent: number;
  readonly #classOf: Klass[] = [];
  readonly #unsettled: Klass[] = [];
  /** Groups in which something has changed; and of the others, those that a minute would change. */
  readonly #stirred: Group[] = [];
  readonly #restless = new Set<Group>();
  /** Of tasks that are taken out, what they have tested: it is theirs wherever they are put back. */
  readonly #away = new Map<number, number>();
  #born = 0;
  /** Which safety axioms have been put to the test. */
  seen = 0;

  constructor(automaton: Automaton, listener: SliceListener) {
    this.automaton = automaton;
    this.#listener = listener;
    this.#silent = automaton.letter(0);
  }

  get size(): number {
    return this.#classOf.length;
  }

  /** A new task, in a state. */
  add(group: Group, state: number): number {
    this.#classOf.push(this.#enter(group, state, undefined, 0));
    return this.#classOf.length - 1;
  }

  /** The class that a task is in now. */
  of(task: number): Klass {
    const klass = this.#classOf[task];
    if (klass.parent === undefined) return klass;
    const root = this.rootOf(klass);
    this.#classOf[task] = root;
    return root;
  }

  rootOf(klass: Klass): Klass {
    let root = klass;
    while (root.parent !== undefined) root = root.parent;
    for (let at = klass; at.parent !== undefined && at.parent !== root; ) {
      const { parent } = at;
      at.parent = root;
      at = parent;
    }
    return root;
  }

  /** One task sees a letter; nobody else sees anything. Returns the edge that it took. */
  own(task: number, letter: number, now: number): number {
    const from = this.of(task);
    const edge = this.automaton.edge(from.state, letter);
    if (this.#unsettled.length > 0) {
      const taken = this.take(task);
      this.settle(now);
      this.move(task, taken, edge, now, taken.group);
    } else {
      this.#leave(from);
      this.#arrive(task, from, edge, now, from.group);
    }
    return edge;
  }

  /** Takes a task out, to be put back with `put`: between the two, others may be moved. */
  take(task: number): Taken {
    const from = this.of(task);
    const { group, state, openAt, seen } = from;
    this.#leave(from);
    this.#classOf[task] = nowhere;
    this.#away.set(task, seen);
    return { group, state, openAt, seen };
  }

  /** Puts a task back, into a state of its own choosing; its demands are closed or kept as the state has them. */
  put(task: number, group: Group, state: number, openAt?: readonly number[], seen = 0): void {
    this.seen |= seen;
    const before = this.#away.get(task) ?? 0;
    this.#away.delete(task);
    this.#classOf[task] = this.#enter(group, state, openAt, before | seen);
  }

  /** Moves a task that was taken along an edge, and into a group. */
  move(task: number, from: Taken, edge: number, now: number, group: Group): void {
    this.#away.delete(task);
    this.#arrive(task, from, edge, now, group);
  }

  #arrive(task: number, from: Taken, edge: number, now: number, group: Group): void {
    const { automaton } = this;
    const seen = automaton.seen[edge];
    this.seen |= seen;
    if (automaton.broken[edge] !== 0) this.#listener.broken(automaton.broken[edge], edge, [task]);
    if (from.openAt !== undefined) this.#close(from.openAt, edge, task);
    const openAt = this.#demands(from, edge, now);
    this.#classOf[task] = this.#enter(group, automaton.target[edge], openAt, from.seen | seen);
  }

  /** Everybody in these groups sees a letter; whoever is unsettled elsewhere sees nothing. */
  all(groups: Iterable<Group>, letterOf: (group: Group) => number, now: number): void {
    const moves: { klass: Klass; letter: number }[] = [];
    for (const group of groups) {
      const letter = letterOf(group);
      for (const klass of group.classes.filter(({ tasks }) => tasks === 0)) this.#detach(klass);
      for (const klass of group.classes) moves.push({ klass, letter });
      this.#stir(group);
    }
    const moved = new Set(moves.map(({ klass }) => klass));
    for (const klass of this.#unsettled.splice(0)) {
      klass.isUnsettled = false;
      if (klass.place < 0 || moved.has(klass)) continue;
      this.#stir(klass.group);
      if (klass.tasks === 0) this.#detach(klass);
      else moves.push({ klass, letter: this.#silent });
    }
    this.#step(moves, now);
  }

  /** The groups in which a letter would change something, always the same one: only groups that have changed are looked at. */
  restless(letter: number): ReadonlySet<Group> {
    for (const group of this.#stirred) {
      group.isStirred = false;
      const isRestless = group.classes.some(
        (klass) => klass.tasks > 0 && (klass.isUnsettled || !klass.isIdle(this.automaton, letter)),
      );
      if (isRestless) this.#restless.add(group);
      else this.#restless.delete(group);
    }
    this.#stirred.length = 0;
    return this.#restless;
  }

  /** Everybody in a group goes over into another, as they are. */
  fold(from: Group, into: Group): void {
    for (const klass of [...from.classes]) {
      this.#detach(klass);
      if (klass.tasks === 0) continue;
      klass.group = into;
      this.#attach(klass);
    }
    this.#stir(from);
    this.#stir(into);
  }

  /** A position at which nobody sees anything. */
  settle(now: number): void {
    if (this.#unsettled.length === 0) return;
    this.all([], () => this.#silent, now);
  }

  /** The tasks of a class: for reports only, it looks at all of them. */
  members(klass: Klass): readonly number[] {
    const members: number[] = [];
    for (let task = 0; task < this.#classOf.length; task++) if (this.of(task) === klass) members.push(task);
    return members;
  }

  /** All classes move at once: none may be merged into one that has still to move. */
  #step(moves: readonly { klass: Klass; letter: number }[], now: number): void {
    const { automaton } = this;
    const changed: { klass: Klass; edge: number; openAt: readonly number[] | undefined }[] = [];
    for (const { klass, letter } of moves) {
      const edge = automaton.edge(klass.state, letter);
      const seen = automaton.seen[edge];
      this.seen |= seen;
      if (automaton.broken[edge] !== 0)
        this.#listener.broken(automaton.broken[edge], edge, this.members(klass));
      if (klass.openAt !== undefined) this.#close(klass.openAt, edge, klass);
      const openAt = this.#demands(klass, edge, now);
      const isAsTested = (klass.seen | seen) === klass.seen;
      if (automaton.target[edge] === klass.state && isAsTested && same(openAt, klass.openAt)) continue;
      changed.push({ klass, edge, openAt });
    }
    for (const { klass } of changed) this.#detach(klass);
    for (const { klass, edge, openAt } of changed) {
      klass.state = automaton.target[edge];
      klass.openAt = openAt;
      klass.seen |= automaton.seen[edge];
      this.#attach(klass);
    }
    for (const { klass } of moves) if (klass.place >= 0) this.#watch(klass);
  }

  /** Tells of the demands that an edge closes. */
  #close(openAt: readonly number[], edge: number, who: number | Klass): void {
    const kept = this.automaton.kept[edge];
    for (let i = 0; i < openAt.length; i++)
      if (!Number.isNaN(openAt[i]) && !(kept & (1 << i))) this.#listener.closed(i, openAt[i], who);
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

  #stir(group: Group): void {
    if (group.isStirred) return;
    group.isStirred = true;
    this.#stirred.push(group);
  }

  #leave(klass: Klass): void {
    klass.tasks--;
    this.#stir(klass.group);
    // Without demands it may be entered again at once, as by runs that end as they begin: `all` clears it away.
    if (klass.tasks === 0 && klass.openAt !== undefined) this.#detach(klass);
  }

  #enter(group: Group, state: number, openAt: readonly number[] | undefined, seen: number): Klass {
    this.#stir(group);
    let klass = openAt === undefined ? group.calm[state] : undefined;
    // The first one is nearly always the right one.
    if (klass === undefined || klass.seen !== seen) klass = this.#find(group, state, openAt, seen);
    if (klass === undefined) {
      klass = new Klass(group, { state, openAt, seen }, this.#born++);
      this.#insert(klass);
    }
    klass.tasks++;
    return klass;
  }

  #find(group: Group, state: number, openAt: readonly number[] | undefined, seen: number): Klass | undefined {
    if (openAt === undefined) {
      let calm = group.calm[state];
      while (calm !== undefined && calm.seen !== seen) calm = calm.next;
      return calm;
    }
    return group.classes.find(
      (klass) => klass.state === state && klass.seen === seen && same(klass.openAt, openAt),
    );
  }

  #insert(klass: Klass): void {
    const { group } = klass;
    klass.place = group.classes.push(klass) - 1;
    if (klass.openAt === undefined) {
      klass.next = group.calm[klass.state];
      group.calm[klass.state] = klass;
    }
    this.#watch(klass);
  }

  #watch(klass: Klass): void {
    if (klass.isUnsettled || klass.isIdle(this.automaton, this.#silent)) return;
    klass.isUnsettled = true;
    this.#unsettled.push(klass);
  }

  #detach(klass: Klass): void {
    const { group, place } = klass;
    const last = group.classes.pop();
    if (last !== undefined && last !== klass) {
      group.classes[place] = last;
      last.place = place;
    }
    klass.place = -1;
    if (klass.openAt === undefined) uncalm(klass);
  }

  #attach(klass: Klass): void {
    const other = this.#find(klass.group, klass.state, klass.openAt, klass.seen);
    if (other === undefined) {
      this.#insert(klass);
      return;
    }
    const [older, younger] = other.born < klass.born ? [other, klass] : [klass, other];
    older.tasks += younger.tasks;
    younger.tasks = 0;
    younger.parent = older;
    if (older === klass) {
      this.#detach(other);
      this.#insert(klass);
    }
  }
}

/** Takes a class off the calm ones of its state. */
function uncalm(klass: Klass): void {
  const { calm } = klass.group;
  let before = calm[klass.state];
  if (before === klass) calm[klass.state] = klass.next;
  while (before !== undefined && before.next !== klass) before = before.next;
  if (before !== undefined) before.next = klass.next;
  klass.next = undefined;
}

function same(a: readonly number[] | undefined, b: readonly number[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.every((value, i) => Object.is(value, b[i]));
}
