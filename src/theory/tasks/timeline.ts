/** What comes when: a binary heap with the earliest at hand. The oracle borrows no code from the scheduler, so it has its own. */
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

  /** Forgets everything, and starts with these. */
  replace(all: readonly Coming<T>[]): void {
    // A sorted list is a heap too.
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

/** One instant per row, in the order of time. An instant that was changed or deleted stays in the heap and is passed over. */
export class Deadlines {
  readonly #at = new Map<number, number>();
  readonly #timeline = new Timeline<number>();

  get size(): number {
    return this.#at.size;
  }

  /** The earliest instant; Infinity where there is none. */
  get next(): number {
    let { first } = this.#timeline;
    while (first !== undefined && this.#at.get(first.what) !== first.at) {
      this.#timeline.drop();
      first = this.#timeline.first;
    }
    return this.#timeline.next;
  }

  of(row: number): number | undefined {
    return this.#at.get(row);
  }

  set(row: number, at: number): void {
    if (this.#at.get(row) === at) return;
    this.#at.set(row, at);
    this.#timeline.add(at, row);
    if (this.#timeline.size > 2 * this.#at.size + 1000)
      this.#timeline.replace(Array.from(this.#at, ([what, when]) => ({ at: when, what })));
  }

  delete(row: number): void {
    if (this.#at.size > 0) this.#at.delete(row);
  }

  /** Takes the row with the earliest instant. */
  take(): number {
    const at = this.next;
    const { first } = this.#timeline;
    if (first === undefined) throw new RangeError(`Nothing is to come at ${at}`);
    this.#timeline.drop();
    this.#at.delete(first.what);
    return first.what;
  }
}
