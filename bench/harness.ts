/**
 * A side-by-side stopwatch. The contenders take turns within one run (A B C, A B C, …), so that a noisy
 * neighbour or a warming machine hits all of them alike; the median of the rounds counts, and what is
 * reported is the ratio. Absolute figures do not travel between machines, ratios mostly do.
 */
import { cpus } from 'node:os';

export interface Contender {
  readonly name: string;
  /** How many operations one call of `run` performs. */
  readonly operations: number;
  /** Returns something that depends on the work, so that none of it can be optimised away. */
  readonly run: () => unknown;
}

export interface Measured {
  readonly name: string;
  readonly medianNs: number;
  readonly fastestNs: number;
}

export interface CompareOptions {
  readonly rounds?: number;
  /** The least that each peer's time must be, as a multiple of ours (the first contender). */
  readonly atLeast?: Readonly<Record<string, number>>;
}

let sink: unknown;

/** Measures all contenders and prints a table; the first is ours, the others are told as multiples of it. */
export async function compare(
  title: string,
  contenders: readonly Contender[],
  { rounds = 7, atLeast = {} }: CompareOptions = {},
): Promise<readonly Measured[]> {
  const samples = contenders.map((): number[] => []);
  for (let round = -1; round < rounds; round++) {
    for (const [index, { operations, run }] of contenders.entries()) {
      globalThis.gc?.();
      const startedAt = process.hrtime.bigint();
      sink = await run();
      const elapsedNs = Number(process.hrtime.bigint() - startedAt);
      if (round >= 0) samples[index].push(elapsedNs / operations); // round -1 warms up
    }
  }
  const measured = contenders.map(({ name }, index) => {
    const sorted = samples[index].toSorted((a, b) => a - b);
    return { name, medianNs: sorted[sorted.length >> 1], fastestNs: sorted[0] };
  });
  print(title, measured, atLeast);
  return measured;
}

function print(
  title: string,
  measured: readonly Measured[],
  atLeast: Readonly<Record<string, number>>,
): void {
  const ours = measured[0].medianNs;
  console.log(`\n${title}`);
  for (const [index, { name, medianNs, fastestNs }] of measured.entries()) {
    const ratio = medianNs / ours;
    const bound = atLeast[name];
    const verdict =
      bound === undefined ? '' : ratio >= bound ? `  (bound ${bound}×: met)` : `  (bound ${bound}×: MISSED)`;
    if (verdict.includes('MISSED')) process.exitCode = 1;
    const multiple = index === 0 ? '' : `${ratio.toFixed(ratio < 10 ? 2 : 0)}× ours${verdict}`;
    console.log(
      `  ${name.padEnd(34)} ${duration(medianNs).padStart(10)}  best ${duration(fastestNs).padStart(10)}  ${multiple}`,
    );
  }
}

/** A time an operation, in the unit that reads best. */
export function duration(ns: number): string {
  if (ns < 1e3) return `${ns.toFixed(1)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  if (ns < 1e9) return `${(ns / 1e6).toFixed(2)} ms`;
  return `${(ns / 1e9).toFixed(2)} s`;
}

/** The bytes of heap that stay alive for each of `count` values made by `make`. Needs `--expose-gc`. */
export function heapPerItem(count: number, make: (index: number) => unknown): number {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc');
  const kept: unknown[] = new Array(count).fill(undefined);
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < count; index++) kept[index] = make(index);
  globalThis.gc();
  const bytes = (process.memoryUsage().heapUsed - before) / count;
  sink = kept;
  return bytes;
}

/** What these figures were measured on. */
export function machine(): string {
  const processors = cpus();
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}`;
}

/** What the last contender returned. Reading it from outside keeps the work alive in the optimiser's eyes. */
export const lastResult = (): unknown => sink;
