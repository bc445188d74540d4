/** The names of tasks, and their numbers. The first number is nobody's: it stands for every name that has not come yet. */
export class Names {
  readonly list: string[] = [''];
  readonly #index = new Map<string, number>();
  /** Who was asked for last. */
  #found = 0;

  add(name: string): number {
    this.#index.set(name, this.list.length);
    return this.list.push(name) - 1;
  }

  get(name: string): number | undefined {
    return this.#index.get(name);
  }

  /**
   * The number of a name, if it has one. Schedulers work through tasks in order, so who is asked for is mostly the one after the
   * last, or the last one again: a guess that costs next to nothing, where looking up a name among many costs several misses.
   * Even a wrong guess costs one, when it reads the text of a name; so whoever knows says which is likelier.
   */
  find(name: string, likeliest: 'next' | 'same'): number | undefined {
    const { list } = this;
    const guess = likeliest === 'next' ? this.#found + 1 : this.#found;
    const task = guess < list.length && list[guess] === name ? guess : this.#lookUp(name);
    if (task !== undefined) this.#found = task;
    return task;
  }

  #lookUp(name: string): number | undefined {
    for (const near of [this.#found, this.#found + 1]) if (this.list[near] === name) return near;
    return this.#index.get(name);
  }
}
