/** Figures as people read them. */
import type { Unit } from './scenario.ts';

const scales: Readonly<Record<Unit, ReadonlyArray<readonly [size: number, name: string]>>> = {
  ms: [
    [1e-3, 'µs'],
    [1, 'ms'],
    [1000, 's'],
  ],
  B: [
    [1, 'B'],
    [1e3, 'kB'],
    [1e6, 'MB'],
    [1e9, 'GB'],
  ],
  count: [[1, '']],
  '/s': [[1, '/s']],
};

/** Three digits that count, or all of a larger whole number. */
function digits(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** "992 ms", "1.24 s", "41.2 MB", "21". */
export function shown(value: number, unit: Unit): string {
  // A large number of bytes per task is easier to compare when it is not shortened.
  const isShort = unit === 'B' && Math.abs(value) < 1e6;
  const [size, name] = isShort
    ? scales.B[0]
    : (scales[unit].findLast(([least]) => Math.abs(value) >= least) ?? scales[unit][0]);
  const number = digits(isShort ? Math.round(value) : value / size);
  return name === '' ? number : `${number} ${name}`;
}

/** "12×", "3.4×", "0.08×". */
export function multiple(value: number | undefined): string {
  if (value === undefined) return '';
  const places = value >= 10 ? 0 : value >= 1 ? 1 : 2;
  return `${value.toLocaleString('en', { maximumFractionDigits: places, minimumFractionDigits: places })}×`;
}
