/** The list of a cluster (K5): every name that is stored, under the configuration of the last list that had it. */
import type { TracedRegistration } from '../record.ts';

/** A registration, with the zone of its list. */
export interface Configuration {
  readonly registration: TracedRegistration;
  readonly zone: string;
}

/** The list of one instance. */
export type InstanceList = ReadonlyMap<string, Configuration>;

export const isSameConfiguration = (one: Configuration, other: Configuration): boolean =>
  one.zone === other.zone && JSON.stringify(one.registration) === JSON.stringify(other.registration);

export class ClusterList {
  readonly #stored = new Map<
    string,
    Configuration & { readonly since: number; readonly came: number; readonly epoch: number }
  >();
  #zone = 'UTC';
  #isChanged = false;

  get names(): readonly string[] {
    return [...this.#stored.keys()];
  }

  get zone(): string {
    return this.#zone;
  }

  has(name: string): boolean {
    return this.#stored.has(name);
  }

  /** The configuration of a name, since when it counts, and when the name came. */
  of(name: string): (Configuration & { readonly since: number; readonly came: number }) | undefined {
    return this.#stored.get(name);
  }

  /**
   * The names of a list, with its configurations, are stored from here on. Two lists may come within the same few milliseconds, and only the
   * store knows which of them was the last: that counts, whatever their order in the traces (K5).
   */
  store(list: InstanceList, zone: string, since: number, epoch = 0): void {
    this.#zone = zone;
    for (const [name, configuration] of list) {
      const known = this.#stored.get(name);
      if (known !== undefined && known.epoch > epoch) continue;
      const isSame = known !== undefined && isSameConfiguration(known, configuration);
      const came = known?.came ?? since;
      this.#stored.set(name, { ...(isSame ? known : { ...configuration, since }), came, epoch });
      this.#isChanged ||= !isSame;
    }
  }

  /**
   * A name was forgotten before the list of this epoch counted, or with it; answers whether that is news. The answer to an initialize may take
   * long: then a later list has brought the name again, and its word came first.
   */
  forget(name: string, epoch = Infinity): boolean {
    const known = this.#stored.get(name);
    if (known === undefined || known.epoch >= epoch) return false;
    this.#stored.delete(name);
    this.#isChanged = true;
    return true;
  }

  /** Whether it is another list than when this was asked last. */
  takeChange(): boolean {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  /** As one scheduler has it; some names may have other configurations than the stored ones. */
  registrations(others: InstanceList): readonly TracedRegistration[] {
    return Array.from(this.#stored, ([name, stored]) => {
      const { registration, zone } = others.get(name) ?? stored;
      return zone === this.#zone || registration.policy?.timeZone !== undefined
        ? registration
        : { ...registration, policy: { ...registration.policy, timeZone: zone } };
    });
  }
}
