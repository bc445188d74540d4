/** The moves of a scheduler that runs or stops: starts, calls, ends, and when each of them becomes durable. */
import type { EndChange } from '../../../src/core/changes.ts';
import { Ends } from '../../../src/core/rows.ts';
import type { Tasks } from '../../../src/core/tasks.ts';
import { bits } from '../../../src/theory/logic/atoms.ts';
import type { Core } from './core.ts';
import { type Budgets, counted, type List } from './instance.ts';
import type { Positions } from './positions.ts';
import { type Name, over, type State, type Visit } from './state.ts';

export interface Parts {
  readonly core: Core;
  readonly positions: Positions;
  readonly lists: readonly List[];
  readonly names: readonly string[];
  readonly budgets: Budgets;
}

const someError = { name: 'Error', message: '', text: '' };

function endOf(tasks: Tasks, place: number, outcome: EndChange['outcome'], now: number): EndChange {
  const ends = new Ends(tasks);
  tasks.end(place, outcome, outcome === 'success' ? null : someError, now, ends);
  return [...ends][0];
}

export class Work {
  readonly #core: Core;
  readonly #positions: Positions;
  readonly #lists: readonly List[];
  readonly #names: readonly string[];
  readonly #budgets: Budgets;

  constructor({ core, positions, lists, names, budgets }: Parts) {
    this.#core = core;
    this.#positions = positions;
    this.#lists = lists;
    this.#names = names;
    this.#budgets = budgets;
  }

  moves(state: State, visit: Visit): void {
    const { scene, names } = state;
    const { placeOf } = this.#lists[scene.list];
    const reasons = scene.life === 'running' ? this.#core.reasons(state) : [];
    names.forEach((name, i) => {
      if (placeOf[i] < 0) return;
      const who = this.#names[i];
      const { phase, end } = name;
      if (phase === 'idle' && reasons[i] !== undefined)
        visit(`${who} is claimed (${reasons[i]})`, this.#with(state, i, this.#claimed(state, i)));
      if (phase === 'idle' && end !== undefined)
        visit(`the end of ${who} is durable`, this.#durable(state, i, 'idle'));
      if (phase === 'claimed') visit(`the start of ${who} is durable`, this.#started(state, i));
      if (phase === 'ready') visit(`${who} is CALLED`, this.#called(state, i));
      if (phase === 'running') this.#ends(state, i, visit);
      if (phase === 'unstarting') visit(`taking ${who} back is durable`, this.#durable(state, i, 'idle'));
    });
    const isQuiet = names.every(({ phase, end }) => phase === 'idle' && end === undefined);
    if (scene.life === 'stopping' && isQuiet) visit('stop resolves', this.#stopped(state));
  }

  #with({ scene, names }: State, i: number, name: Name): State {
    return { scene, names: names.map((other, j) => (i === j ? name : other)) };
  }

  #claimed(state: State, i: number): Name {
    this.#core.claim(state, i);
    return { ...state.names[i], phase: 'claimed' };
  }

  /** What waits to be written of a name is written: its end before its next start, in one batch. */
  #durable(state: State, i: number, phase: Name['phase']): State {
    const { end, held, stored, phase: before } = state.names[i];
    const name = this.#names[i];
    const ends = end === undefined ? [] : [end];
    const starts = before === 'claimed' ? [this.#core.claim(state, i)] : [];
    const unstarts =
      before === 'unstarting' && held !== undefined
        ? [{ name, runId: stored?.run?.runId ?? '', work: held.work, run: held.run }]
        : [];
    const names = this.#core.commit(state.names, { ends, unstarts, starts });
    return this.#with({ scene: state.scene, names }, i, {
      ...names[i],
      end: undefined,
      phase,
      shade: undefined,
    });
  }

  /** A start that is durable and never called is, after a crash, a run that was cut off (T10). */
  #started(state: State, i: number): State {
    const next = this.#durable(state, i, 'ready');
    const shade = this.#positions.ways.step(next.names[i].real, bits.RS, state.scene.now);
    const ready = this.#with(next, i, { ...next.names[i], shade });
    return state.scene.life === 'stopping' ? this.takeBack(ready, i) : ready;
  }

  takeBack(state: State, i: number): State {
    const { held } = this.#core.step(state, i, (tasks, place) => tasks.unclaim(place));
    return this.#with(state, i, { ...state.names[i], held, phase: 'unstarting' });
  }

  #called(state: State, i: number): State {
    const { now } = state.scene;
    const { held } = this.#core.step(state, i, (tasks, place) => tasks.call(place, now));
    const names = this.#positions.own(state, i, (way) => this.#positions.ways.step(way, bits.RS, now));
    const next = { ...state, names };
    return this.#with(next, i, { ...names[i], held, phase: 'running', shade: undefined });
  }

  #ends(state: State, i: number, visit: Visit): void {
    visit(`${this.#names[i]} succeeds`, this.#ended(state, i, 'success'));
    if (state.scene.failures < this.#budgets.failures) {
      const failures = counted(state.scene.failures, this.#budgets.failures);
      const next = this.#ended(state, i, 'failure');
      visit(`${this.#names[i]} fails`, { ...next, scene: { ...next.scene, failures } });
    }
  }

  /** An end that is not durable is, after a crash, none: the run was cut off (T10). */
  #ended(state: State, i: number, outcome: 'success' | 'failure'): State {
    const { now, list } = state.scene;
    const { change, held } = this.#core.step(state, i, (tasks, place) => endOf(tasks, place, outcome, now));
    const { retryDelayMs } = this.#lists[list].registrations[this.#lists[list].placeOf[i]];
    const names = this.#positions.own(state, i, (way) =>
      outcome === 'success'
        ? this.#positions.ways.step(way, bits.REs, now)
        : this.#positions.ways.failed(way, retryDelayMs, now),
    );
    const shade = state.names[i].real;
    return this.#with({ ...state, names }, i, { ...names[i], held, phase: 'idle', end: change, shade });
  }

  #stopped(state: State): State {
    const names = this.#positions.everyone(state, bits.SE).map((name) => ({ ...name, held: undefined }));
    return { scene: over(state.scene, 'down'), names };
  }
}
