/**
 * The instances of a cluster, as the traces tell of them.
 *
 *     active ──stop begins──▶ stopping ──it has stopped──▶ gone
 *       └──its trace has ended──▶ silent ──the store says so──▶ gone
 *
 * *Gone* is what the store says, or the instance itself when it has stopped. Who is gone does not come back (K4). *Silent* is an instance whose
 * trace has ended without a stop: nothing is asked of it any more, but its runs are current until the store says that it is gone.
 */
import type { InstanceList } from './cluster-list.ts';

export interface MergedInstance {
  status: 'active' | 'stopping' | 'silent' | 'gone';
  /** Its list, as it knows it. */
  readonly names: InstanceList;
  readonly workers: number;
}

export class Instances {
  readonly #byId = new Map<string, MergedInstance>();
  /** How many workers there were when that was asked last. */
  #bound = Infinity;

  of(id: string): MergedInstance | undefined {
    return this.#byId.get(id);
  }

  isGone(id: string): boolean {
    return this.#byId.get(id)?.status === 'gone';
  }

  get present(): readonly MergedInstance[] {
    return Array.from(this.#byId.values()).filter(({ status }) => status !== 'gone');
  }

  get active(): readonly MergedInstance[] {
    return this.present.filter(({ status }) => status === 'active');
  }

  /** The answer to a list may come when its instance is stopping, or was declared dead: that brings it back no more (K4). */
  joined(id: string, names: InstanceList, workers: number): void {
    const { status = 'active' } = this.#byId.get(id) ?? {};
    this.#byId.set(id, { status, names, workers });
  }

  /** Answers whether that is news. */
  turned(id: string, status: 'stopping' | 'silent'): boolean {
    const instance = this.#byId.get(id);
    if (instance === undefined || instance.status === 'gone') return false;
    instance.status = status;
    return true;
  }

  /** The trace of these instances has ended. Those that are not gone say nothing any more. */
  silence(ids: Iterable<string>): void {
    for (const id of ids) this.turned(id, 'silent');
  }

  /**
   * The workers of all active instances together. While the last one stops, the list of before may come back for a due that it skips. Then
   * nothing starts, and the bound stays as it was, because no workers at all are none that a trace can have.
   */
  workers(): { readonly workers?: number } {
    const { active } = this;
    if (active.length > 0) this.#bound = active.reduce((sum, each) => sum + each.workers, 0);
    return Number.isFinite(this.#bound) ? { workers: this.#bound } : {};
  }
}
