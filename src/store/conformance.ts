/**
 * The suite that every store must pass, for any test runner: it returns named checks, and a check fails by throwing.
 *
 *     for (const { name, run } of storeConformance(createStore)) test(name, run);
 *
 * `createStore` makes an empty store for each check. `overlayOf` says what the changes of a batch mean: the same pure function
 * that the memory store runs on, so what passes here behaves like it.
 */
import { batchChecks } from './conformance-batches.ts';
import { historyChecks } from './conformance-history.ts';
import type { Check, CheckBody, StoreUnderTest } from './conformance-kit.ts';
import { refusalChecks } from './conformance-refusals.ts';
import { sessionChecks } from './conformance-sessions.ts';

export type { Check as ConformanceCheck, StoreUnderTest } from './conformance-kit.ts';

/** The checks. Each makes a store of its own and cleans it away, pass or fail. */
export function storeConformance(createStore: () => Promise<StoreUnderTest>): readonly Check[] {
  return Object.entries<CheckBody>({
    ...sessionChecks,
    ...batchChecks,
    ...refusalChecks,
    ...historyChecks,
  }).map(([name, body]) => ({
    name,
    async run() {
      const subject = await createStore();
      try {
        await body(subject);
      } finally {
        await subject.cleanup();
      }
    },
  }));
}
