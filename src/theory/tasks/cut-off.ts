/**
 * A process that dies between a commit and its record leaves a start that is durable and in no trace (T10): whatever was pending
 * may have been cut off. It matters where the registration changes, since otherwise it is pending anyway.
 */
import { bits } from '../logic/atoms.ts';
import type { Automaton } from '../logic/automaton.ts';
import { probes } from '../logic/compiled.ts';

export class CutOff {
  readonly #automaton: Automaton;
  /** Tasks that were pending after a crash, and have not been started since. */
  readonly #tasks = new Set<number>();

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  started(task: number): void {
    if (this.#tasks.size > 0) this.#tasks.delete(task);
  }

  /** Whoever is pending after a crash may be so because it was cut off: until it is started, another schedule may not change that. */
  afterCrash(task: number, state: number): void {
    if (this.#isPending(state)) this.#tasks.add(task);
  }

  has(task: number): boolean {
    return this.#tasks.has(task);
  }

  /** A state, or the one after a start that was cut off. */
  reading(state: number): number {
    const automaton = this.#automaton;
    if (!this.#isPending(state)) return state;
    const started = automaton.after(state, automaton.letter(bits.RS));
    return automaton.union(state, automaton.after(started, automaton.letter(bits.Crash)));
  }

  #isPending(state: number): boolean {
    const automaton = this.#automaton;
    // The edge comes first: finding it may replace the tables by larger ones.
    const edge = automaton.edge(state, automaton.letter(0));
    return (automaton.probes[edge] & probes.pending) !== 0;
  }
}
