/** The versions of records by the number of their task, as far as they are known (K2): eight bytes each, so that a start reads no row. */

/** Numbers from here on are not kept: a file that was written by hand may have any. */
const FEW = 2 ** 26;

export class Versions {
  #versions = new Float64Array(1024).fill(Number.NaN);

  /** `NaN` if it is not known. */
  get(id: number): number {
    return id >= 0 && id < this.#versions.length ? this.#versions[id] : Number.NaN;
  }

  set(id: number, version: number): void {
    if (id < 0 || id >= FEW) return;
    if (id >= this.#versions.length) this.#grow(id);
    this.#versions[id] = version;
  }

  #grow(id: number): void {
    const wider = new Float64Array(Math.max(id + 1, this.#versions.length * 2)).fill(Number.NaN);
    wider.set(this.#versions);
    this.#versions = wider;
  }
}
