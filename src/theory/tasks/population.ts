/**
 * All task names that a trace has spoken of, and what each letter of the trace does to them. Tasks with the same schedule are
 * one group; names that are not registered, and everybody who has not been named yet (the *stranger*, task 0), are the group
 * without a schedule.
 */

import type { MinuteMatcher } from '../calendar/minute-matcher.ts';
import { bits } from '../logic/atoms.ts';
import type { Automaton } from '../logic/automaton.ts';
import { type CompiledTheory, probes } from '../logic/compiled.ts';
import { type Group, type SliceListener, Slices } from './classes.ts';
import { CutOff } from './cut-off.ts';
import { Names } from './names.ts';
import { type ClockReading, Pasts } from './pasts.ts';
import { type ScheduleGroup, ScheduleGroups } from './schedule-groups.ts';

export interface Enlisted {
  readonly name: string;
  /** Equal for registrations that are due at the same instants. */
  readonly schedule: string;
}

export interface Initialization {
  /** No stop was called during it (T7). */
  readonly isLive: boolean;
  /** How far a task has been served, which may lie ahead of a clock that was set back (B5). */
  readonly servedTo?: (task: number) => number;
  /** The last life ended in a crash, and what it did last may not be in the trace (T10). */
  readonly isAfterCrash?: boolean;
}

const STRANGER = 0;

export class Population {
  readonly slices: Slices;
  readonly automaton: Automaton;
  readonly #names = new Names();
  readonly #groups: ScheduleGroups;
  readonly #pasts: Pasts;
  /** The letters of a task's own events, by their bits. */
  readonly #letters: readonly number[];
  #registered: readonly Enlisted[] = [];
  /** Tasks of which a crash has left more than one reading, until the next initialization. */
  readonly #doubtful = new Set<number>();
  readonly #cutOff: CutOff;

  constructor(
    theory: CompiledTheory,
    matcherOf: (schedule: string) => MinuteMatcher,
    listener: SliceListener,
  ) {
    this.automaton = theory.automaton;
    const own = [bits.RS, bits.REs, bits.REf, bits.RetryDue];
    this.#letters = Array.from({ length: Math.max(...own) + 1 }, (_, mask) =>
      own.some((bit) => bit === mask) ? this.automaton.letter(mask) : -1,
    );
    this.#groups = new ScheduleGroups(matcherOf);
    this.#pasts = new Pasts(theory);
    this.#cutOff = new CutOff(theory.automaton);
    this.slices = new Slices(this.automaton, listener);
    this.slices.add(this.#groups.unregistered, this.automaton.initial);
  }

  /** By number; the first is nobody's. */
  get names(): readonly string[] {
    return this.#names.list;
  }

  get groups(): Iterable<ScheduleGroup> {
    return this.#groups.values();
  }

  get registered(): readonly Enlisted[] {
    return this.#registered;
  }

  /** Time begins here: dues before this instant are nobody's. A clock that is set back may begin it earlier. */
  begin(at: number): void {
    this.#pasts.begin(at);
  }

  /** The number of a name; a name that is new has been a stranger until now. */
  task(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    this.slices.add(this.#groups.unregistered, this.slices.of(STRANGER).state);
    const task = this.#names.add(name);
    this.#pasts.add(task);
    return task;
  }

  /** The number of a name, if it has one. */
  find(name: string, likeliest: 'next' | 'same' = 'next'): number | undefined {
    return this.#names.find(name, likeliest);
  }

  /** The group of those who have a schedule, and were served up to an instant. */
  group(schedule: string, servedTo: number, now: number): ScheduleGroup {
    return this.#groups.servedTo(schedule, servedTo, now);
  }

  /** The next due of a schedule is another: whoever sat out until then is like everybody else with the schedule. */
  rejoin(group: ScheduleGroup): void {
    for (const back of this.#groups.backIn(group)) this.slices.fold(back, group);
  }

  /** Whoever sat out may have gone elsewhere. */
  dropSittingOut(): void {
    this.#groups.dropSittingOut();
  }

  groupOf(task: number): ScheduleGroup {
    return this.slices.of(task).group as ScheduleGroup;
  }

  /** One task sees a letter. Returns what the probes say. */
  own(task: number, mask: number, now: number): number {
    if (mask === bits.RS) this.#cutOff.started(task);
    const edge = this.slices.own(task, this.#letters[mask], now);
    return this.#pasts.note(task, edge, now);
  }

  /** One task may have seen a letter, or nothing: what is open in both readings stays open. */
  maybe(task: number, mask: number, now: number): void {
    const from = this.slices.take(task);
    this.slices.settle(now);
    const after = (letter: number): number => this.automaton.after(from.state, this.automaton.letter(letter));
    this.slices.put(task, from.group, this.automaton.union(after(mask), after(0)), from.openAt);
  }

  /** Everybody sees a letter. */
  everyone(mask: number, now: number): void {
    const letter = this.automaton.letter(mask);
    this.slices.all(this.groups, () => letter, now);
  }

  /** A minute begins, for these groups; the others would not notice. */
  minute(groups: Iterable<Group>, isDue: (group: ScheduleGroup) => boolean, now: number): void {
    const due = this.automaton.letter(bits.MinuteStart | bits.Due);
    const undue = this.automaton.letter(bits.MinuteStart);
    this.slices.all(groups, (group) => (isDue(group as ScheduleGroup) ? due : undue), now);
  }

  /** The groups in which the start of a minute would change anything. */
  get restless(): ReadonlySet<Group> {
    return this.slices.restless(this.automaton.letter(bits.MinuteStart));
  }

  /** Whether of many minutes, due or not, only the last would matter to a group. */
  isSteady(group: ScheduleGroup): boolean {
    const undue = this.automaton.letter(bits.MinuteStart);
    const letters =
      group.matcher === undefined ? [undue] : [undue, this.automaton.letter(bits.MinuteStart | bits.Due)];
    return group.classes.every((klass) => klass.tasks === 0 || klass.isSteady(this.automaton, letters));
  }

  /**
   * An initialization succeeds. Whoever is in both lists with the same schedule is moved by class; the others one by one, into
   * their new group, with their past read again.
   */
  initialize(
    registrations: readonly Enlisted[],
    { isLive, servedTo = () => Number.NEGATIVE_INFINITY, isAfterCrash = false }: Initialization,
    now: number,
  ): FirstComers {
    const isChanged = !isSameList(registrations, this.#registered);
    const common = (isLive ? bits.Live : 0) | (isChanged ? bits.Changed : 0);
    const within = this.automaton.letter(bits.In | common);
    const without = this.automaton.letter(bits.Out | common);
    const moves = isChanged ? this.#moves(registrations, servedTo, now) : [];
    this.#addDoubtful(moves);
    const taken = moves.map(({ task, group }) => ({ task, group, from: this.slices.take(task) }));
    this.slices.all(this.groups, (group) => (group === this.#groups.unregistered ? without : within), now);
    const firstComers: number[] = [];
    for (const { task, group, from } of taken) {
      const isRead = group === from.group && !this.#doubtful.has(task);
      const past = isAfterCrash || this.#cutOff.has(task) ? this.#cutOff.reading(from.state) : from.state;
      const state = isRead ? past : this.#pasts.reread(task, past, group.matcher, now);
      const edge = this.automaton.edge(state, group === this.#groups.unregistered ? without : within);
      this.slices.move(task, from, edge, now, group);
      if (this.#pasts.note(task, edge, now) & probes.firstComing) firstComers.push(task);
    }
    this.#doubtful.clear();
    this.#registered = registrations;
    if (isAfterCrash)
      for (const { name } of registrations) {
        const task = this.task(name);
        this.#cutOff.afterCrash(task, this.slices.of(task).state);
      }
    this.#groups.dropEmpty();
    return firstComers;
  }

  /** Who may have been removed by an initialization that a crash cut off (T11) is read again, though its group is the same. */
  #addDoubtful(moves: { task: number; group: ScheduleGroup }[]): void {
    if (this.#doubtful.size === 0) return;
    const moved = new Set(moves.map(({ task }) => task));
    for (const task of this.#doubtful) if (!moved.has(task)) moves.push({ task, group: this.groupOf(task) });
  }

  /** Who changes groups, and to which; those of the list that stay, stay. */
  #moves(
    registrations: readonly Enlisted[],
    servedTo: (task: number) => number,
    now: number,
  ): { task: number; group: ScheduleGroup }[] {
    const listed = new Set<number>();
    const moves: { task: number; group: ScheduleGroup }[] = [];
    for (const enlisted of registrations) {
      const task = this.task(enlisted.name);
      const group = this.group(enlisted.schedule, servedTo(task), now);
      listed.add(task);
      if (this.slices.of(task).group !== group) moves.push({ task, group });
    }
    for (const { name } of this.#registered) {
      const task = this.task(name);
      if (!listed.has(task)) moves.push({ task, group: this.#groups.unregistered });
    }
    return moves;
  }

  /** A crash, after which some tasks may be in one of several states (T10, T11). */
  crash(doubtful: ReadonlyMap<number, readonly number[]>, now: number): void {
    const letter = this.automaton.letter(bits.Crash);
    const taken = [...doubtful].map(([task, others]) => ({ task, others, from: this.slices.take(task) }));
    this.slices.all(this.groups, () => letter, now);
    for (const { task, others, from } of taken) {
      const after = (state: number): number => this.automaton.after(state, letter);
      const state = others.reduce(
        (union, other) => this.automaton.union(union, after(other)),
        after(from.state),
      );
      const edge = this.automaton.edge(from.state, letter);
      this.slices.put(task, from.group, state, undefined, this.automaton.seen[edge]);
      this.#doubtful.add(task);
    }
  }

  /** The state that a task would be in if an initialization that the crash cut off had been committed (T11). */
  committed(task: number, schedule: string | undefined, now: number): number {
    const matcher = schedule === undefined ? undefined : this.#groups.matcher(schedule);
    const state = this.#pasts.reread(task, this.slices.of(task).state, matcher, now);
    const mask = (schedule === undefined ? bits.Out : bits.In) | bits.Changed;
    return this.automaton.after(state, this.automaton.letter(mask));
  }

  /** Whether there is only one state that a task can be in. */
  isCertain(task: number): boolean {
    return this.automaton.isCertain(this.slices.of(task).state);
  }

  /** A task may be in one of several states. */
  doubt(task: number, others: readonly number[]): void {
    const { group, state, openAt } = this.slices.take(task);
    const either = others.reduce((union, other) => this.automaton.union(union, other), state);
    this.slices.put(task, group, either, openAt);
    this.#doubtful.add(task);
  }

  /** A task was started before the instant that it had been served up to: from here on, dues count as they come (A3). */
  serveFromHere(task: number): ScheduleGroup {
    const { group, state, openAt } = this.slices.take(task);
    const here = this.#groups.of(group.key);
    this.slices.put(task, here, state, openAt);
    return here;
  }

  /** A task was served up to an instant that lies ahead of the clock, and the dues up to there do not count for it. */
  sitOut(task: number, servedTo: number, now: number): void {
    const { group, state, openAt } = this.slices.take(task);
    this.slices.put(task, this.group(group.key, servedTo, now), state, openAt);
  }

  /** The clock was set: what is owed is read again, from cursors that may be the one that counts; the demands begin anew. */
  setClock(task: number, group: ScheduleGroup, reading: ClockReading): void {
    const { automaton } = this;
    const { state } = this.slices.take(task);
    const { cursors, doubt } = reading;
    this.#pasts.moveCursor(task, cursors[0]);
    const past = doubt === 'cut off' ? this.#cutOff.reading(state) : state;
    const read = cursors
      .map((cursor) => this.#pasts.fromCursor(past, group, cursor, reading))
      .reduce((union, each) => automaton.union(union, each));
    const isKnown = doubt === 'taken' || automaton.isCertain(state);
    const others = isKnown ? [] : [true, false].map((value) => automaton.rebuilt(read, () => value));
    const any = others.reduce((union, each) => automaton.union(union, each), read);
    // A position at which nothing is seen: what was owed right before the step is not owed right before what comes next.
    const after = automaton.after(any, automaton.letter(0));
    this.slices.put(task, group, doubt === 'taken' ? automaton.union(after, state) : after);
  }
}

export type FirstComers = readonly number[];

function isSameList(a: readonly Enlisted[], b: readonly Enlisted[]): boolean {
  return (
    a === b ||
    (a.length === b.length &&
      a.every(({ name, schedule }, i) => name === b[i].name && schedule === b[i].schedule))
  );
}
