/** A library in front of the operating system's, which lets the store's writes and syncs fail or hang (fixtures/failing-disk.c). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ground } from './ground.ts';
import { preloaded } from './preload.ts';

export class FailingDisk {
  readonly env: NodeJS.ProcessEnv;
  readonly #orders: string;

  /** `target` is the file whose writes and syncs fail. */
  constructor(ground: Ground, target: string) {
    const { place, env } = preloaded(ground, 'failing-disk.c');
    this.#orders = join(place, 'orders');
    this.order('');
    this.env = { ...env, ATTACK_ORDERS: this.#orders, ATTACK_TARGET: target };
  }

  /** What fails from now on; nothing if the order is empty. */
  order(order: string): void {
    writeFileSync(this.#orders, order);
  }
}
