/** Records with one fault each: a field that is gone, of another type, or beyond all measure. */

import type { TraceRecord } from '../../src/trace/record.ts';
import { fc } from '../property.ts';

/** What a field may be instead. JSON has no word for some of them, and writes null. */
const strange = fc.constantFrom<unknown>(
  null,
  true,
  '',
  'x',
  '2026-03-02T12:00:00Z',
  [],
  [null],
  {},
  0,
  5,
  -1,
  0.5,
  1e9,
  1.8e12,
  -1e14,
  1e15,
  -1e15,
  8.64e15,
  1e300,
  2 ** 53,
  Number.NaN,
  Number.POSITIVE_INFINITY,
);

/** Anything with fields. */
type Fields = { readonly [name: string]: unknown };

/** A record with one fault, or something that is no record at all. */
const damaged = (record: TraceRecord): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: faulty({ ...record }), weight: 9 }, { arbitrary: strange, weight: 1 });

function faulty(owner: Fields): fc.Arbitrary<unknown> {
  const fields = Object.keys(owner);
  return fc
    .record({ field: fc.constantFrom(...fields), fault: fc.constantFrom('gone', 'other', 'within'), strange })
    .chain(({ field, fault, strange: other }) => {
      const { [field]: value, ...rest } = owner;
      if (fault === 'gone') return fc.constant<unknown>(rest);
      if (fault === 'within' && Array.isArray(value) && value.length > 0)
        return faulty(value[0]).map((first): unknown => ({ ...owner, [field]: [first, ...value.slice(1)] }));
      return fc.constant<unknown>({ ...owner, [field]: other });
    });
}

/** The places and the records that are put there. */
export interface Damage {
  readonly place: number;
  readonly record: unknown;
}

/** One of the records, with a fault. */
export const damageTo = (records: readonly TraceRecord[]): fc.Arbitrary<Damage> =>
  fc.nat(records.length - 1).chain((place) => damaged(records[place]).map((record) => ({ place, record })));
