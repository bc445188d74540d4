/**
 * All task names that a trace has spoken of, and what each letter of the trace does to them. Tasks with the same schedule are
 * one group; names that are not registered, and everybody who has not been named yet (the *stranger*, task 0), are the group
 * without a schedule.
 *
 * For each task it remembers when the slice was last *cleared* (a start, a first coming), for as many kinds of clearing as the
 * compiled formulas have: when the schedule of a name changes, that is what the past is read again with (T5).
 */
import { bits, RetryDue, RS } from './alphabet.ts';
import { Automaton } from './automaton.ts';
import { compile, type Rebuild } from './compile.ts';
import type { MinuteMatcher } from './due.ts';
import { type Formula, not, or, S, Y } from './formula.ts';
import { Active, FirstComing, Pending, Registered, Running } from './macros.ts';
import type { Monitorable } from './monitorable.ts';
import { Group, type SliceListener, Slices } from './slices.ts';

export interface Enlisted {
  readonly name: string;
  /** Equal for registrations that are due at the same instants. */
  readonly schedule: string;
}

export interface Initialization {
  /** No stop was called during it (T7). */
  readonly isLive: boolean;
  /** The key of the group that a task belongs to; its schedule, unless the clock was set back (B5). */
  readonly keyOf?: (enlisted: Enlisted) => string;
  /** The last life ended in a crash, and what it did last may not be in the trace (T10). */
  readonly isAfterCrash?: boolean;
}

/** What is known of a position beside its letter; a bit each in `Automaton.probes`. */
export const probes = {
  running: 1,
  wasRunning: 2,
  wasRegistered: 4,
  wasActive: 8,
  firstComing: 16,
  pending: 32,
} as const;
const probed: readonly Formula[] = [Running, Y(Running), Y(Registered), Y(Active), FirstComing, Pending];

/** How a task is read by a clock that was set back (B5); the first of the cursors is the one that the trace tells of. */
export interface ClockReading {
  readonly cursors: readonly number[];
  readonly now: number;
  readonly isRetryAhead: boolean;
  readonly doubt: 'taken' | 'cut off' | 'none';
}

/** The memory of a retry that has come due. */
const retryHeld = S(not(or(RS, FirstComing)), RetryDue);

/** Where the probes for what clears begin. */
const clearBit = 1 << probed.length;

/** Formulas as an automaton, and what must be remembered for each task to rebuild its bits. It has no state but its tables. */
export interface CompiledTheory {
  readonly automaton: Automaton;
  readonly clears: readonly Formula[];
  readonly whens: readonly { readonly formula: Formula; readonly clear: number }[];
  /** The memory of each demand: cleared when the clock is set. */
  readonly demands: readonly Formula[];
}

/** Tables that have been filled are good for the next monitor too. Those that have become too large are begun anew. */
const compiled = new WeakMap<readonly Monitorable[], CompiledTheory>();
const MOST_STATES = 10_000;

export function compileTheory(parts: readonly Monitorable[]): CompiledTheory {
  const before = compiled.get(parts);
  if (before !== undefined && before.automaton.states < MOST_STATES) return before;
  const theory = compileParts(parts);
  compiled.set(parts, theory);
  return theory;
}

function compileParts(parts: readonly Monitorable[]): CompiledTheory {
  const safety = parts.filter((part) => part.kind === 'safety');
  const responses = parts.filter((part) => part.kind === 'response');
  const broken = safety.map((part) => part.broken);
  const when = [...safety, ...responses].map((part) => part.when);
  const open = responses.map((part) => part.open);
  const program = compile([...broken, ...when, ...open, ...probed]);
  const { rebuilds } = program;
  const clears = [...new Set(rebuilds.flatMap((one) => (one.kind === 'mountain' ? [] : [one.clear])))];
  const whens = rebuilds.flatMap((one) =>
    one.kind === 'at-clear' ? [{ formula: one.when, clear: clears.indexOf(one.clear) }] : [],
  );
  const probes = [...probed, ...clears, ...whens.map(({ formula }) => formula)];
  return {
    automaton: new Automaton(program, { broken, when, open, probes }),
    clears,
    whens,
    demands: open.map((demand) => (demand.op === 'and' ? demand.left : demand)),
  };
}

export class ScheduleGroup extends Group {
  readonly matcher: MinuteMatcher | undefined;
  /** The next due that has no position yet. */
  nextDue = Number.POSITIVE_INFINITY;

  /** Dues up to here were served before the clock was set back, and do not repeat (B5). */
  readonly notBefore: number;

  constructor(key: string, matcher: MinuteMatcher | undefined) {
    super(key);
    this.matcher = matcher;
    this.notBefore = Number(key.split('\n')[2] ?? Number.NEGATIVE_INFINITY);
  }
}

const STRANGER = 0;

export class Population {
  readonly slices: Slices;
  readonly automaton: Automaton;
  readonly names: string[] = [];
  readonly #index = new Map<string, number>();
  /** Who was asked for last. */
  #found = 0;
  readonly #unregistered = new ScheduleGroup('', undefined);
  readonly groups = new Map<string, ScheduleGroup>([['', this.#unregistered]]);
  readonly #matcherOf: (schedule: string) => MinuteMatcher;
  readonly #theory: CompiledTheory;
  /** For each kind of clearing and each task: when it last happened. */
  readonly #clearedAt: Float64Array[];
  /** … and whether something else held then. */
  readonly #wasWhen: Uint8Array[];
  /** The letters of a task's own events, by their bits. */
  readonly #letters: readonly number[];
  #registered: readonly Enlisted[] = [];
  /** Tasks of which a crash has left more than one reading, until the next initialization. */
  readonly #doubtful = new Set<number>();
  /** Tasks that were pending after a crash, and have not been started since. */
  readonly #cutOff = new Set<number>();
  #startedAt = Number.NaN;
  /** The past that was read again last, and what came of it. */
  #lastRead:
    | { readonly group: ScheduleGroup; readonly past: readonly number[]; readonly state: number }
    | undefined;

  constructor(
    compiled: CompiledTheory,
    matcherOf: (schedule: string) => MinuteMatcher,
    listener: SliceListener,
  ) {
    this.#theory = compiled;
    this.automaton = compiled.automaton;
    const own = [bits.RS, bits.REs, bits.REf, bits.RetryDue];
    this.#letters = Array.from({ length: Math.max(...own) + 1 }, (_, mask) =>
      own.some((bit) => bit === mask) ? this.automaton.letter(mask) : -1,
    );
    this.#clearedAt = compiled.clears.map(() => new Float64Array(64).fill(Number.NEGATIVE_INFINITY));
    this.#wasWhen = compiled.whens.map(() => new Uint8Array(64));
    this.#matcherOf = matcherOf;
    this.slices = new Slices(this.automaton, listener);
    this.names.push('');
    this.slices.add(this.#unregistered, this.automaton.initial);
  }

  get registered(): readonly Enlisted[] {
    return this.#registered;
  }

  /** Time begins here: dues before this instant are nobody's. A clock that is set back may begin it earlier. */
  begin(at: number): void {
    this.#startedAt = Number.isNaN(this.#startedAt) ? at : Math.min(at, this.#startedAt);
  }

  /** The number of a name; a name that is new has been a stranger until now. */
  task(name: string): number {
    const known = this.#index.get(name);
    if (known !== undefined) return known;
    const task = this.slices.add(this.#unregistered, this.slices.of(STRANGER).state);
    this.names.push(name);
    this.#index.set(name, task);
    this.#makeRoom(task);
    return task;
  }

  groupOf(task: number): ScheduleGroup {
    return this.slices.of(task).group as ScheduleGroup;
  }

  /**
   * The number of a name, if it has one. Schedulers work through tasks in order, so who is asked for is mostly the one after the
   * last, or the last one again: a guess that costs next to nothing, where looking up a name among many costs several misses.
   * Even a wrong guess costs one, when it reads the text of a name; so whoever knows says which is likelier.
   */
  find(name: string, likeliest: 'next' | 'same' = 'next'): number | undefined {
    const { names } = this;
    const guess = likeliest === 'next' ? this.#found + 1 : this.#found;
    const task = guess < names.length && names[guess] === name ? guess : this.#lookUp(name);
    if (task !== undefined) this.#found = task;
    return task;
  }

  #lookUp(name: string): number | undefined {
    for (const near of [this.#found, this.#found + 1]) if (this.names[near] === name) return near;
    return this.#index.get(name);
  }

  #makeRoom(task: number): void {
    for (const columns of [this.#clearedAt, this.#wasWhen] as const) {
      columns.forEach((column, i) => {
        if (task < column.length) return;
        const larger =
          column instanceof Float64Array
            ? new Float64Array(column.length * 2).fill(Number.NEGATIVE_INFINITY)
            : new Uint8Array(column.length * 2);
        larger.set(column);
        columns[i] = larger as Float64Array<ArrayBuffer> & Uint8Array<ArrayBuffer>;
      });
    }
  }

  /** One task sees a letter. Returns what the probes say. */
  own(task: number, mask: number, now: number): number {
    if (mask === bits.RS && this.#cutOff.size > 0) this.#cutOff.delete(task);
    const edge = this.slices.own(task, this.#letters[mask], now);
    return this.#note(task, edge, now);
  }

  #note(task: number, edge: number, now: number): number {
    const seen = this.automaton.probes[edge];
    if (seen < clearBit) return seen;
    const { clears, whens } = this.#theory;
    for (let i = 0; i < clears.length; i++) if (seen & (clearBit << i)) this.#clearedAt[i][task] = now;
    for (let i = 0; i < whens.length; i++)
      if (seen & (clearBit << whens[i].clear))
        this.#wasWhen[i][task] = seen & (clearBit << (clears.length + i)) ? 1 : 0;
    return seen;
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
    this.slices.all(this.groups.values(), () => letter, now);
  }

  /** A minute begins, for these groups; the others would not notice. */
  minute(groups: Iterable<ScheduleGroup>, isDue: (group: ScheduleGroup) => boolean, now: number): void {
    const due = this.automaton.letter(bits.MinuteStart | bits.Due);
    const undue = this.automaton.letter(bits.MinuteStart);
    this.slices.all(groups, (group) => (isDue(group as ScheduleGroup) ? due : undue), now);
  }

  /** Whether the start of a minute would change anything in a group. */
  isRestless(group: ScheduleGroup): boolean {
    if (!group.isRestless) return false;
    const letter = this.automaton.letter(bits.MinuteStart);
    group.isRestless = group.classes.some(
      (klass) => klass.tasks > 0 && (klass.isUnsettled || !klass.isIdle(this.automaton, letter)),
    );
    return group.isRestless;
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
    { isLive, keyOf = ({ schedule }) => schedule, isAfterCrash = false }: Initialization,
    now: number,
  ): FirstComers {
    const isChanged = !isSameList(registrations, this.#registered);
    const common = (isLive ? bits.Live : 0) | (isChanged ? bits.Changed : 0);
    const within = this.automaton.letter(bits.In | common);
    const without = this.automaton.letter(bits.Out | common);
    const moves = isChanged ? this.#moves(registrations, keyOf) : [];
    this.#addDoubtful(moves);
    const taken = moves.map(({ task, group }) => ({ task, group, from: this.slices.take(task) }));
    this.slices.all(this.groups.values(), (group) => (group === this.#unregistered ? without : within), now);
    const firstComers: number[] = [];
    for (const { task, group, from } of taken) {
      const isRead = group === from.group && !this.#doubtful.has(task);
      const past = isAfterCrash || this.#cutOff.has(task) ? this.#maybeCutOff(from.state) : from.state;
      const state = isRead ? past : this.#reread(task, past, group, now);
      const edge = this.automaton.edge(state, group === this.#unregistered ? without : within);
      this.slices.move(task, from, edge, now, group);
      if (this.#note(task, edge, now) & probes.firstComing) firstComers.push(task);
    }
    this.#doubtful.clear();
    this.#registered = registrations;
    if (isAfterCrash) this.#rememberCutOff();
    this.#dropEmptyGroups();
    return firstComers;
  }

  /**
   * A process that dies between a commit and its record leaves a start that is durable and in no trace (T10): whatever was pending
   * may have been cut off. It matters where the registration changes, since otherwise it is pending anyway.
   */
  #maybeCutOff(state: number): number {
    const { automaton } = this;
    if (!this.#isPending(state)) return state;
    const started = automaton.after(state, automaton.letter(bits.RS));
    return automaton.union(state, automaton.after(started, automaton.letter(bits.Crash)));
  }

  /** Whoever is pending after a crash may be so because it was cut off: until it is started, another schedule may not change that. */
  #rememberCutOff(): void {
    for (const { name } of this.#registered) {
      const task = this.task(name);
      if (this.#isPending(this.slices.of(task).state)) this.#cutOff.add(task);
    }
  }

  #isPending(state: number): boolean {
    const { automaton } = this;
    // The edge comes first: finding it may replace the tables by larger ones.
    const edge = automaton.edge(state, automaton.letter(0));
    return (automaton.probes[edge] & probes.pending) !== 0;
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
    keyOf: (enlisted: Enlisted) => string,
  ): { task: number; group: ScheduleGroup }[] {
    const listed = new Set<number>();
    const moves: { task: number; group: ScheduleGroup }[] = [];
    for (const enlisted of registrations) {
      const task = this.task(enlisted.name);
      const group = this.group(keyOf(enlisted));
      listed.add(task);
      if (this.slices.of(task).group !== group) moves.push({ task, group });
    }
    for (const { name } of this.#registered) {
      const task = this.task(name);
      if (!listed.has(task)) moves.push({ task, group: this.#unregistered });
    }
    return moves;
  }

  /** The group of a schedule; made where there is none yet. */
  group(schedule: string): ScheduleGroup {
    let group = this.groups.get(schedule);
    if (group === undefined) {
      group = new ScheduleGroup(schedule, this.#matcherOf(schedule));
      this.groups.set(schedule, group);
    }
    return group;
  }

  #dropEmptyGroups(): void {
    for (const [key, group] of this.groups)
      if (key !== '' && group.classes.length === 0) this.groups.delete(key);
  }

  /**
   * The past of a task as it looks with another schedule. Where it is not certain what has happened (T10, T11), it is not
   * certain what is owed under the new schedule either: any answer is possible.
   */
  #reread(task: number, state: number, group: ScheduleGroup, now: number): number {
    // Many come at once, mostly with one past.
    const past = [state, now, this.#startedAt];
    for (const column of this.#clearedAt) past.push(column[task]);
    for (const column of this.#wasWhen) past.push(column[task]);
    const last = this.#lastRead;
    if (last?.group === group && past.every((value, i) => value === last.past[i])) return last.state;
    this.#lastRead = { group, past, state: this.#readAgain(task, state, group, now) };
    return this.#lastRead.state;
  }

  #readAgain(task: number, state: number, group: ScheduleGroup, now: number): number {
    const read = this.automaton.rebuilt(state, (rebuild) => this.#reading(task, rebuild, group.matcher, now));
    if (this.automaton.isCertain(state)) return read;
    const all = this.automaton.rebuilt(state, () => true);
    const none = this.automaton.rebuilt(state, () => false);
    return this.automaton.union(read, this.automaton.union(all, none));
  }

  #reading(task: number, rebuild: Rebuild, matcher: MinuteMatcher | undefined, now: number): boolean {
    if (matcher === undefined) return false;
    if (rebuild.kind === 'mountain') {
      const minute = matcher.minuteStart(now);
      return minute >= this.#startedAt && matcher.isDue(minute);
    }
    const { clears, whens } = this.#theory;
    const clear = clears.indexOf(rebuild.clear);
    const clearedAt = this.#clearedAt[clear][task];
    if (rebuild.kind === 'since-clear')
      return Number.isFinite(matcher.previous(now, Math.max(clearedAt, this.#startedAt - 1)));
    const when = whens.findIndex((one) => one.formula === rebuild.when && one.clear === clear);
    return this.#wasWhen[when][task] === 1 && matcher.isDue(matcher.minuteStart(clearedAt));
  }

  /** A crash, after which some tasks may be in one of several states (T10, T11). */
  crash(doubtful: ReadonlyMap<number, readonly number[]>, now: number): void {
    const letter = this.automaton.letter(bits.Crash);
    const taken = [...doubtful].map(([task, others]) => ({ task, others, from: this.slices.take(task) }));
    this.slices.all(this.groups.values(), () => letter, now);
    for (const { task, others, from } of taken) {
      const after = (state: number): number => this.automaton.after(state, letter);
      const state = others.reduce(
        (union, other) => this.automaton.union(union, after(other)),
        after(from.state),
      );
      this.slices.put(task, from.group, state);
      this.#doubtful.add(task);
    }
  }

  /** The state that a task would be in if an initialization that the crash cut off had been committed (T11). */
  committed(task: number, schedule: string | undefined, now: number): number {
    const group = schedule === undefined ? this.#unregistered : this.group(schedule);
    const state = this.#reread(task, this.slices.of(task).state, group, now);
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

  #fromCursor(
    state: number,
    { matcher }: ScheduleGroup,
    cursor: number,
    { now, isRetryAhead }: ClockReading,
  ): number {
    const floor = Math.max(cursor, this.#startedAt - 1);
    return this.automaton.rebuilt(
      state,
      (rebuild) => {
        if (matcher === undefined) return false;
        if (rebuild.kind === 'mountain') return matcher.isDue(matcher.minuteStart(now));
        return rebuild.kind === 'since-clear' && Number.isFinite(matcher.previous(now, floor));
      },
      isRetryAhead ? [...this.#theory.demands, retryHeld] : this.#theory.demands,
    );
  }

  /** From now on, a task counts as served up to here. */
  moveCursor(task: number, cursor: number): void {
    for (const column of this.#clearedAt) column[task] = cursor;
    for (const column of this.#wasWhen) column[task] = 0;
  }

  /** A task was started before the instant that it had been served up to: from here on, dues count as they come (A3). */
  serveFromHere(task: number): ScheduleGroup {
    const { group, state, openAt } = this.slices.take(task);
    const [timeZone, cron] = group.key.split('\n');
    const here = this.group(`${timeZone}\n${cron}`);
    this.slices.put(task, here, state, openAt);
    return here;
  }

  /** The clock was set: what is owed is read again, from cursors that may be the one that counts; the demands begin anew. */
  setClock(task: number, group: ScheduleGroup, reading: ClockReading): void {
    const { automaton } = this;
    const { state } = this.slices.take(task);
    const { cursors, doubt } = reading;
    this.moveCursor(task, cursors[0]);
    const past = doubt === 'cut off' ? this.#maybeCutOff(state) : state;
    const read = cursors
      .map((cursor) => this.#fromCursor(past, group, cursor, reading))
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
