/**
 * Names of runs and of works, as numbers. A scheduler names its runs by its instance and a count, `<instance>-<count in base 36>`,
 * and a work is named after its first run. So two numbers are enough: the place of the instance in a short list, and the count. Any
 * other text is put into the list as it is, with the count 0.
 */
export class RunNames {
  readonly #instances: string[] = [];
  readonly #places = new Map<string, number>();

  /** How many texts are in the list. */
  get size(): number {
    return this.#instances.length;
  }

  /** The texts from a place on. */
  from(place: number): readonly string[] {
    return this.#instances.slice(place);
  }

  /** The place of an instance, or of a text that is none. */
  place(instance: string): number {
    let place = this.#places.get(instance);
    if (place === undefined) {
      place = this.#instances.push(instance) - 1;
      this.#places.set(instance, place);
    }
    return place;
  }

  /** The text of a name. */
  text(place: number, count: number): string {
    const instance = this.#instances[place];
    return count === 0 ? instance : `${instance}-${count.toString(36)}`;
  }
}

/** A name as an instance and a count; the count is 0 if it is not made of them. */
export function splitRunName(name: string): { readonly instance: string; readonly count: number } {
  const at = name.lastIndexOf('-');
  const count = at > 0 ? Number.parseInt(name.slice(at + 1), 36) : 0;
  const isSplit = Number.isSafeInteger(count) && count > 0 && name.slice(at + 1) === count.toString(36);
  return isSplit ? { instance: name.slice(0, at), count } : { instance: name, count: 0 };
}
