/**
 * Faults planted one by one into the completion of runs in a transaction of the user (K8), into what old lists may do (K5), into the taking of
 * requests (I1), and into what the store does about trouble (E8, E9), and the test that finds each. All of them share one server, so only tests that
 * leave the server as it is can be named here.
 */
import type { PlantedFault } from '../faults/fault.ts';

const committed = (title: string): readonly [string, string] => ['cluster/complete.test.ts', title];
const refused = (title: string): readonly [string, string] => ['cluster/complete-refused.test.ts', title];
const elsewhere = refused(
  'a client of another database, a pool, no transaction, nonsense; and the run goes on',
);
const zombie = refused('K4 a zombie: its transaction is told, and rolls back with its work');

const long = [
  'store/postgres/past.test.ts',
  'J1 J2 a history of several pages has each run once, the newest first; the oldest are let go by count and by age',
] as const;

const past: readonly PlantedFault[] = [
  {
    name: 'J1 a page of the history goes on from the first row of the one before',
    in: 'readPast',
    find: 'rows[rows.length - 1][0]',
    replace: 'rows[0][0]',
    foundBy: long,
  },
  {
    name: 'J2 the newest run is taken to be the oldest, and nothing is let go',
    in: 'prunePast',
    find: 'ORDER BY seq DESC LIMIT 1',
    replace: 'ORDER BY seq LIMIT 1',
    foundBy: long,
  },
];

const completion: readonly PlantedFault[] = [
  {
    name: 'K8 K4 the fence is not checked: a run that was cut off is completed',
    in: 'completeRun',
    find: 'endPart(scope, params, [endRow(end, scope)])',
    replace: 'endPart({ ...scope, isAlone: true }, params, [endRow(end, scope)])',
    foundBy: zombie,
  },
  {
    name: 'K8 K4 an end that was not granted is taken for one that was',
    in: 'completeRun',
    find: "answer.granted === '1' || (await isShown(ask, scope, end))",
    replace: 'true',
    foundBy: zombie,
  },
  {
    name: 'K8 a run is completed outside of a transaction',
    in: 'completeRun',
    find: 'const isSame = `',
    replace: "const isSame = 'true' || `",
    foundBy: elsewhere,
  },
  {
    name: 'K8 a run of another database that has the same numbers is completed',
    in: 'completeRun',
    find: 'AND label = $',
    replace: 'AND NULL IS DISTINCT FROM $',
    foundBy: elsewhere,
  },
  {
    name: 'K8 the transaction of the user is committed with the completion',
    in: 'completeRun',
    find: "if (answer.here !== '1')",
    replace: "await client.query('COMMIT'); if (answer.here !== '1')",
    foundBy: committed('leaves the run to its callback: one that returns has succeeded'),
  },
  {
    name: 'K8 the end is written twice: by the transaction, and when the callback returns',
    in: 'TransactionEnds.settle',
    find: 'proposal && this.#settled(proposal)',
    replace: 'undefined',
    foundBy: committed('is the end of the run, once, and the end of the callback adds nothing'),
  },
  {
    name: 'K8 a completion is believed before the transaction is over',
    in: 'TransactionEnds.#isDurable',
    find: "outcomes.includes('durable')",
    replace: 'outcomes.length > 0',
    foundBy: committed('leaves the run to its callback: one that throws has failed'),
  },
  {
    name: 'K8 the store does not hear which transaction it was',
    in: 'completeRun',
    find: 'began(id);',
    foundBy: committed('is a success even if the callback fails after it'),
  },
  {
    name: 'K8 a completion that was rolled back to a savepoint counts',
    in: 'outcomeOf',
    find: "rows.length === 0 ? 'durable' : 'rolled back'",
    replace: "'durable'",
    foundBy: committed('to a savepoint is rolled back too, and another one may be committed'),
  },
  {
    name: 'K8 E9 the same completion again is refused',
    in: 'completeRun',
    find: '|| (await isShown(ask, scope, end))',
    foundBy: committed('E9 may complete twice'),
  },
];

const trouble = (title: string): readonly [string, string] => ['cluster/trouble.test.ts', title];
const unreachable = trouble(
  'E8 a network that refuses connections: starts wait, an end is kept, it is told once, and tried again after pauses',
);

const requests: readonly PlantedFault[] = [
  {
    name: 'I1 K1 a request that another instance has taken meanwhile is taken again',
    in: 'takeRequests',
    find: 'AND r.taken_by = seen.taken_by RETURNING',
    replace: 'RETURNING',
    foundBy: [
      'store/postgres/requests.test.ts',
      'I1 K1 of two instances that take a request at the same moment the second waits for the first, which keeps it',
    ],
  },
];

const lists: readonly PlantedFault[] = [
  {
    name: 'K2 a move names another version than it was decided by',
    in: 'movePart',
    find: 'versionOr(version)',
    replace: 'versionOr(version) - 1',
    foundBy: [
      'store/postgres/moves.test.ts',
      'K2 a move by a version that is gone is refused unless the record shows it, and no other',
    ],
  },
];

const troubles: readonly PlantedFault[] = [
  {
    name: 'E8 the store is asked again without a pause',
    in: 'Backoff.next',
    find: 'this.#waitMs * (1 - spread() / 2)',
    replace: '0',
    foundBy: [
      'scheduler/trouble.test.ts',
      'E8 it is tried again with growing pauses: often at first, and never less than every ten seconds',
    ],
  },
  {
    name: 'E8 the pauses do not grow',
    in: 'Backoff.next',
    find: 'this.#waitMs * 2',
    replace: 'this.#waitMs',
    foundBy: [
      'time/backoff.test.ts',
      'E8 the waits double, up to the longest, and are short again after a reset',
    ],
  },
  {
    name: 'E8 all instances come back at the same instant',
    in: 'Backoff.next',
    find: '* (1 - spread() / 2)',
    foundBy: [
      'time/backoff.test.ts',
      'E8 instances that were cut off together do not come back together: chance takes up to half of each wait away',
    ],
  },
  {
    name: 'E8 each failure is told',
    in: 'Writer.#trouble',
    find: 'if (!this.#inTrouble)',
    foundBy: unreachable,
  },
  {
    name: 'E9 a deadlock is trouble',
    in: 'isTakenBack',
    find: "['40001', '40P01']",
    replace: "['40001']",
    foundBy: trouble('E9 a deadlock (40P01)'),
  },
  {
    name: 'E8 a pool that nobody listens to ends the process',
    in: 'heard',
    find: "if (!heardPools.has(pool)) pool.on?.('error', ignore);",
    foundBy: [
      'store/postgres/silence.test.ts',
      'E8 connections of a pool that nobody listens to may break, and the process goes on',
    ],
  },
  {
    name: 'E8 a statement has no limit but that of its pool',
    in: 'Database.ask',
    find: '?? STATEMENT_MS',
    foundBy: [
      'store/postgres/silence.test.ts',
      'E8 a pool that sets no limits: a statement on a connection that has gone silent fails in the end, and the next one is answered',
    ],
  },
];

export const POSTGRES_FAULTS = [...completion, ...past, ...lists, ...troubles, ...requests];
