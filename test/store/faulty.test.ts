/** The faults that other tests inject are the faults they say they are. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { memory } from '../../src/store/index.ts';
import { type Fault, faulty } from './faulty.ts';

const put = { puts: [newRecord('a')] };

/** What is stored when the first commit suffers a fault, and what became of its promise. */
async function suffer(fault: Fault): Promise<{ outcome: Promise<unknown>; stored: () => Promise<number> }> {
  const store = faulty(memory(), { commit: (index) => (index === 0 ? fault : undefined) });
  const session = await store.open({ waitMs: 0 });
  const outcome = session.commit(put);
  outcome.catch(() => {});
  return { outcome, stored: async () => (await session.read()).length };
}

describe('a faulty store', () => {
  test('fails before the commit takes effect', async () => {
    const { outcome, stored } = await suffer('fails before');
    await assert.rejects(outcome, { message: 'injected fault' });
    assert.equal(await stored(), 0);
  });

  test('fails after the commit took effect', async () => {
    const { outcome, stored } = await suffer('fails after');
    await assert.rejects(outcome, { message: 'injected fault' });
    assert.equal(await stored(), 1);
  });

  test('answers late', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { outcome, stored } = await suffer({ late: promise });
    let answered = false;
    const noted = outcome.then(() => {
      answered = true;
    });
    assert.equal(await stored(), 1);
    assert.equal(answered, false);
    resolve();
    await noted;
  });

  test('never answers, and goes on with other calls', async () => {
    const { outcome, stored } = await suffer('never answers');
    const first = await Promise.race([outcome.then(() => 'answered'), stored().then(String)]);
    assert.equal(first, '1');
  });

  test('open, read and close fail too', async () => {
    const once = (index: number): Fault | undefined => (index === 0 ? 'fails before' : undefined);
    const store = faulty(memory(), { open: once, read: once, close: once });
    await assert.rejects(store.open({ waitMs: 0 }));
    const session = await store.open({ waitMs: 0 });
    await assert.rejects(session.read());
    assert.deepEqual(await session.read(), []);
    await assert.rejects(session.close());
    await session.close();
  });
});
