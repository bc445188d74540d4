/**
 * Faults planted one by one into the completion of runs in a transaction of the user (K8), into what old lists may do (K5), into the taking of
 * requests (I1), and into what the store does about trouble (E8, E9), and the test that finds each. All of them share one server, so only tests that
 * leave the server as it is can be named here.
 */
import type { PlantedFault } from '../planted-fault.ts';

const committed = (title: string): readonly [string, string] => ['cluster/complete.test.ts', title];
const refused = (title: string): readonly [string, string] => ['cluster/complete-refused.test.ts', title];
const elsewhere = refused(
  'a client of another database, a pool, no transaction, nonsense; and the run goes on',
);
const zombie = refused('K4 a zombie: its transaction is told, and rolls back with its work');

export const COMPLETION_FAULTS: readonly PlantedFault[] = [
  {
    name: 'K8 K4 the fence is not checked: a run that was cut off is completed',
    file: 'store/postgres/complete.ts',
    find: 'endPart(scope, params, [endRow(end, scope)])',
    replace: 'endPart({ ...scope, isAlone: true }, params, [endRow(end, scope)])',
    foundBy: zombie,
  },
  {
    name: 'K8 K4 an end that was not granted is taken for one that was',
    file: 'store/postgres/complete.ts',
    find: "return answer.granted === '1' || (await isShown(ask, scope, end));",
    replace: 'return true;',
    foundBy: zombie,
  },
  {
    name: 'K8 a run is completed outside of a transaction',
    file: 'store/postgres/complete.ts',
    find: 'const isSame = `',
    replace: "const isSame = 'true' || `",
    foundBy: elsewhere,
  },
  {
    name: 'K8 a run of another database that has the same numbers is completed',
    file: 'store/postgres/complete.ts',
    find: 'AND label = $',
    replace: 'AND NULL IS DISTINCT FROM $',
    foundBy: elsewhere,
  },
  {
    name: 'K8 the transaction of the user is committed with the completion',
    file: 'store/postgres/complete.ts',
    find: "  if (answer.here !== '1')",
    replace: "  await client.query('COMMIT');\n  if (answer.here !== '1')",
    foundBy: committed('leaves the run to its callback: one that returns has succeeded'),
  },
  {
    name: 'K8 the end is written twice: by the transaction, and when the callback returns',
    file: 'store/sharing/transaction-ends.ts',
    find: 'return proposal && this.#settled(proposal);',
    replace: 'return undefined;',
    foundBy: committed('is the end of the run, once, and the end of the callback adds nothing'),
  },
  {
    name: 'K8 a completion is believed before the transaction is over',
    file: 'store/sharing/transaction-ends.ts',
    find: "if (outcomes.includes('durable')) return true;",
    replace: 'if (outcomes.length > 0) return true;',
    foundBy: committed('leaves the run to its callback: one that throws has failed'),
  },
  {
    name: 'K8 the store does not hear which transaction it was',
    file: 'store/postgres/complete.ts',
    find: '  began(id);\n',
    replace: '',
    foundBy: committed('is a success even if the callback fails after it'),
  },
  {
    name: 'K8 a completion that was rolled back to a savepoint counts',
    file: 'store/postgres/complete.ts',
    find: "return rows.length === 0 ? 'durable' : 'rolled back';",
    replace: "return 'durable';",
    foundBy: committed('to a savepoint is rolled back too, and another one may be committed'),
  },
  {
    name: 'K8 E9 the same completion again is refused',
    file: 'store/postgres/complete.ts',
    find: ' || (await isShown(ask, scope, end))',
    replace: '',
    foundBy: committed('E9 may complete twice'),
  },
];

const trouble = (title: string): readonly [string, string] => ['cluster/trouble.test.ts', title];
const unreachable = trouble(
  'E8 a network that refuses connections: starts wait, an end is kept, it is told once, and tried again after pauses',
);

export const REQUEST_FAULTS: readonly PlantedFault[] = [
  {
    name: 'I1 K1 a request that another instance has taken meanwhile is taken again',
    file: 'store/postgres/requests.ts',
    find: ' AND r.taken_by = seen.taken_by RETURNING',
    replace: ' RETURNING',
    foundBy: [
      'store/postgres/requests.test.ts',
      'I1 K1 of two instances that take a request at the same moment the second waits for the first, which keeps it',
    ],
  },
];

export const LIST_FAULTS: readonly PlantedFault[] = [
  {
    name: 'K5 a move that old configurations have decided is granted',
    file: 'store/postgres/run-statements.ts',
    find: "const isStillSo = isAlone ? 'true'",
    replace: "const isStillSo = !isAlone ? 'true'",
    foundBy: [
      'store/postgres/moves.test.ts',
      'K2 K5 a move that takes the cursor back, or that an old list has decided, is refused, and no other',
    ],
  },
  {
    name: 'K2 a move takes the cursor back that another instance has moved further',
    file: 'store/postgres/run-statements.ts',
    find: "const goesOn = isAlone\n    ? 'true'",
    replace: "const goesOn = !isAlone\n    ? 'true'",
    foundBy: [
      'store/postgres/moves.test.ts',
      'K2 K5 a move that takes the cursor back, or that an old list has decided, is refused, and no other',
    ],
  },
];

export const TROUBLE_FAULTS: readonly PlantedFault[] = [
  {
    name: 'E8 the store is asked again without a pause',
    file: 'time/backoff.ts',
    find: 'return this.#waitMs * (1 - spread() / 2);',
    replace: 'return 0;',
    foundBy: unreachable,
  },
  {
    name: 'E8 the pauses do not grow',
    file: 'time/backoff.ts',
    find: 'this.#waitMs * 2',
    replace: 'this.#waitMs',
    foundBy: [
      'time/backoff.test.ts',
      'E8 the waits double, up to the longest, and are short again after a reset',
    ],
  },
  {
    name: 'E8 all instances come back at the same instant',
    file: 'time/backoff.ts',
    find: 'this.#waitMs * (1 - spread() / 2)',
    replace: 'this.#waitMs',
    foundBy: [
      'time/backoff.test.ts',
      'E8 instances that were cut off together do not come back together: chance takes up to half of each wait away',
    ],
  },
  {
    name: 'E8 each failure is told',
    file: 'scheduler/writer.ts',
    find: 'if (!this.#inTrouble) this.#ports.troubleStarted(error);',
    replace: 'this.#ports.troubleStarted(error);',
    foundBy: unreachable,
  },
  {
    name: 'E9 a deadlock is trouble',
    file: 'store/postgres/database.ts',
    find: "['40001', '40P01']",
    replace: "['40001']",
    foundBy: trouble('E9 a deadlock (40P01)'),
  },
  {
    name: 'E8 a pool that nobody listens to ends the process',
    file: 'store/postgres/database.ts',
    find: "if (!heardPools.has(pool)) pool.on?.('error', ignore);",
    replace: '',
    foundBy: [
      'store/postgres/silence.test.ts',
      'E8 connections of a pool that nobody listens to may break, and the process goes on',
    ],
  },
  {
    name: 'E8 a statement has no limit but that of its pool',
    file: 'store/postgres/database.ts',
    find: 'configOf(text, values, withinMs ?? STATEMENT_MS)',
    replace: 'configOf(text, values, withinMs)',
    foundBy: [
      'store/postgres/silence.test.ts',
      'E8 a pool that sets no limits: a statement on a connection that has gone silent fails in the end, and the next one is answered',
    ],
  },
];
