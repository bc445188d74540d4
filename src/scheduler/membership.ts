/**
 * A scheduler as one of several over a store (K1): what the other instances do to it.
 *
 *     member ──declared dead──▶ fenced ──joins again, under a new name and with the same list──▶ member        (K4)
 *        │                         └──it cannot yet: again, after half a second to ten──┘
 *        └──another instance has changed configurations──▶ follows: a reload with those, and its own callbacks──▶ member (K5)
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
import { NOTHING_ELSEWHERE } from './elsewhere.ts';
import type { Engine } from './engine.ts';
import type { Emit } from './events.ts';
import { followed } from './followed.ts';
import { beginLife } from './life.ts';
import type { CheckedList, Life } from './life-request.ts';
import { type Retired, reloadLife } from './reload.ts';
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
  tellFollowed(inForce: InForce, how: { readonly reload?: true }): void;
  /** What the lives that it begins hear of the other instances. */
  fenced(engine: Engine): void;
  stale(): void;
}

export class Membership {
  readonly #options: SettledOptions;
  readonly #emit: Emit;
  readonly #retired: Retired;
  readonly #ports: MembershipPorts;
  #isFollowing = false;
  /** Why the last try to follow failed, as it was told. */
  #notFollowed = '';
  #fencedEngines: readonly Engine[] = [];

  constructor(options: SettledOptions, emit: Emit, retired: Retired, ports: MembershipPorts) {
    this.#options = options;
    this.#emit = emit;
    this.#retired = retired;
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
    const { trace, store } = this.#options;
    trace?.({ event: 'InstanceGone', at: this.#ports.now(), instance: life.instanceId });
    // What runs under earlier lists is fenced too: its ends would never be durable, and the next instance would wait for them.
    const { engines } = this.#retired;
    this.#retired.clear();
    for (const each of engines) each.hear(new StoreLostError({ path: store.location }));
    this.#fencedEngines = [...this.#fencedEngines, engine, ...engines].filter(({ running }) => running > 0);
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
        joined = (await this.#followed(joined)) ?? joined;
        // Whoever is declared dead before its life is in force has to join once more.
        if (life.engine.isFenced) throw new StoreLostError({ path: store.location });
        logger.warn(`joined again, as instance ${joined.life.instanceId}`);
        this.#enter(joined, {});
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
      busy: new Set<string>(),
      elsewhere: NOTHING_ELSEWHERE,
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
    const after = before && (await this.#followed(before));
    if (after !== undefined) this.#enter(after, { reload: true });
    else before?.life.engine.lookForLeft();
  }

  /** From now on this is in force. If a stop has come, nothing starts (D7). */
  #enter(inForce: InForce, how: { readonly reload?: true }): void {
    const { engine, hearer } = inForce.life;
    this.#ports.use(inForce);
    this.#ports.tellFollowed(inForce, how);
    if (!this.#ports.isRunning()) return;
    hearer.engine = engine;
    engine.begin();
    this.#retired.inherit(engine);
  }

  /** What takes the place of a life whose list the others have configured differently. `undefined`: nothing does, or a stop came first. */
  async #followed({ life: before, list: own }: InForce): Promise<InForce | undefined> {
    const list = await followed(before.session, own, this.#options.logger);
    if (list === undefined) return undefined;
    const isWanted = (): boolean => this.#ports.isRunning();
    const { fenced, stale } = this.#ports;
    const places = placesOf(list.registrations);
    const request = { ...list, places, fenced, stale, isWanted, follows: true } as const;
    const life = await reloadLife(this.#options, this.#emit, before, this.#retired, request);
    return life && { life, list };
  }
}
