/**
 * Every move of the environment and of the scheduler's shell, from any state. The shell (when a start is made durable, when it is
 * called, what a stop takes back) is modelled here after `src/scheduler`; whatever *decides* is asked of the core.
 */
import type { Plan } from '../../../src/core/plan.ts';
import { bits } from '../../../src/theory/logic/atoms.ts';
import { Core } from './core.ts';
import {
  BASE,
  counted,
  type Instance,
  type List,
  listsOf,
  MINUTE_MS,
  namesOf,
  type Subject,
} from './instance.ts';
import { Positions } from './positions.ts';
import { type Name, over, type State, type Visit } from './state.ts';
import { Ways } from './way.ts';
import { Work } from './work.ts';

export class World {
  readonly names: readonly string[];
  readonly core: Core;
  readonly #positions: Positions;
  readonly #work: Work;
  readonly #lists: readonly List[];
  readonly #instance: Instance;

  constructor(instance: Instance, subject: Subject, ways = new Ways(subject.obligation)) {
    this.#instance = instance;
    this.#lists = listsOf(instance);
    this.names = namesOf(instance);
    this.core = new Core(subject, this.#lists, this.names);
    this.#positions = new Positions(ways, this.#lists);
    this.#work = new Work({
      core: this.core,
      positions: this.#positions,
      lists: this.#lists,
      names: this.names,
      budgets: instance.budgets,
    });
  }

  initial(): State {
    const real = this.#positions.ways.initial;
    const nobody: Name = {
      stored: undefined,
      held: undefined,
      phase: 'idle',
      end: undefined,
      real,
      shade: undefined,
    };
    return {
      scene: {
        now: BASE,
        life: 'down',
        stopCalled: false,
        list: -1,
        nextList: -1,
        plannedAt: Number.NaN,
        initializations: 0,
        crashes: 0,
        stops: 0,
        failures: 0,
      },
      names: this.names.map(() => nobody),
    };
  }

  /** All moves from a state, always in the same order. */
  moves(state: State, visit: Visit): void {
    const { life, crashes, stops } = state.scene;
    const { budgets } = this.#instance;
    // A plan is durable within a minute or never: what it compares is not brought closer meanwhile.
    if (life !== 'planned' || state.scene.now - state.scene.plannedAt < MINUTE_MS)
      visit('the clock goes on', this.#positions.tick(state));
    if (life === 'down') {
      this.#initialize(state, visit);
      return;
    }
    if (crashes < budgets.crashes) visit('CRASH', this.#crash(state));
    const isStopped = life === 'stopping' || state.scene.stopCalled;
    if (!isStopped && stops < budgets.stops) visit('stop()', this.#stop(state));
    if (life === 'running' || life === 'stopping') this.#work.moves(state, visit);
    else this.#initializing(state, visit);
  }

  // Initializing

  #initialize(state: State, visit: Visit): void {
    const { scene } = state;
    if (scene.initializations >= this.#instance.budgets.initializations) return;
    const initializations = counted(scene.initializations, this.#instance.budgets.initializations);
    for (let nextList = 0; nextList < this.#lists.length; nextList++)
      visit(`initialize(list ${nextList})`, {
        scene: { ...scene, life: 'asked', nextList, initializations },
        names: this.#positions.everyone(state, bits.IS),
      });
  }

  #initializing(state: State, visit: Visit): void {
    const { scene } = state;
    const { life, now, plannedAt } = scene;
    if (life === 'asked' || life === 'planned')
      visit('initialize fails: the store does not answer', this.#failed(state));
    if (life === 'asked')
      visit('the plan is made', {
        scene: { ...scene, life: 'planned', plannedAt: now },
        names: this.#positions.shaded(state),
      });
    if (life === 'planned')
      visit('the plan is durable', this.#committed(state, this.core.plan(state, plannedAt)));
    if (life === 'committed') visit('initialize resolves', this.#returned(state));
  }

  #failed(state: State): State {
    const names = this.#positions.everyone(state, bits.IEf).map((name) => ({ ...name, shade: undefined }));
    return { scene: over(state.scene, 'down'), names };
  }

  #committed(state: State, plan: Plan): State {
    const { cutOffs, removes, puts, configures, moves } = plan;
    const names = this.core.commit(state.names, { cutOffs, removes, puts, configures, moves });
    this.core.mustAgree(plan, names);
    return { scene: { ...state.scene, life: 'committed' }, names };
  }

  /** `InitSuccess` carries the instant of the plan: the list counts from there, and tasks may start from here on (T24). */
  #returned(state: State): State {
    const { scene } = state;
    const { nextList, stopCalled } = scene;
    const flags = stopCalled ? 0 : bits.Live;
    const names = this.core.held(state, nextList).map((name, i) => {
      const real = this.#positions.entered(state, name.shade ?? name.real, i, nextList, flags);
      return { ...name, real, shade: undefined };
    });
    return { scene: { ...over(scene, stopCalled ? 'stopping' : 'running'), list: nextList }, names };
  }

  // Stops and crashes

  #stop(state: State): State {
    const { scene } = state;
    const stops = counted(scene.stops, this.#instance.budgets.stops);
    const names = this.#positions.everyone(state, bits.SS);
    if (scene.life !== 'running') return { scene: { ...scene, stops, stopCalled: true }, names };
    let next: State = { scene, names };
    names.forEach(({ phase }, i) => {
      if (phase === 'ready') next = this.#work.takeBack(next, i);
    });
    return { scene: { ...scene, stops, life: 'stopping' }, names: next.names };
  }

  /** What is durable stays; where it says something else than the trace, the shade was the truth. */
  #crash(state: State): State {
    const { scene } = state;
    const { life } = scene;
    const crashes = counted(scene.crashes, this.#instance.budgets.crashes);
    const names = state.names.map((name) => ({
      ...name,
      held: undefined,
      end: undefined,
      phase: 'idle' as const,
      real: (life === 'planned' ? undefined : name.shade) ?? name.real,
      shade: undefined,
    }));
    const list = life === 'committed' ? scene.nextList : scene.list;
    return {
      scene: { ...over(scene, 'down'), crashes, list },
      names: this.#positions.everyone({ scene, names }, bits.Crash),
    };
  }
}
