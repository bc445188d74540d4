/** A random life, or several, of the real scheduler: due, late, failing, stopped, killed, overridden, its clock set. From one seed. */

import { until } from '../../src/testing/index.ts';
import type { TraceRecord } from '../../src/trace/record.ts';
import { HOUR, MINUTE, SECOND, Stage } from '../scheduler/scenario.ts';
import { below, pick, type Random, randomOf } from './random.ts';

type Held = { succeed(): void; fail(): void };

const crons = [
  '* * * * *',
  '0,1 12 * * *',
  '*  12 * * *',
  '0 * * * *',
  '2-4 11-12 * * *',
  '30 13 * * *',
] as const;
const delays = [0, 3 * SECOND, 70 * SECOND, HOUR] as const;

interface Action {
  readonly weight: number;
  readonly act: (play: Play) => Promise<void>;
}

class Play {
  readonly random: Random;
  readonly stage: Stage;
  readonly records: TraceRecord[] = [];
  held: Held[] = [];
  isRunning = false;

  constructor(seed: number, workers: number) {
    this.random = randomOf(seed);
    this.stage = new Stage('2026-03-02T11:58:20Z', { workers });
  }

  async initialize(): Promise<void> {
    if (this.isRunning) return;
    const names = ['a', 'b', 'c'].filter(() => this.random() < 0.8);
    this.isRunning = true;
    await this.stage.initialize(
      ...names.map(
        (name) => [name, pick(this.random, crons), () => this.#run(), pick(this.random, delays)] as const,
      ),
    );
  }

  #run(): unknown {
    const roll = this.random();
    if (roll < 0.3) return undefined;
    if (roll < 0.5) throw new Error('failed on purpose');
    return until(
      new Promise<void>((resolve, reject) => {
        this.held.push({ succeed: resolve, fail: () => reject(new Error('failed on purpose')) });
      }),
    );
  }

  async end(): Promise<void> {
    const [run] = this.held.splice(below(this.random, this.held.length), 1);
    if (this.random() < 0.5) run?.succeed();
    else run?.fail();
    await this.stage.clock.settle();
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const stopping = this.stage.stop();
    if (this.random() < 0.5) await this.stage.clock.advance(5 * SECOND);
    while (this.held.length > 0) await this.end();
    await stopping;
    this.isRunning = false;
  }

  /** As the recorder tells it: the death right after the last record, then nobody was there. */
  async crash(): Promise<void> {
    this.records.push(...this.stage.world.trace);
    const from = this.records.at(-1)?.at;
    this.held = [];
    this.isRunning = false;
    await this.stage.crash();
    if (from === undefined) return;
    await this.stage.clock.advance(pick(this.random, [1, SECOND, 50 * SECOND, 3 * MINUTE, HOUR]));
    const to = this.stage.clock.now();
    this.records.push({ event: 'UnexpectedShutdown', at: from }, { event: 'Frozen', at: to, from, to });
  }

  /** The disk refuses everything for a while, or takes it and says that it did not. */
  async trouble(): Promise<void> {
    const { disk } = this.stage;
    const fate = pick(this.random, ['refused', 'taken but refused'] as const);
    disk.fate = () => fate;
    await this.stage.clock.advance(pick(this.random, [SECOND, 20 * SECOND, 3 * MINUTE]));
    disk.fate = () => 'taken';
    await this.stage.clock.advance(MINUTE);
  }

  async step(): Promise<void> {
    // Seen by a scheduler that runs; without one, nobody records it.
    if (!this.isRunning) return;
    this.stage.clock.step(
      pick(this.random, [-20 * SECOND, -50 * SECOND, -10 * MINUTE, -5 * HOUR, 10 * MINUTE, 2 * HOUR]),
    );
    await this.stage.clock.advance(MINUTE);
  }
}

const actions: readonly Action[] = [
  {
    weight: 6,
    act: (play) => play.stage.clock.advance(pick(play.random, [SECOND, 20 * SECOND, MINUTE, 2 * MINUTE])),
  },
  { weight: 4, act: (play) => play.end() },
  { weight: 2, act: (play) => play.initialize() },
  { weight: 1, act: (play) => play.stop() },
  { weight: 1, act: (play) => play.crash() },
];
const step: Action = { weight: 1, act: (play) => play.step() };
const refusals: Action = { weight: 1, act: (play) => play.trouble() };

export interface LifeOptions {
  readonly steps: 'none' | 'some';
  /** Whether the disk refuses batches for a while, or takes them and says that it did not. */
  readonly trouble?: 'none' | 'some';
  readonly workers?: number;
}

export async function randomLife(
  seed: number,
  { steps, trouble = 'none', workers = Number.POSITIVE_INFINITY }: LifeOptions,
): Promise<readonly TraceRecord[]> {
  const play = new Play(seed, workers);
  const possible = [
    ...actions,
    ...(steps === 'some' ? [step] : []),
    ...(trouble === 'some' ? [refusals] : []),
  ];
  const choices = possible.flatMap(({ weight, act }) => new Array<Action['act']>(weight).fill(act));
  await play.initialize();
  for (let i = 0; i < 20; i++) await pick(play.random, choices)(play);
  await play.stop();
  return [...play.records, ...play.stage.world.trace];
}
