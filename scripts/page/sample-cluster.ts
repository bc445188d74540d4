/** A made-up cluster over a store, and a made-up verdict, for the pictures of the page. */
import type { MonitorVerdict } from '../../src/dashboard/index.ts';
import type { Store } from '../../src/index.ts';

const MINUTE = 60_000;

/** The same store, as if three schedulers shared it. */
export function sharedBy(store: Store, now: number): Store {
  const members = ['jobs-1', 'jobs-2', 'jobs-3'].map((host, place) => ({
    instanceId: `0196a2c4-7f3${place}-7b1e-9d2a-4c5e6f70a1b${place}`,
    host,
    pid: 4100 + 37 * place,
    since: now - (place + 2) * 47 * MINUTE,
    leaseLeftMs: 14_200 - 900 * place,
  }));
  return {
    location: store.location,
    open: (options) => store.open(options),
    async inspect(options) {
      const snapshot = await store.inspect?.(options);
      if (snapshot === undefined) throw new Error('the sample can be inspected');
      return { ...snapshot, members, aheadMs: 12 };
    },
    ask: (request) => store.ask?.(request) ?? Promise.reject(new Error('the sample can be asked')),
    ...(store.history && { history: store.history.bind(store) }),
  };
}

/** A machine was asleep, so a task started late: nothing that the scheduler is to blame for. */
export function sampleVerdict(now: number): MonitorVerdict {
  const due = now - 187 * MINUTE;
  const holds = { status: 'holds', count: 0, violations: [] };
  return {
    conformant: true,
    blame: 'environment',
    axioms: {
      S1: holds,
      S2: holds,
      S3: holds,
      L1: {
        status: 'violated',
        count: 1,
        violations: [
          {
            axiom: 'L1',
            task: 'charge subscriptions',
            at: due + 4 * MINUTE,
            blame: 'environment',
            because:
              'it was due and did not start within 60 s: the process was frozen for 3 min 51 s meanwhile',
            events: [
              { event: 'Due', at: due, task: 'charge subscriptions' },
              { event: 'Frozen', at: due + 5000 },
              { event: 'RunStart', at: due + 4 * MINUTE, task: 'charge subscriptions' },
            ],
          },
        ],
      },
    },
  };
}
