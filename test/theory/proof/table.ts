/** Sets of states in little room: parts of states as numbers, and tuples of such numbers in one flat table. */

/** Gives equal things one number. */
export class Parts<T> {
  readonly #numbers = new Map<string, number>();
  readonly all: T[] = [];

  numberOf(key: string, part: T): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.all.push(part) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }
}

/** An open-addressed hash table of tuples of one width, numbered in the order in which they came. */
export class Tuples {
  readonly #width: number;
  #data: Int32Array;
  #slots = new Int32Array(1 << 12).fill(-1);
  size = 0;

  constructor(width: number) {
    this.#width = width;
    this.#data = new Int32Array(width * 1024);
  }

  /** Adds a tuple unless it is there; answers its number, negative (by `~`) if it was known. */
  add(tuple: readonly number[]): number {
    if (this.size * 2 >= this.#slots.length) this.#rehash();
    let slot = this.#hash(tuple, 0) & (this.#slots.length - 1);
    for (; this.#slots[slot] >= 0; slot = (slot + 1) & (this.#slots.length - 1))
      if (this.#isAt(this.#slots[slot], tuple)) return ~this.#slots[slot];
    if ((this.size + 1) * this.#width > this.#data.length) this.#grow();
    this.#data.set(tuple, this.size * this.#width);
    this.#slots[slot] = this.size;
    return this.size++;
  }

  /** The place of one number of a tuple. */
  at(index: number, place: number): number {
    return this.#data[index * this.#width + place];
  }

  #isAt(index: number, tuple: readonly number[]): boolean {
    for (let i = 0; i < this.#width; i++) if (this.#data[index * this.#width + i] !== tuple[i]) return false;
    return true;
  }

  #hash(numbers: ArrayLike<number>, from: number): number {
    let hash = 0x9e3779b9;
    for (let i = 0; i < this.#width; i++) {
      hash = Math.imul(hash ^ numbers[from + i], 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    return Math.imul(hash, 0xc2b2ae35) >>> 4;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1);
    for (let index = 0; index < this.size; index++) {
      let slot = this.#hash(this.#data, index * this.#width) & (slots.length - 1);
      while (slots[slot] >= 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = index;
    }
    this.#slots = slots;
  }

  #grow(): void {
    const larger = new Int32Array(this.#data.length * 2);
    larger.set(this.#data);
    this.#data = larger;
  }
}

/** A list of integers that grows by doubling. */
export class Integers {
  #data = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#data.length) {
      const larger = new Int32Array(this.#data.length * 2);
      larger.set(this.#data);
      this.#data = larger;
    }
    this.#data[this.length++] = value;
  }

  at(index: number): number {
    return this.#data[index];
  }
}
