/** Random expressions for property tests. */
import fc from 'fast-check';

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

const field = (range: FieldRange): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant('*'),
    fc.array(element(range), { minLength: 1, maxLength: 4 }).map((elements) => elements.join(',')),
  );

/** A POSIX expression, though perhaps one that is never due. */
export const strictExpression: fc.Arbitrary<string> = fc
  .tuple(...RANGES.map(field))
  .map((fields) => fields.join(' '));

/** Instants that people live through, in milliseconds. */
export const instant: fc.Arbitrary<number> = fc.integer({
  min: Date.UTC(1970, 0, 1),
  max: Date.UTC(2100, 0, 1),
});
