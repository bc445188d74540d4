/** A binary heap of instants, each with a number that says whose it is; the earliest comes out first. Nothing is allocated a step. */
export class InstantHeap {
  #instants = new Float64Array(16);
  #owners = new Int32Array(16);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The earliest instant; `Infinity` if there is none. */
  get earliest(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#instants[0];
  }

  /** Whose the earliest instant is. */
  get owner(): number {
    return this.#owners[0];
  }

  clear(): void {
    this.#size = 0;
  }

  push(instant: number, owner: number): void {
    if (this.#size === this.#owners.length) this.#grow();
    let place = this.#size++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#instants[parent] <= instant) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#instants[place] = instant;
    this.#owners[place] = owner;
  }

  /** Takes the earliest away. */
  pop(): void {
    const last = --this.#size;
    const instant = this.#instants[last];
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#instants[child + 1] < this.#instants[child]) child++;
      if (this.#instants[child] >= instant) break;
      this.#move(child, place);
      place = child;
    }
    this.#instants[place] = instant;
    this.#owners[place] = this.#owners[last];
  }

  #move(from: number, to: number): void {
    this.#instants[to] = this.#instants[from];
    this.#owners[to] = this.#owners[from];
  }

  #grow(): void {
    const instants = new Float64Array(this.#owners.length * 2);
    const owners = new Int32Array(this.#owners.length * 2);
    instants.set(this.#instants);
    owners.set(this.#owners);
    this.#instants = instants;
    this.#owners = owners;
  }
}
