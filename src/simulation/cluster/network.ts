/**
 * The network between one host and the database. A request takes a while, takes effect, and its answer takes a while. Or:
 *
 * - the request is lost: nothing happens, and the host gives up after a time;
 * - its answer is lost: it took effect, and the host gives up all the same;
 * - it is late: the host has given up, and later it takes effect. So requests of one host may overtake each other;
 * - the database is down when the request arrives, or crashes before its answer has arrived: see `server.ts`.
 *
 * While an instance takes over a list, nothing takes effect that the host does not hear of. The trace could not tell of it, and the theory
 * has that case already, of one scheduler (T11).
 */
import { StoreFailedError } from '../../store/errors.ts';
import type { FaultCounts } from '../machine/counts.ts';
import type { Timeline } from '../machine/timeline.ts';
import type { Random } from '../scenario/random.ts';
import type { ClusterScenario } from './scenario.ts';
import type { Server } from './server.ts';
import type { Link } from './session.ts';

type Fate = 'answered' | 'lost' | 'unanswered' | 'late';

/**
 * What a host has to the database: one connection for what is asked in order, one for the heartbeat, one for its operators. Each has chance of
 * its own, so a world in which one of them asks for more or less leaves what happens on the others as it was.
 */
export type Connection = 'requests' | 'heartbeat' | 'operators';

/** The host, as far as its network needs it. */
export interface NetworkHost {
  /** Whether it takes over a list. */
  readonly isInitializing: boolean;
  /** After a time, as soon as the process does not stand still; never if it has died by then. */
  plan(afterMs: number, run: () => void): void;
  /** Something went wrong for it. */
  disturbed(): void;
}

export interface NetworkParts {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly scenario: ClusterScenario;
  readonly counts: FaultCounts;
  readonly server: Server;
}

export class Network {
  readonly #timeline: Timeline;
  readonly #chance: Readonly<Record<Connection, Random>>;
  readonly #scenario: ClusterScenario;
  readonly #counts: FaultCounts;
  readonly #server: Server;
  #cutUntil = 0;
  #lost: 'requests' | 'answers' = 'requests';
  #slowUntil = 0;
  #isHealed = false;

  constructor({ timeline, random, scenario, counts, server }: NetworkParts) {
    this.#timeline = timeline;
    this.#chance = {
      requests: random.fork('requests'),
      heartbeat: random.fork('heartbeat'),
      operators: random.fork('operators'),
    };
    this.#scenario = scenario;
    this.#counts = counts;
    this.#server = server;
  }

  cut(ms: number, lost: 'requests' | 'answers'): void {
    this.#cutUntil = this.#timeline.passed + ms;
    this.#lost = lost;
  }

  slow(ms: number): void {
    this.#slowUntil = this.#timeline.passed + ms;
  }

  heal(): void {
    this.#isHealed = true;
  }

  /** How a process reaches the database. */
  link(clock: Link['clock'], host: () => NetworkHost): Link {
    return { clock, send: (request, connection = 'requests') => this.send(host(), connection, request) };
  }

  async send<T>(host: NetworkHost, connection: Connection, request: () => T): Promise<T> {
    const chance = this.#chance[connection];
    const fate = this.#fate(host, chance);
    const [there, back] = [this.#trip(chance), this.#trip(chance)];
    if (fate === 'answered') return this.#answered(host, request, there, back);
    host.disturbed();
    const patienceMs = there + back + chance.between(100, 3000);
    const arrive = (): void => {
      if (!this.#server.isDown) request();
    };
    if (fate === 'unanswered') this.#timeline.plan(there, arrive);
    if (fate === 'late') this.#timeline.plan(patienceMs + chance.spread(1, 10_000), arrive);
    const { promise, reject } = Promise.withResolvers<T>();
    host.plan(patienceMs, () => reject(lost(fate === 'unanswered' ? 'answer' : 'request')));
    return promise;
  }

  #answered<T>(host: NetworkHost, request: () => T, there: number, back: number): Promise<T> {
    const server = this.#server;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const fail = (what: 'request' | 'answer'): void => {
      host.disturbed();
      if (what === 'request') this.#counts.refused++;
      else this.#counts.unanswered++;
      reject(lost(what));
    };
    this.#timeline.plan(there, () => {
      const { crashes } = server;
      if (server.isDown) return host.plan(back, () => fail('request'));
      let settle: () => void;
      try {
        const answer = request();
        settle = () => resolve(answer);
      } catch (error) {
        settle = () => reject(error);
      }
      host.plan(back, () => (server.crashes === crashes ? settle() : fail('answer')));
    });
    return promise;
  }

  #fate(host: NetworkHost, chance: Random): Fate {
    const fate = this.#drawn(chance);
    if (fate === 'lost' || (fate !== 'answered' && host.isInitializing)) {
      this.#counts.refused++;
      return 'lost';
    }
    if (fate === 'unanswered') this.#counts.unanswered++;
    if (fate === 'late') this.#counts.stalled++;
    return fate;
  }

  #drawn(chance: Random): Fate {
    if (this.#isHealed) return 'answered';
    const { passed } = this.#timeline;
    if (passed < this.#cutUntil) return this.#lost === 'requests' ? 'lost' : 'unanswered';
    if (passed < this.#slowUntil) return chance.pick(['answered', 'answered', 'late', 'unanswered']);
    const isLost = chance.below(1000) < this.#scenario.lostPerMille;
    return isLost ? chance.pick(['lost', 'unanswered', 'late'] as const) : 'answered';
  }

  #trip(chance: Random): number {
    const { latencyMs } = this.#scenario;
    const isSlow = !this.#isHealed && this.#timeline.passed < this.#slowUntil;
    return chance.between(0, latencyMs) + (isSlow ? chance.spread(1, 2000) : 0);
  }
}

const lost = (what: 'request' | 'answer'): StoreFailedError =>
  new StoreFailedError({ path: 'memory cluster', reason: `the ${what} was lost, on purpose` });
