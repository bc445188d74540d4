/** Which tasks fall to which instance (K7): the highest of the hashes of a name with each member. A member more or less moves few tasks. */
export class Shares {
  #hashes: Uint32Array;
  #isOwn: Uint8Array;
  readonly #me: string;

  constructor(names: readonly string[], me: string) {
    this.#hashes = Uint32Array.from(names, hash);
    this.#isOwn = new Uint8Array(names.length).fill(1);
    this.#me = me;
  }

  isOwn(task: number): boolean {
    return this.#isOwn[task] === 1;
  }

  /** A task has this name from now on. */
  add(task: number, name: string, members: readonly string[]): void {
    if (task >= this.#hashes.length) {
      const [hashes, isOwn] = [this.#hashes, this.#isOwn];
      this.#hashes = new Uint32Array(2 * task + 2);
      this.#isOwn = new Uint8Array(2 * task + 2);
      this.#hashes.set(hashes);
      this.#isOwn.set(isOwn);
    }
    this.#hashes[task] = hash(name);
    this.#divide(members, task, task + 1);
  }

  divide(members: readonly string[]): void {
    this.#divide(members, 0, this.#hashes.length);
  }

  #divide(members: readonly string[], from: number, end: number): void {
    const others = members.filter((id) => id !== this.#me).map(hash);
    const me = hash(this.#me);
    for (let task = from; task < end; task++) {
      const own = mixed(this.#hashes[task], me);
      this.#isOwn[task] = others.every((other) => mixed(this.#hashes[task], other) <= own) ? 1 : 0;
    }
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

function mixed(a: number, b: number): number {
  let value = Math.imul(a ^ (b >>> 15) ^ b, 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
