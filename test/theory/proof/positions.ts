/** The theory's side of every move: which positions it makes, and who sees what there. */
import { bits } from '../../../src/theory/logic/atoms.ts';
import { type List, MINUTE_MS, TICK_MS } from './instance.ts';
import type { Name, State } from './state.ts';
import type { Way, Ways } from './way.ts';

export class Positions {
  readonly ways: Ways;
  readonly #lists: readonly List[];

  constructor(ways: Ways, lists: readonly List[]) {
    this.ways = ways;
    this.#lists = lists;
  }

  /** The expression that a list has for a name. */
  cron(list: number, i: number): string | undefined {
    const place = list < 0 ? -1 : this.#lists[list].placeOf[i];
    return place < 0 ? undefined : this.#lists[list].registrations[place].cron;
  }

  /** A position that everybody sees. */
  everyone({ scene, names }: State, mask: number): Name[] {
    const see = (way: Way): Way => this.ways.step(way, mask, scene.now);
    return names.map((name) => ({ ...name, real: see(name.real), shade: name.shade && see(name.shade) }));
  }

  /** A position of one name; the others see that somebody else has one. */
  own({ scene, names }: State, i: number, see: (way: Way) => Way): Name[] {
    const silent = (way: Way): Way => this.ways.step(way, 0, scene.now);
    return names.map((name, j) => ({
      ...name,
      real: i === j ? see(name.real) : silent(name.real),
      shade: name.shade && (i === j ? see(name.shade) : silent(name.shade)),
    }));
  }

  entered({ scene }: State, way: Way, i: number, from: number, flags: number): Way {
    const changed = from === scene.nextList ? 0 : bits.Changed;
    const [before, after] = [this.cron(from, i), this.cron(scene.nextList, i)];
    return this.ways.initialized(way, before, after, flags | changed, scene.now);
  }

  /** Once the plan is durable, the list counts from this instant on: if the process dies then (T11), and if it does not (T24). */
  shaded(state: State): Name[] {
    const { list } = state.scene;
    return state.names.map((name, i) => ({ ...name, shade: this.entered(state, name.real, i, list, 0) }));
  }

  /** The pulses of an instant come before everything that happens at it, minutes before retries (T13). */
  tick(state: State): State {
    const scene = { ...state.scene, now: state.scene.now + TICK_MS };
    const { now, list, life } = scene;
    let names = state.names.map((name) => ({ ...name }));
    const shadeList = life === 'planned' || life === 'committed' ? scene.nextList : list;
    if (now % MINUTE_MS === 0)
      names = names.map((name, i) => ({
        ...name,
        real: this.ways.minute(name.real, this.cron(list, i), now),
        shade: name.shade && this.ways.minute(name.shade, this.cron(shadeList, i), now),
      }));
    const pulse = (way: Way): Way => this.ways.step(way, way.retryAt === now ? bits.RetryDue : 0, now);
    for (let i = 0; i < names.length; i++)
      if (names[i].real.retryAt === now || names[i].shade?.retryAt === now)
        names = this.own({ scene, names }, i, pulse);
    return { scene, names };
  }
}
