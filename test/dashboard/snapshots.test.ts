/** What all viewers share: the first rows before all are read, one look for everybody, and nothing left when all have gone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Snapshots } from '../../src/dashboard/snapshots.ts';
import { memory, type Store } from '../../src/index.ts';
import { collector } from '../collector.ts';
import { until } from '../patience.ts';
import { atEnd, dashboardOf } from './kit.ts';
import { recordOf } from './records.ts';

const TASKS = 40;
const records = (): object[] =>
  Array.from({ length: TASKS }, (_, index) => recordOf(`task ${String(index).padStart(2, '0')}`, index));

/** A store that hands over its first ten records, and the others when it is let. */
function slow(): Store & { go(): void; readonly looks: number } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let looks = 0;
  return {
    ...memory(),
    location: 'slow',
    async inspect({ onRecords } = {}) {
      looks++;
      onRecords?.(records().slice(0, 10));
      await promise;
      return { location: 'slow', version: 1, owner: 'held', records: records() };
    },
    go: resolve,
    get looks() {
      return looks;
    },
  };
}

describe('what viewers share', () => {
  test('the first rows are shown while the others are read; who needs one of those waits', async (t) => {
    const store = slow();
    const { ask, until: asked } = await dashboardOf(t, store);
    // A dashboard that is closed waits for its look.
    atEnd(t, () => store.go());
    const first = (await ask('/api/tasks')).json;
    assert.deepEqual([first.isPartial, first.total, first.rows.length], [true, 10, 10]);
    const state = (await ask('/api/state')).json;
    assert.deepEqual([state.isPartial, state.counts.all], [true, 10]);
    const late = ask('/api/task?name=task%2039');
    store.go();
    assert.equal((await late).json.name, 'task 39');
    const whole = await asked('/api/tasks', ({ isPartial }) => !isPartial);
    assert.equal(whole.total, TASKS);
    assert.equal(store.looks, 1);
  });

  test('while somebody listens, nobody waits for a look that takes long', async (t) => {
    let looks = 0;
    const hanging: Store = {
      ...memory(),
      location: 'hanging',
      inspect: () =>
        ++looks === 1
          ? Promise.resolve({ location: 'hanging', version: 1, owner: 'held', records: records() })
          : new Promise(() => {}),
    };
    const snapshots = new Snapshots(hanging, 'UTC', Date.now);
    await snapshots.fresh();
    t.after(snapshots.listen(() => {}));
    await until(() => looks === 2);
    assert.equal((await snapshots.fresh()).list.length, TASKS);
    assert.equal((await snapshots.whole()).list.length, TASKS);
    assert.equal(looks, 2);
  });

  test('a page that comes and goes leaves nothing behind, and the next one finds everything again', async (t) => {
    const collect = collector();
    const seen: WeakRef<object>[] = [];
    const store: Store = {
      ...memory(),
      location: 'weak',
      inspect: async () => {
        const all = records();
        seen.push(...all.map((each) => new WeakRef(each)));
        return { location: 'weak', version: 1, owner: 'held', records: all };
      },
    };
    const snapshots = new Snapshots(store, 'UTC', Date.now, { forgottenMs: 1 });
    t.after(() => snapshots.close());
    const visit = async (): Promise<number> => {
      const leave = snapshots.listen(() => {});
      const { list, revision } = await snapshots.whole();
      assert.equal(list.length, TASKS);
      seen.push(new WeakRef(list), ...list.map((entry) => new WeakRef(entry)));
      leave();
      return revision;
    };
    const first = await visit();
    await until(() => {
      collect();
      return seen.every((each) => each.deref() === undefined);
    });
    assert.ok((await visit()) > first, 'a page that stayed sees that something is new');
  });
});
