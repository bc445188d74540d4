/** Slots by the number of a task. A slot that is given back is given out again. */

/** Numbers below this are places in an array; a file that was written by hand may have others. */
const FEW = 2 ** 26;
const NONE = -1;

export class SlotsById {
  #small = new Int32Array(1024).fill(NONE);
  readonly #others = new Map<number, number>();
  #free: number[] = [];
  #given = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: number): number | undefined {
    if (id >= 0 && id < this.#small.length) {
      const slot = this.#small[id];
      return slot === NONE ? undefined : slot;
    }
    return this.#others.get(id);
  }

  /** A slot for a number that has none. */
  add(id: number): number {
    const slot = this.#free.pop() ?? this.#given++;
    this.#size++;
    if (id < 0 || id >= FEW) this.#others.set(id, slot);
    else {
      if (id >= this.#small.length) this.#grow(id);
      this.#small[id] = slot;
    }
    return slot;
  }

  remove(id: number): number | undefined {
    const slot = this.get(id);
    if (slot === undefined) return undefined;
    if (!this.#others.delete(id)) this.#small[id] = NONE;
    if (--this.#size > 0) this.#free.push(slot);
    else [this.#free, this.#given] = [[], 0];
    return slot;
  }

  /** The smallest number from `id` on that has a slot. */
  next(id: number): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    for (const other of this.#others.keys()) if (other >= id && other < next) next = other;
    if (next < 0) return next;
    for (let small = Math.max(id, 0); small < this.#small.length; small++) {
      if (this.#small[small] !== NONE) return Math.min(small, next);
    }
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  #grow(id: number): void {
    const wider = new Int32Array(Math.max(id + 1, this.#small.length * 2)).fill(NONE);
    wider.set(this.#small);
    this.#small = wider;
  }
}
