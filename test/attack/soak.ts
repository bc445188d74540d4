/**
 * A scheduler that has 5,000 starts and more per minute, for as long as one likes. Each minute its memory, descriptors, write-ahead log and
 * file are measured. After the first ten minutes none of them may grow.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bounded, Words } from '../patience.ts';
import type { Attack } from './attack.ts';
import type { Ground } from './ground.ts';

const TASKS = 5000;
/** Reached within the first ten minutes, so that pruning is a part of what is measured. */
const KEEP_RUNS = 30_000;
const SETTLED_AFTER_MINUTES = 10;
const MINUTE_MS = 60_000;
const MIB = 2 ** 20;

/** What is measured, and how much more than in the first ten minutes may be seen later. */
const MEASURES = {
  'RSS MiB': { growth: 1.15, slack: 8 },
  descriptors: { growth: 1, slack: 2 },
  'WAL MiB': { growth: 1.1, slack: 4 },
  'store MiB': { growth: 1.1, slack: 1 },
} as const;
type Measure = keyof typeof MEASURES;
type Sample = Readonly<Record<Measure, number>>;

export const soak: Attack = {
  name: 'soak',
  what: `${TASKS} tasks per minute for an hour: memory, descriptors, write-ahead log and store do not grow after the first ten minutes`,
  unit: 'minutes',
  short: undefined,
  long: 60,
  missing: () => (process.platform === 'linux' ? undefined : 'memory and descriptors are read from /proc'),
  async play(ground, minutes) {
    const file = join(ground.place(), 'state.db');
    const words = new Words();
    const child = ground.spawn(
      process.execPath,
      [join(import.meta.dirname, 'fixtures/soak.ts'), file, String(TASKS), String(KEEP_RUNS)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    child.stdout?.on('data', (chunk: Buffer) => words.hear(chunk));
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.once('exit', () => words.over());
    await words.says(/\d/);
    const samples = await measured(ground, minutes, () => sampleOf(child.pid ?? 0, file), words);
    child.kill('SIGTERM');
    const code = await bounded('the end of a scheduler that was asked to stop', exited);
    const isStopped = code === 0 && words.text.endsWith('stopped\n');
    return {
      violations: [...growth(samples), ...(isStopped ? [] : [`it ended with ${code}, not by its stop`])],
      figures: { minutes: samples.length, runs: runsIn(words), ...ranges(samples) },
    };
  },
};

async function measured(
  ground: Ground,
  minutes: number,
  sample: () => Sample,
  words: Words,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (let minute = 1; minute <= minutes; minute++) {
    await pause(MINUTE_MS);
    const now = sample();
    samples.push(now);
    const shown = Object.entries(now).map(([what, value]) => `${what} ${value}`);
    ground.say(`minute ${minute}: ${shown.join(', ')}, runs ${runsIn(words)}`);
    ground.advance();
  }
  return samples;
}

/** How many runs have ended: the last number that the scheduler has printed. */
const runsIn = ({ text }: Words): number => Number(/(\d+)\n(?:stopped\n)?$/.exec(text)?.[1] ?? 0);

function sampleOf(pid: number, file: string): Sample {
  const kib = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    'RSS MiB': rounded(Number(kib) / 1024),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    'WAL MiB': rounded(sizeOf(`${file}-wal`) / MIB),
    'store MiB': rounded(sizeOf(file) / MIB),
  };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

const measures = Object.keys(MEASURES) as readonly Measure[];

/** What has grown after the first ten minutes. */
export function growth(samples: readonly Sample[]): readonly string[] {
  const later = samples.slice(SETTLED_AFTER_MINUTES);
  return measures.flatMap((measure) => {
    const first = Math.max(...samples.slice(0, SETTLED_AFTER_MINUTES).map((sample) => sample[measure]));
    const highest = Math.max(0, ...later.map((sample) => sample[measure]));
    const most = first * MEASURES[measure].growth + MEASURES[measure].slack;
    return highest <= most
      ? []
      : [`${measure} grew to ${highest}, from at most ${first} in the first ten minutes`];
  });
}

/** "97.1 to 103.4 after the first ten minutes", for each measure; of all minutes if there are no more. */
const ranges = (samples: readonly Sample[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    measures.map((measure) => {
      const later = samples.length > SETTLED_AFTER_MINUTES ? samples.slice(SETTLED_AFTER_MINUTES) : samples;
      const values = later.map((sample) => sample[measure]);
      return [measure, `${Math.min(...values)} to ${Math.max(...values)}`];
    }),
  );
