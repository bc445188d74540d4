/**
 * A scheduler as one of several over a store (K1): what the other instances do to it.
 *
 *     member ──declared dead──▶ fenced ──joins again, under a new name and with the same list──▶ member        (K4)
 *        │                         └──it cannot yet: again, after half a second to ten──┘
 *        └──another instance has changed configurations──▶ follows: an edit by those, with its own callbacks──▶ member (K5)
 *
 * A life that joins again is in force once it goes by the configurations of the others. Until then it belongs to the try that joined: if that
 * fails, the try stops it and leaves the store. A stop that comes meanwhile waits for the try, and stops what is in force then.
 *
 * Both take their turn among the calls of `initialize`, so that one list after the other is in force. Why a fenced instance does no harm: the
 * store takes nothing from it any more. What runs goes on and is asked to end, and a stop waits for it; what it leaves is known to the others.
 */
import { placesOf } from '../core/registration.ts';
import { StoreLostError } from '../store/errors.ts';
import { Backoff } from '../time/backoff.ts';
import type { Edited } from './edit-effects.ts';
import type { Engine } from './engine.ts';
import type { Emit } from './events.ts';
import { followed } from './followed.ts';
import { beginLife } from './life.ts';
import type { CheckedList, Life } from './life-request.ts';
import type { SettledOptions } from './settled-options.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** What is in force. */
export interface InForce {
  readonly life: Life;
  /** With the configurations of others as far as they are followed. */
  readonly list: CheckedList;
}

/** The lifecycle, as far as membership needs it. */
export interface MembershipPorts {
  /** Whether the scheduler runs: nobody has stopped it. */
  isRunning(): boolean;
  inForce(): InForce | undefined;
  /** Another list is in force from now on. */
  use(inForce: InForce): void;
  /** After the calls of `initialize` that came before. It never rejects. */
  inTurn(job: () => Promise<void>): void;
  /** By the clock that counts. */
  now(): number;
  /** This instance goes by another list, or under another name, though nobody has called `initialize`. */
  tellFollowed(inForce: InForce, edited: Edited, how: { readonly reload?: true }): void;
  /** What the lives that it begins hear of the other instances. */
  fenced(engine: Engine): void;
  stale(): void;
}

export class Membership {
  readonly #options: SettledOptions;
  readonly #emit: Emit;
  readonly #ports: MembershipPorts;
  #isFollowing = false;
  /** Why the last try to follow failed, as it was told. */
  #notFollowed = '';
  #fencedEngines: readonly Engine[] = [];

  constructor(options: SettledOptions, emit: Emit, ports: MembershipPorts) {
    this.#options = options;
    this.#emit = emit;
    this.#ports = ports;
  }

  /** Engines whose instance was declared dead, while something of them runs. */
  get fencedEngines(): readonly Engine[] {
    return this.#fencedEngines;
  }

  /** A stop has waited for them. */
  forgetFenced(): void {
    this.#fencedEngines = [];
  }

  /** This instance was declared dead. */
  fenced(engine: Engine): void {
    const { life, list } = this.#ports.inForce() ?? {};
    if (!this.#ports.isRunning() || life?.engine !== engine || list === undefined) return;
    const { trace } = this.#options;
    trace?.({ event: 'InstanceGone', at: this.#ports.now(), instance: life.instanceId });
    this.#fencedEngines = [...this.#fencedEngines, engine].filter(({ running }) => running > 0);
    void life.session.close().catch(() => {});
    this.#ports.inTurn(() => this.#rejoin(list));
  }

  async #rejoin(list: CheckedList): Promise<void> {
    const { clock, logger, sizes, store } = this.#options;
    const backoff = new Backoff({
      firstMs: FIRST_WAIT_MS,
      longestMs: LONGEST_WAIT_MS,
      spread: sizes.spread,
    });
    for (let said = ''; this.#ports.isRunning(); ) {
      let joined: InForce | undefined;
      try {
        const life = await this.#join(list);
        joined = { life, list };
        const { edited, ...entered } = (await this.#followed(joined)) ?? { ...joined, edited: life.edited };
        // If the instance was declared dead meanwhile, it joins once more.
        if (life.engine.isFenced) throw new StoreLostError({ path: store.location });
        logger.warn(`joined again, as instance ${life.instanceId}`);
        this.#ports.use(entered);
        this.#ports.tellFollowed(entered, edited, {});
        // If a stop has come, nothing starts (D7).
        if (this.#ports.isRunning()) life.engine.begin();
        return;
      } catch (error) {
        // It would keep its lease, and start tasks, next to the one that joins after it.
        await joined?.life.engine.stop(0);
        await joined?.life.session.close().catch(() => {});
        if (said !== String(error)) logger.warn(`could not join again yet: ${error}`);
        said = String(error);
        const { promise, resolve } = Promise.withResolvers<void>();
        clock.setTimer(resolve, backoff.next());
        await promise;
      }
    }
  }

  #join(list: CheckedList): Promise<Life> {
    const { fenced, stale } = this.#ports;
    return beginLife(this.#options, this.#emit, {
      ...list,
      places: placesOf(list.registrations),
      fenced,
      stale,
      follows: true,
      isWanted: () => this.#ports.isRunning(),
    });
  }

  /** Another instance has changed configurations: this one goes by them from now on, with its own callbacks. */
  stale(): void {
    if (this.#isFollowing || !this.#ports.isRunning()) return;
    this.#isFollowing = true;
    this.#ports.inTurn(async () => {
      try {
        if (this.#ports.isRunning()) await this.#followNow();
        this.#notFollowed = '';
      } catch (error) {
        // Every heartbeat tries again; the same failure is told once.
        if (this.#notFollowed !== String(error))
          this.#options.logger.warn(`could not follow the other instances yet: ${error}`);
        this.#notFollowed = String(error);
      } finally {
        this.#isFollowing = false;
      }
    });
  }

  async #followNow(): Promise<void> {
    const before = this.#ports.inForce();
    const tell = (inForce: InForce, edited: Edited): void => {
      this.#ports.use(inForce);
      this.#ports.tellFollowed(inForce, edited, { reload: true });
    };
    if (before !== undefined && (await this.#followed(before, tell)) === undefined)
      before.life.engine.lookForLeft();
  }

  /** Puts the configurations of the others in force (K5). `undefined`: they are the same. */
  async #followed(
    { life, list: own }: InForce,
    tell: (inForce: InForce, edited: Edited) => void = () => {},
  ): Promise<(InForce & { readonly edited: Edited }) | undefined> {
    const list = await followed(life.session, own, this.#options.logger);
    if (list === undefined) return undefined;
    let edited = life.edited;
    const inForce = (made: Edited): void => {
      edited = made;
      tell({ life, list }, made);
    };
    const places = placesOf(list.registrations);
    await life.engine.edit({ ...list, places, isGuarded: false, follows: true, inForce });
    return { life, list, edited };
  }
}
