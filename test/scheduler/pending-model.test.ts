/**
 * The whole scheduler against the one rule (A1), written a second time and independently: four numbers and flags a task. Random
 * registrations, passing time, ends, stops, crashes and lost ends; after every step exactly the predicted tasks have started, at
 * the predicted instants, for the predicted reasons, and what is stored is what the rule says.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Registration } from '../../src/scheduler/options.ts';
import { until } from '../../src/testing/index.ts';
import { fc } from '../property.ts';
import { MINUTE, Stage } from './scenario.ts';

/** Expressions, and whether a minute since 1970 is due by them: a second opinion, in UTC. */
const schedules: readonly [string, (minute: number) => boolean][] = [
  ['* * * * *', () => true],
  ['0,20,40 * * * *', (minute) => minute % 20 === 0],
  ['7 * * * *', (minute) => minute % 60 === 7],
  ['0 12 * * *', (minute) => minute % 1440 === 720],
  ['15 12 * * 1', (minute) => minute % 1440 === 735 && (Math.floor(minute / 1440) + 4) % 7 === 1],
];
const names = ['a', 'b', 'c', 'd'];

interface Config {
  readonly schedule: number;
  readonly delayMs: number;
}
/** One a name; `null` for a name that is not registered. */
type List = readonly (Config | null)[];
type Outcome = 'success' | 'failure';
type Command =
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'end'; readonly pick: number; readonly outcome: Outcome }
  | { readonly kind: 'restart'; readonly outcome: Outcome; readonly awayMs: number; readonly list: List }
  | {
      readonly kind: 'crash';
      readonly lost: 'nothing' | 'ends';
      readonly awayMs: number;
      readonly list: List;
    };

interface ModelTask {
  config: Config;
  cursor: number;
  retryAt: number;
  running: boolean;
  orphaned: boolean;
}

class Model {
  readonly tasks = new Map<string, ModelTask>();

  initialize(list: List, now: number): void {
    for (const [index, name] of names.entries()) {
      const config = list[index];
      const task = this.tasks.get(name);
      if (config === null) this.tasks.delete(name);
      else if (task !== undefined) task.config = config;
      else {
        const cursor = Math.floor(now / MINUTE) * MINUTE - 1;
        this.tasks.set(name, { config, cursor, retryAt: Infinity, running: false, orphaned: false });
      }
    }
  }

  /** Whatever becomes pending from `now` until then is started, as soon as it is. */
  pass(now: number, until: number): string[] {
    const starts: string[] = [];
    for (const [name, task] of this.tasks) {
      if (task.running) continue;
      const dueAt = Math.max(firstDue(task, until), now);
      const retryAt = Math.max(task.retryAt, now);
      const at = task.orphaned ? now : Math.min(dueAt, retryAt);
      if (at > until) continue;
      starts.push(`${name} ${at} ${task.orphaned ? 'orphaned' : dueAt <= at ? 'due' : 'retry'}`);
      Object.assign(task, { cursor: at, retryAt: Infinity, running: true, orphaned: false });
    }
    return starts.sort();
  }

  end(name: string, outcome: Outcome, now: number): void {
    const task = this.tasks.get(name);
    if (task === undefined) throw new Error(`${name} is not registered`);
    task.running = false;
    if (outcome === 'failure') task.retryAt = now + task.config.delayMs;
  }

  crash(): void {
    for (const task of this.tasks.values()) {
      if (task.running) Object.assign(task, { running: false, orphaned: true });
    }
  }

  get running(): string[] {
    return [...this.tasks].flatMap(([name, { running }]) => (running ? [name] : [])).sort();
  }
}

function firstDue({ config, cursor }: ModelTask, until: number): number {
  const isDue = schedules[config.schedule][1];
  for (let minute = Math.floor(cursor / MINUTE) + 1; minute * MINUTE <= until; minute++) {
    if (isDue(minute)) return minute * MINUTE;
  }
  return Infinity;
}

/** The real scheduler, driven by the same commands. */
class Player {
  readonly stage: Stage;
  readonly model = new Model();
  readonly #ends = new Map<string, (outcome: Outcome) => void>();
  /** How many starts of the present life have been compared already. */
  #compared = 0;

  constructor(start: number, workers: number) {
    this.stage = new Stage(new Date(start).toISOString(), { workers });
  }

  async play(command: Command): Promise<void> {
    const { stage, model } = this;
    switch (command.kind) {
      case 'pass': {
        const now = stage.clock.now();
        await stage.clock.advance(command.ms);
        return this.#compare(model.pass(now, stage.clock.now()));
      }
      case 'end': {
        const { running } = model;
        if (running.length === 0) return;
        this.#end(running[command.pick % running.length], command.outcome);
        await stage.clock.settle();
        return this.#compare(model.pass(stage.clock.now(), stage.clock.now()));
      }
      case 'restart': {
        const stopped = stage.stop();
        for (const name of model.running) this.#end(name, command.outcome);
        await stopped;
        await this.#compare([]);
        await stage.clock.advance(command.awayMs);
        return this.initialize(command.list);
      }
      case 'crash': {
        if (command.lost === 'ends') {
          stage.disk.fate = ({ ends = [] }) => (ends.length > 0 ? 'silence' : 'taken');
          for (const name of model.running) this.#ends.get(name)?.('success');
          await stage.clock.settle();
        }
        await stage.crash();
        model.crash();
        this.#compared = 0;
        await stage.clock.advance(command.awayMs);
        return this.initialize(command.list);
      }
    }
  }

  async initialize(list: List): Promise<void> {
    const now = this.stage.clock.now();
    this.model.initialize(list, now);
    await this.stage.initialize(...names.flatMap((name, index) => this.#register(name, list[index])));
    await this.#compare(this.model.pass(now, now));
  }

  async finish(): Promise<void> {
    const stopped = this.stage.stop();
    for (const name of this.model.running) this.#end(name, 'success');
    await stopped;
    await this.#compare([]);
  }

  #register(name: string, config: Config | null): Registration[] {
    if (config === null) return [];
    const callback = (): Promise<void> =>
      until(
        new Promise((resolve, reject) => {
          this.#ends.set(name, (outcome) => (outcome === 'success' ? resolve() : reject(outcome)));
        }),
      );
    return [[name, schedules[config.schedule][0], callback, config.delayMs]];
  }

  #end(name: string, outcome: Outcome): void {
    this.model.end(name, outcome, this.stage.clock.now());
    this.#ends.get(name)?.(outcome);
  }

  async #compare(predicted: readonly string[]): Promise<void> {
    const starts = this.stage.world.events.flatMap((event) =>
      event.type === 'TaskRunStarted' || event.type === 'TaskRetryStarted'
        ? [`${event.task} ${event.at} ${event.reason}`]
        : [],
    );
    assert.deepEqual(starts.slice(this.#compared).sort(), predicted);
    this.#compared = starts.length;
    const records = await this.stage.disk.records();
    assert.deepEqual(records.map(({ name }) => name).sort(), [...this.model.tasks.keys()].sort());
    for (const { name, run, servedThrough, pendingRetryUntil } of records) {
      const task = this.model.tasks.get(name);
      assert.equal(run !== null, task?.running, name);
      if (run !== null) continue; // what a start discharges is written with its end (A4)
      assert.deepEqual([servedThrough, pendingRetryUntil ?? Infinity], [task?.cursor, task?.retryAt], name);
    }
  }
}

const config = fc.record({
  schedule: fc.nat(schedules.length - 1),
  delayMs: fc.constantFrom(0, 1, 1500, MINUTE, 90_000, 20 * MINUTE),
});
const list = fc.tuple(...names.map(() => fc.option(config, { freq: 6 })));
const outcome = fc.constantFrom('success' as const, 'failure' as const);
const ms = fc.oneof(fc.constantFrom(0, 1, 30_000, MINUTE, 20 * MINUTE), fc.nat(2 * MINUTE));
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('end' as const), pick: fc.nat(3), outcome }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), outcome, awayMs: ms, list }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      lost: fc.constantFrom('nothing' as const, 'ends' as const),
      awayMs: ms,
      list,
    }),
  },
);
const start = fc.nat(30 * MINUTE).map((after) => Date.UTC(2026, 2, 2, 11, 50) + after);

for (const workers of [Infinity, names.length]) {
  test(`A1 A2 A3 A11 what starts is what the rule predicts, step by step (workers: ${workers})`, async () => {
    await fc.assert(
      fc.asyncProperty(start, list, fc.array(command, { maxLength: 25 }), async (at, first, commands) => {
        const player = new Player(at, workers);
        await player.initialize(first);
        for (const each of commands) await player.play(each);
        await player.finish();
      }),
      { numRuns: 60 },
    );
  });
}
