/**
 * The pure function of `state.ts` as the model of the shell. The shell shows when a task is triggered, started, ended
 * and stopped; it does not show when it makes a pass, or when it takes notice of an end. So the model is kept as the set
 * of all states that the shell may be in: before each thing seen, any number of passes and notices may have happened.
 * If the set runs empty, the shell did what the model cannot do.
 */
import assert from 'node:assert/strict';
import {
  addTask,
  canTake,
  createState,
  type ExecutorState,
  endSource,
  finish,
  hasReady,
  isDone,
  type Kind,
  pass,
  REFUSED,
  stop,
  take,
  trigger,
} from '../../src/executor/state.ts';

interface Possibility {
  readonly state: ExecutorState;
  /** Tasks whose run is over, of which the state does not know yet. */
  readonly over: ReadonlySet<number>;
}

export class Possible {
  #all: Possibility[];
  readonly seen: string[] = [];

  constructor(workers: number) {
    this.#all = [{ state: createState(workers), over: new Set() }];
  }

  added(kind: Kind): number {
    const numbers = new Set(this.#all.map(({ state }) => addTask(state, kind)));
    assert.equal(numbers.size, 1);
    const [number] = numbers;
    this.seen.push(`add ${number}`);
    return number;
  }

  triggered(task: number, counted: boolean): void {
    this.#see(`trigger ${task} ${counted}`, ({ state }) => (trigger(state, task) !== REFUSED) === counted);
  }

  sourceEnded(task: number): void {
    this.#see(`end ${task}`, ({ state }) => {
      endSource(state, task);
      return true;
    });
  }

  started(task: number): void {
    this.#see(`start ${task}`, ({ state }) => take(state) === task);
  }

  over(task: number): void {
    this.seen.push(`over ${task}`);
    this.#all = this.#all.map(({ state, over }) => ({ state, over: new Set([...over, task]) }));
  }

  stopped(): void {
    this.#see('stop', ({ state }) => {
      stop(state);
      return true;
    });
  }

  /** The shell has come to rest: it must have noticed every end and started all that it could. */
  rested(): void {
    this.#all = this.#closure().filter(
      ({ state, over }) =>
        over.size === 0 &&
        !canTake(state) &&
        !(hasReady(state) && state.runningCount < state.workers && !state.stopped),
    );
    assert.ok(this.#all.length > 0, `it rests with work left to do:\n${this.seen.join('\n')}`);
  }

  /** To be asked at rest, when all possibilities agree. */
  get isDone(): boolean {
    const answers = new Set(this.#all.map(({ state }) => isDone(state)));
    assert.equal(answers.size, 1);
    return answers.has(true);
  }

  #see(what: string, happens: (possibility: Possibility) => boolean): void {
    this.seen.push(what);
    this.#all = this.#closure().filter(happens);
    assert.ok(this.#all.length > 0, `the model cannot do the last of these:\n${this.seen.join('\n')}`);
  }

  /** Everything that can be reached by what is not seen. */
  #closure(): Possibility[] {
    const found = new Map<string, Possibility>();
    const open = [...this.#all];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const key = keyOf(next);
      if (found.has(key)) continue;
      found.set(key, next);
      if (hasReady(next.state)) {
        const state = structuredClone(next.state);
        pass(state);
        open.push({ state, over: next.over });
      }
      for (const task of next.over) {
        const state = structuredClone(next.state);
        finish(state, task);
        open.push({ state, over: new Set([...next.over].filter((other) => other !== task)) });
      }
    }
    return [...found.values()].map(({ state, over }) => ({ state: structuredClone(state), over }));
  }
}

function keyOf({ state, over }: Possibility): string {
  const { phase, triggered, next, lists } = state;
  return [phase, triggered, next, lists, [...over].sort()].map((part) => part.join()).join(';');
}
