/**
 * The state of every past of every task. A past is a row: it is in some state of the automaton, in the group of its schedule, and its
 * demands (L1 and the like) are open since some instant, or not. An event of one past moves that past. A minute, a stop, a crash or
 * an initialization moves all pasts of some groups, and costs one look into the tables for each.
 *
 * - A past is *unsettled* if its state would change at a position where it sees nothing (a `Y` looks one position back). It moves with
 *   the next position, whatever that is. All others can be left alone until something concerns them.
 * - A group is *restless* if the start of a minute would change one of its pasts. Only restless groups and groups that are due see
 *   a minute.
 */
import { bits } from '../logic/atoms.ts';
import type { Automaton } from '../logic/automaton.ts';
import { ScheduleGroup } from './schedule-groups.ts';
import type { TaskFindings } from './tasks.ts';

/** What a past is: of its state, what it is in. */
export interface Slice {
  readonly group: ScheduleGroup;
  readonly state: number;
  /** Since when each demand is open; NaN where it is not. Undefined where none is. */
  readonly openAt: readonly number[] | undefined;
  /** Which axioms it has put to the test: a bit each. */
  readonly seen: number;
}

/** What a state may be: a bit each. */
const UNSETTLED = 1;
const RESTLESS = 2;

/** Where a past is between `take` and `put`, and where a past is that exists no more. */
const nowhere = new ScheduleGroup('', undefined);

export class Slices {
  readonly automaton: Automaton;
  readonly #findings: TaskFindings;
  readonly #silent: number;
  readonly #minute: number;
  /** One element per row. */
  readonly group: ScheduleGroup[] = [];
  readonly state: number[] = [];
  readonly openAt: Slice['openAt'][] = [];
  readonly #seen: number[] = [];
  /** For each state that was met, whether it is unsettled or restless. */
  readonly #kinds: (number | undefined)[] = [];
  readonly #unsettled = new Set<number>();
  readonly #restless = new Set<ScheduleGroup>();
  /** The last demands that were opened: many pasts open the same ones at once. */
  #opened = {
    edge: -1,
    before: undefined as Slice['openAt'],
    at: Number.NaN,
    openAt: undefined as Slice['openAt'],
  };
  /** Which axioms have been put to the test by any of them. */
  seen = 0;

  constructor(automaton: Automaton, findings: TaskFindings) {
    this.automaton = automaton;
    this.#findings = findings;
    this.#silent = automaton.letter(0);
    this.#minute = automaton.letter(bits.MinuteStart);
  }

  of(row: number): Slice {
    return {
      group: this.group[row],
      state: this.state[row],
      openAt: this.openAt[row],
      seen: this.#seen[row],
    };
  }

  /** One past sees a letter; no other sees anything. Returns the edge that it took. */
  own(row: number, letter: number, now: number): number {
    const edge = this.automaton.edge(this.state[row], letter);
    if (this.#unsettled.size > 0) {
      this.#unsettled.delete(row);
      this.settle(now);
    }
    this.#step(row, edge, now);
    return edge;
  }

  /** Takes a past out. It must be put back, or moved on; between the two, others may be moved. */
  take(row: number): Slice {
    const taken = this.of(row);
    taken.group.rows.delete(row);
    this.#unsettled.delete(row);
    if (this.#kindOf(taken.state) & RESTLESS) this.#stir(taken.group, -1);
    this.group[row] = nowhere;
    return taken;
  }

  /** Puts a past somewhere, without a position. Demands of its state that are not open yet open at the next position. */
  put(row: number, { group, state, openAt, seen }: Slice): void {
    this.group[row] = group;
    this.state[row] = state;
    this.openAt[row] = openAt;
    this.#seen[row] = seen;
    group.rows.add(row);
    const kind = this.#kindOf(state);
    if (kind & RESTLESS) this.#stir(group, 1);
    const isOpen = this.automaton.openIn(state) !== 0;
    if (kind & UNSETTLED || isOpen !== (openAt !== undefined)) this.#unsettled.add(row);
  }

  /** Moves a past that was taken along an edge, and into a group. */
  move(row: number, from: Slice, edge: number, now: number, group: ScheduleGroup): void {
    this.put(row, { ...from, group });
    this.#unsettled.delete(row);
    this.#step(row, edge, now);
  }

  /** All pasts of these groups see the letter of their group; a past that is unsettled elsewhere sees nothing. */
  all(letters: ReadonlyMap<ScheduleGroup, number>, now: number): void {
    const unsettled = [...this.#unsettled];
    this.#unsettled.clear();
    for (const [group, letter] of letters)
      for (const row of group.rows) this.#step(row, this.automaton.edge(this.state[row], letter), now);
    for (const row of unsettled)
      if (!letters.has(this.group[row]))
        this.#step(row, this.automaton.edge(this.state[row], this.#silent), now);
  }

  /** A position at which no past sees anything. */
  settle(now: number): void {
    this.all(new Map(), now);
  }

  /** Along an edge. What breaks there, and which demands end, is reported. */
  #step(row: number, edge: number, now: number): void {
    const { automaton } = this;
    const before = this.openAt[row];
    const from = this.state[row];
    const to = automaton.target[edge];
    if (before !== undefined || automaton.open[edge] !== 0)
      this.openAt[row] = this.#openAfter(edge, before, now);
    this.#seen[row] |= automaton.seen[edge];
    this.seen |= automaton.seen[edge];
    const kind = this.#kindOf(to);
    if (to !== from) {
      this.state[row] = to;
      const change = (kind & RESTLESS) - (this.#kindOf(from) & RESTLESS);
      if (change !== 0) this.#stir(this.group[row], change > 0 ? 1 : -1);
    }
    if (kind & UNSETTLED) this.#unsettled.add(row);
    if (automaton.broken[edge] !== 0) this.#findings.broken(automaton.broken[edge], edge, row, now);
    if (before === undefined) return;
    for (let i = 0; i < before.length; i++)
      if (automaton.ends(edge, i, before)) this.#findings.ended(i, before[i], edge, row, now);
  }

  #openAfter(edge: number, before: Slice['openAt'], now: number): Slice['openAt'] {
    const opened = this.#opened;
    if (opened.edge === edge && opened.before === before && opened.at === now) return opened.openAt;
    const openAt = this.automaton.openAfter(edge, before, now);
    this.#opened = { edge, before, at: now, openAt };
    return openAt;
  }

  #kindOf(state: number): number {
    let kind = this.#kinds[state];
    if (kind === undefined) {
      const { automaton } = this;
      kind = automaton.isIdle(state, this.#silent) ? 0 : UNSETTLED;
      if (!automaton.isIdle(state, this.#minute)) kind |= RESTLESS;
      this.#kinds[state] = kind;
    }
    return kind;
  }

  /** A restless past has come to a group (1), or gone (−1). */
  #stir(group: ScheduleGroup, change: 1 | -1): void {
    group.restless += change;
    if (group.restless === 0) this.#restless.delete(group);
    else if (group.restless === change) this.#restless.add(group);
  }

  /** The groups in which the start of a minute would change something. */
  get restless(): ReadonlySet<ScheduleGroup> {
    if (this.#unsettled.size === 0) return this.#restless;
    return new Set([...this.#restless, ...Array.from(this.#unsettled, (row) => this.group[row])]);
  }

  /** Whether only the last of many such letters would matter to a group. */
  isSteady({ rows }: ScheduleGroup, letters: readonly number[]): boolean {
    const states = new Set(Array.from(rows, (row) => this.state[row]));
    return (
      this.#unsettled.size === 0 && [...states].every((state) => this.automaton.isSteady(state, letters))
    );
  }
}
