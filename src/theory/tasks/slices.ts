/**
 * Where every past of every task stands: its state of the automaton, since when its demands (L1 and the like) are open, its schedule.
 *
 * Each event is a *position*. One past sees it, or those of some schedules, which are due, or all of them. The others see nothing there,
 * and are left alone:
 *
 * - A position at which a past sees nothing changes its state only because a `Y` looks one position back. Such positions break nothing and
 *   end nothing (a test holds this). They may raise a demand, for a past that was put where it is (`lastAt`). So what they do is worked out
 *   when the past is looked at again. After a few of them nothing changes any more, however many there were.
 * - Most dues change nothing: a task that is due and was not started stays so when it is due again. So a past is *awake* or *asleep*.
 *
 *     awake ──it is due, and that changed nothing──▶ asleep ──anything else happens to it──▶ awake
 *
 *   A group shows its dues to those that are awake. If all are asleep, the dues of the group need not even be derived.
 */
import type { Delay } from '../delays/delay.ts';
import { AT, type Automaton, type SliceFindings } from '../logic/automaton.ts';
import type { ScheduleGroup } from './schedule-groups.ts';
import { nowhere, type Past, type Task, type TaskTable } from './task.ts';

export interface TaskFindings extends SliceFindings<Past> {
  /** A delay of a task that is certain. */
  delayed(delay: Delay): void;
  /** More may have happened to a task than the oracle keeps in mind. */
  overlooked(task: Task): void;
  /** The delays of the demands that are open, if they end now. */
  owed(past: Past, now: number): readonly Delay[];
}

export class Slices {
  readonly automaton: Automaton;
  readonly #findings: TaskFindings;
  readonly #table: TaskTable;
  readonly #silent: number;
  #position = 0;
  /** Which safety axioms have been put to the test. */
  seen = 0;
  /** Hears of a group in which a past wakes up, if its dues were not expected. */
  onWake: (group: ScheduleGroup<Past>) => void = () => {};

  constructor(automaton: Automaton, findings: TaskFindings, table: TaskTable) {
    this.automaton = automaton;
    this.#findings = findings;
    this.#table = table;
    this.#silent = automaton.letter(0);
  }

  /** A past, as it is at the last position. */
  of(past: Past): Past {
    if (past.position < this.#position) this.#catchUp(past, this.#position);
    return past;
  }

  /** What a probe says of a past. */
  says(past: Past, probe: number): boolean {
    return this.automaton.says(this.of(past).state, probe);
  }

  /** The positions up to this one at which a past has seen nothing. */
  #catchUp(past: Past, position: number): void {
    while (past.position < position && !this.automaton.isIdle(past, this.#silent))
      this.#step(past, past.position + 1, this.#silent, past.lastAt);
    past.position = position;
  }

  #step(past: Past, position: number, letter: number, now: number): void {
    past.position = position;
    past.lastAt = now;
    past.probes = this.automaton.at(this.automaton.step(past, letter, now, this.#findings), AT.probes);
    this.seen |= past.seen;
  }

  /** A position begins. What a past sees at it is shown to it next. */
  begin(): void {
    this.#position++;
  }

  /** A past sees a letter at the position that has begun. */
  see(past: Past, letter: number, now: number): void {
    if (past.position >= this.#position) throw new RangeError('A past sees one thing at each position');
    if (past.position < this.#position - 1) this.#catchUp(past, this.#position - 1);
    if (!past.isAwake) this.#wake(past);
    this.#step(past, this.#position, letter, now);
  }

  /** The pasts of a group that are awake see a letter of its schedule. Those that it does not change fall asleep. */
  schedule(group: ScheduleGroup<Past>, letter: number, now: number): void {
    const { automaton } = this;
    for (const past of group.awake) {
      // After the clock was set back, a task may count as served up to an instant that still lies ahead (B5).
      if (past.history.servedTo >= now) continue;
      this.#catchUp(past, this.#position - 1);
      const isUnchanged = automaton.isIdle(past, letter) && automaton.isIdle(past, this.#silent);
      this.#step(past, this.#position, letter, now);
      // With a limit on how old a due may be, one letter undoes the other.
      if (!isUnchanged || group.rules.startWithinMs !== undefined) continue;
      past.isAwake = false;
      group.awake.delete(past);
    }
  }

  #wake(past: Past): void {
    const { group } = past;
    past.isAwake = true;
    group.awake.add(past);
    if (!group.isExpected) this.onWake(group);
  }

  /** Puts a past where it is at this position, without showing it anything. */
  put(past: Past, state: number, group: ScheduleGroup<Past>): void {
    if (group !== past.group) {
      this.drop(past);
      past.group = group;
      group.members++;
    }
    past.state = state;
    past.position = this.#position;
    this.#wake(past);
  }

  /** A past is none any more. */
  drop(past: Past): void {
    if (past.group === nowhere) return;
    past.group.members--;
    past.group.awake.delete(past);
    past.group = nowhere;
  }

  /** For rare questions only: it looks at all pasts. */
  where(isWanted: (past: Past) => boolean): readonly Past[] {
    return this.#table.all.flatMap(({ pasts }) => pasts.filter((past) => isWanted(this.of(past))));
  }
}
