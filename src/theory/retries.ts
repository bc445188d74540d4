/** When the retries of failed tasks come due (T2): the latest failure of a task counts, until a start or a first coming. */
export class Retries {
  readonly #at = new Map<number, { readonly at: number; readonly delayMs: number }>();
  /** A binary heap of what was ever asked for; entries that no longer count are passed over. */
  #heap: { readonly at: number; readonly task: number }[] = [];

  /** The instant of the next retry; Infinity where there is none. */
  get next(): number {
    this.#dropStale();
    return this.#heap.length === 0 ? Number.POSITIVE_INFINITY : this.#heap[0].at;
  }

  set(task: number, at: number, delayMs: number): void {
    this.#at.set(task, { at, delayMs });
    this.#push({ at, task });
    // A task that fails often and is retried late leaves entries behind.
    if (this.#heap.length > 2 * this.#at.size + 1000) this.#rebuild();
  }

  clear(task: number): void {
    if (this.#at.size > 0) this.#at.delete(task);
  }

  /** Takes the next one: its task. */
  take(): number {
    this.#dropStale();
    const { task } = this.#heap[0];
    this.#pop();
    this.#at.delete(task);
    return task;
  }

  /** The clock was set back: a deadline farther away than its delay comes after its delay (B5). */
  setClock(now: number): void {
    for (const [task, { at, delayMs }] of this.#at)
      if (at > now + delayMs) this.#at.set(task, { at: now + delayMs, delayMs });
    this.#rebuild();
  }

  #dropStale(): void {
    while (this.#heap.length > 0 && this.#at.get(this.#heap[0].task)?.at !== this.#heap[0].at) this.#pop();
  }

  #rebuild(): void {
    // Sorted is a heap too.
    this.#heap = Array.from(this.#at, ([task, { at }]) => ({ at, task })).sort((a, b) => a.at - b.at);
  }

  #push(entry: { readonly at: number; readonly task: number }): void {
    const heap = this.#heap;
    let place = heap.push(entry) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (heap[parent].at <= entry.at) break;
      heap[place] = heap[parent];
      place = parent;
    }
    heap[place] = entry;
  }

  #pop(): void {
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
