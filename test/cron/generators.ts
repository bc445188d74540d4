/** Random expressions for property tests. */
import { fc } from '../property.ts';

export interface FieldRange {
  readonly min: number;
  readonly max: number;
}

export const RANGES: readonly FieldRange[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12 },
  { min: 0, max: 6 },
];

const element = ({ min, max }: FieldRange): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min, max }).map(String) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
        .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    },
  );

const list = (range: FieldRange): fc.Arbitrary<string> =>
  fc.array(element(range), { minLength: 1, maxLength: 4 }).map((elements) => elements.join(','));

const field = (range: FieldRange): fc.Arbitrary<string> => fc.oneof(fc.constant('*'), list(range));

/** Mostly one value: with a list, some day nearly always matches soon, and rare days and the OR of C2 are hardly tried. */
const sparseField = (range: FieldRange): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    { weight: 5, arbitrary: fc.integer(range).map(String) },
    { weight: 1, arbitrary: list(range) },
  );

/** A POSIX expression, though perhaps one that is never due. */
export const strictExpression: fc.Arbitrary<string> = fc
  .tuple(...RANGES.map((range, index) => (index === 2 || index === 3 ? sparseField(range) : field(range))))
  .map((fields) => fields.join(' '));

/** Instants that people live through, in milliseconds. */
export const instant: fc.Arbitrary<number> = fc.integer({
  min: Date.UTC(1970, 0, 1),
  max: Date.UTC(2100, 0, 1),
});
