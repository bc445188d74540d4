/**
 * What comes when: one instant for each thing, and the earliest at hand, in a binary heap. An instant that was changed or deleted
 * stays in the heap and is passed over. The oracle borrows no code from the scheduler, so it has a heap of its own.
 */
export class Timeline<T> {
  readonly #at = new Map<T, number>();
  #heap: { readonly at: number; readonly what: T }[] = [];

  /** The earliest instant, as far as it is known; NaN where the heap has to be asked. */
  #next = Number.POSITIVE_INFINITY;

  /** The earliest instant; Infinity where nothing comes. */
  get next(): number {
    if (!Number.isNaN(this.#next)) return this.#next;
    const heap = this.#heap;
    while (heap.length > 0 && this.#at.get(heap[0].what) !== heap[0].at) this.#drop();
    this.#next = heap.length === 0 ? Number.POSITIVE_INFINITY : heap[0].at;
    return this.#next;
  }

  set(what: T, at: number): void {
    if (this.#at.get(what) === at) return;
    this.#at.set(what, at);
    this.#next = Number.NaN;
    const heap = this.#heap;
    const added = { what, at };
    let place = heap.push(added) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (heap[parent].at <= at) break;
      heap[place] = heap[parent];
      place = parent;
    }
    heap[place] = added;
    // A sorted list is a heap too.
    if (this.#heap.length > 2 * this.#at.size + 1000)
      this.#heap = Array.from(this.#at, ([each, when]) => ({ what: each, at: when })).sort(
        (a, b) => a.at - b.at,
      );
  }

  delete(what: T): void {
    if (this.#at.size > 0 && this.#at.delete(what)) this.#next = Number.NaN;
  }

  clear(): void {
    this.#at.clear();
    this.#heap.length = 0;
    this.#next = Number.POSITIVE_INFINITY;
  }

  take(): T {
    if (this.next === Number.POSITIVE_INFINITY) throw new RangeError('Nothing is to come');
    const [{ what }] = this.#heap;
    this.#drop();
    this.#at.delete(what);
    this.#next = Number.NaN;
    return what;
  }

  #drop(): void {
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
