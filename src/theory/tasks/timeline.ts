/** What comes when: a binary heap, of which the earliest is always at hand. The oracle has its own and borrows none from the scheduler. */
export interface Coming<T> {
  readonly at: number;
  readonly what: T;
}

export class Timeline<T> {
  #heap: Coming<T>[] = [];

  get size(): number {
    return this.#heap.length;
  }

  get first(): Coming<T> | undefined {
    return this.#heap[0];
  }

  /** The earliest instant; Infinity where nothing comes. */
  get next(): number {
    return this.#heap.length === 0 ? Number.POSITIVE_INFINITY : this.#heap[0].at;
  }

  /** Forgets everything, and begins anew with these. */
  replace(all: readonly Coming<T>[]): void {
    // Sorted is a heap too.
    this.#heap = all.toSorted((a, b) => a.at - b.at);
  }

  add(at: number, what: T): void {
    const heap = this.#heap;
    const added = { at, what };
    let place = heap.push(added) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (heap[parent].at <= at) break;
      heap[place] = heap[parent];
      place = parent;
    }
    heap[place] = added;
  }

  /** Takes the earliest away. */
  drop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1].at < heap[child].at) child++;
      if (heap[child].at >= last.at) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = last;
  }
}
