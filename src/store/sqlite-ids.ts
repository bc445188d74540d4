/** The numbers that a store has for names, as far as a session has seen them, until its scheduler's tasks are enrolled. */
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Many } from './port.ts';

/** Names between two turns of the event loop. */
const NAMES_PER_TURN = 10_000;

interface KnownList {
  readonly names: ReadonlyArray<string | null>;
  readonly ids: Float64Array;
}

export class KnownIds {
  /** As they came, a page or a batch each: they are put together when they are needed, so that no answer of the thread takes long. */
  #lists: KnownList[] = [];
  /** Names whose record was removed since: what is known of them may be of the record before. */
  #removed = new Set<string>();

  add(names: ReadonlyArray<string | null>, ids: Float64Array): void {
    this.#lists.push({ names, ids });
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
    const [lists, removed] = [this.#lists, this.#removed];
    [this.#lists, this.#removed] = [[], new Set()];
    const { names: knownNames, ids: knownIds } = await together(lists);
    const taken = new Float64Array(names.length);
    const unknown: Array<{ readonly index: number; readonly name: string }> = [];
    let byName: ReadonlyMap<string | null, number> | undefined;
    let [index, seen] = [0, 0];
    for (const name of names) {
      if (knownNames[seen] !== name) {
        byName ??= await indexOf(knownNames);
        seen = byName.get(name) ?? -1;
      }
      if (seen === -1 || (removed.size > 0 && removed.has(name))) unknown.push({ index, name });
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

async function together(lists: readonly KnownList[]): Promise<KnownList> {
  const names: Array<string | null> = [];
  const ids = new Float64Array(lists.reduce((sum, list) => sum + list.names.length, 0));
  for (const list of lists) {
    ids.set(list.ids, names.length);
    for (const name of list.names) {
      if (names.push(name) % NAMES_PER_TURN === 0) await nextRound();
    }
  }
  return { names, ids };
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
