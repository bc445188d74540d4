/** What statements are made of is the same for the rows of a scheduler and for the changes that they mean. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ends, type Naming, ROW, SpareCells, Starts } from '../../../src/core/rows.ts';
import { RunNames } from '../../../src/core/run-names.ts';
import { Dictionary } from '../../../src/store/postgres/dictionary.ts';
import { labelsIn } from '../../../src/store/postgres/mentioned.ts';
import { endRows, idsOf, startRows } from '../../../src/store/postgres/run-rows.ts';
import { fc } from '../../property.ts';

const TASKS = 6;
const INSTANCES = ['me', 'a-b_C', 'another', 'with-dash-'];

function naming(): Naming {
  const runNames = new RunNames();
  for (const instance of INSTANCES) runNames.place(instance);
  return { runNames, spareCells: new SpareCells(), nameOf: (task) => `task ${task}` };
}

/** Knows everything but the last task. */
function dictionaries() {
  const [names, labels] = [new Dictionary('s', 'name'), new Dictionary('s', 'label')];
  for (let task = 0; task < TASKS - 1; task++) names.learn(100 + task, `task ${task}`);
  for (const [place, instance] of INSTANCES.entries()) labels.learn(7 + place, instance);
  return { names, labels };
}

const task = fc.nat(TASKS - 1);
const place = fc.nat(INSTANCES.length - 1);
const count = fc.integer({ min: 1, max: 1e9 });
const instant = fc.integer({ min: 0, max: 4e12 });
const instantOrNone = fc.option(instant, { nil: Number.NaN });
const reason = fc.nat(3);
/** In the order of the cells that starts and ends have in common. */
const common = fc.tuple(
  task,
  place,
  count,
  place,
  count,
  instant,
  fc.integer({ min: 1, max: 9 }),
  reason,
  instant,
);

const version = fc.oneof(fc.nat(1e9), fc.constant(Number.NaN));

test('K2 the starts of a scheduler are the same numbers as the changes that they mean', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(common, version), { maxLength: 20 }), (rows) => {
      const starts = new Starts(naming());
      for (const [cells, decidedBy] of rows) {
        const at = starts.add();
        starts.cells.set(cells, at);
        starts.cells[at + ROW.version] = decidedBy;
      }
      assert.deepEqual(startRows(starts, dictionaries()), startRows([...starts], dictionaries()));
      assert.deepEqual(idsOf(starts, dictionaries()), idsOf([...starts], dictionaries()));
      const enrolled = Int32Array.from({ length: TASKS }, (_, task) =>
        dictionaries().names.id(`task ${task}`),
      );
      assert.deepEqual(startRows(starts, { ...dictionaries(), enrolled }), startRows(starts, dictionaries()));
      assert.deepEqual([...labelsIn({ starts })].sort(), [...labelsIn({ starts: [...starts] })].sort());
    }),
  );
});

test('K4 the ends of a scheduler are the same numbers as the changes that they mean', () => {
  const error = fc.option(fc.record({ name: fc.string(), message: fc.string(), text: fc.string() }));
  const rest = fc.tuple(instantOrNone, instant, fc.nat(5), instantOrNone, fc.nat(9), instantOrNone);
  fc.assert(
    fc.property(fc.array(fc.tuple(common, rest, error), { maxLength: 20 }), (rows) => {
      const ends = new Ends(naming());
      for (const [first, [servedThrough, ...last], thrown] of rows) {
        const at = ends.add(thrown);
        ends.cells.set(first, at);
        ends.cells.set(last, at + ROW.endedAt);
        ends.cells[at + ROW.servedThrough] = servedThrough;
      }
      assert.deepEqual(endRows(ends, dictionaries()), endRows([...ends], dictionaries()));
      assert.deepEqual(idsOf(ends, dictionaries()), idsOf([...ends], dictionaries()));
      assert.deepEqual([...labelsIn({ ends })].sort(), [...labelsIn({ ends: [...ends] })].sort());
    }),
  );
});
