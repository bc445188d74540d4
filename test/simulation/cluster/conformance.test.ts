/** The cluster in memory passes the suite that every store must pass, and the one that every shared store must pass. */
import { describe, test } from 'node:test';
import { ClusterDatabase } from '../../../src/simulation/cluster/database.ts';
import { connect, directLink } from '../../../src/simulation/cluster/memory-cluster.ts';
import { storeConformance } from '../../../src/store/conformance.ts';
import type { Store } from '../../../src/store/port.ts';
import { hostClock } from '../../../src/time/host-clock.ts';
import { sharedConformance } from '../../store/shared-conformance.ts';

function storesOf(database: ClusterDatabase): () => Store {
  let sessions = 0;
  return () =>
    connect({ database, link: directLink(hostClock), leaseMs: 15_000, aloneId: () => `s${++sessions}` });
}

describe('conformance of the cluster in memory', () => {
  const checks = storeConformance(async () => {
    const again = storesOf(new ClusterDatabase(() => Date.now()));
    return { store: again(), again, cleanup: async () => {} };
  });
  for (const { name, run } of checks) test(name, run);
});

describe('conformance of the cluster in memory as a shared store', () => {
  const checks = sharedConformance(async () => {
    const database = new ClusterDatabase(() => Date.now());
    return {
      connect: storesOf(database),
      // What happens to the rows when another instance declares these dead happens when they leave, too.
      declareDead: async (...ids) => {
        for (const id of ids) database.leave(id, false);
      },
      cleanup: async () => {},
    };
  });
  for (const { name, run } of checks) test(name, run);
});
