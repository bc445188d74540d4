/** The numbers that a store has for names, as far as a session has seen them, until its scheduler's tasks are enrolled. */
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Many } from './port.ts';

/** Names between two turns of the event loop. */
const NAMES_PER_TURN = 10_000;

export class KnownIds {
  #names: Array<string | null> = [];
  #ids: number[] = [];
  /** Names whose record was removed since: what is known of them may be of the record before. */
  #removed = new Set<string>();

  add(names: ReadonlyArray<string | null>, ids: Float64Array): void {
    for (let index = 0; index < names.length; index++) {
      this.#names.push(names[index]);
      this.#ids.push(ids[index]);
    }
  }

  forget(names: readonly string[]): void {
    for (const name of names) this.#removed.add(name);
  }

  /**
   * The number of each name. Mostly the names come in the order in which they were seen; otherwise they are looked up. `ask` is for
   * those that were not seen. What was known is forgotten.
   */
  async take(
    names: Many<string>,
    ask: (unknown: readonly string[]) => Promise<Float64Array>,
  ): Promise<Float64Array> {
    const [knownNames, knownIds, removed] = [this.#names, this.#ids, this.#removed];
    [this.#names, this.#ids, this.#removed] = [[], [], new Set()];
    const taken = new Float64Array(names.length);
    const unknown: Array<{ readonly index: number; readonly name: string }> = [];
    let byName: ReadonlyMap<string | null, number> | undefined;
    let [index, seen] = [0, 0];
    for (const name of names) {
      if (knownNames[seen] !== name) {
        byName ??= await indexOf(knownNames);
        seen = byName.get(name) ?? -1;
      }
      if (seen === -1 || removed.has(name)) unknown.push({ index, name });
      else taken[index] = knownIds[seen];
      seen++;
      if (++index % NAMES_PER_TURN === 0) await nextRound();
    }
    for (let from = 0; from < unknown.length; from += NAMES_PER_TURN) {
      const some = unknown.slice(from, from + NAMES_PER_TURN);
      const ids = await ask(some.map(({ name }) => name));
      for (const [place, { index: to }] of some.entries()) taken[to] = ids[place];
    }
    return taken;
  }
}

/** The last place of each name. */
async function indexOf(names: ReadonlyArray<string | null>): Promise<ReadonlyMap<string | null, number>> {
  const places = new Map<string | null, number>();
  for (let place = 0; place < names.length; place++) {
    places.set(names[place], place);
    if (place % NAMES_PER_TURN === NAMES_PER_TURN - 1) await nextRound();
  }
  return places;
}
