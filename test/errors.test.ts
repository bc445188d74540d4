import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { checkRegistrations } from '../src/core/registration.ts';
import { readRecord } from '../src/core/stored.ts';
import { parseCron } from '../src/cron/index.ts';
import * as executor from '../src/executor/index.ts';
import * as root from '../src/index.ts';
import * as database from '../src/postgres.ts';
import { failureOf, revive } from '../src/store/failure.ts';

/** The error that something throws. */
function thrownBy(action: () => unknown): root.ObbligatoError {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof root.ObbligatoError);
    return error;
  }
  throw new assert.AssertionError({ message: 'nothing was thrown' });
}

/** The causes of an error, down to the last. */
const causesOf = ({ cause }: Error): readonly Error[] =>
  cause instanceof Error ? [cause, ...causesOf(cause)] : [];

const cause = new Error('the cause');
const twin = ['twin', '* * * * *', () => {}, 0];
const raise = (error: root.ObbligatoError) => (): never => {
  throw error;
};

/** Classes that are only there to be inherited from. */
const bases = ['ObbligatoError', 'RegistrationError', 'StoreError', 'TaskTryDeserializeError'];

/** Does something while `TZ` has another value. */
function inZone(setting: string, action: () => unknown): unknown {
  const before = process.env.TZ;
  process.env.TZ = setting;
  try {
    return action();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

/** Names, messages and detail keys are a contract (G1): a change here is a change for users. */
const contract: Readonly<Record<string, readonly [() => unknown, string, readonly string[]]>> = {
  InvalidCronExpressionError: [
    () => parseCron('*/15 * * * *'),
    'Invalid cron expression "*/15 * * * *": minute field has the step "*/15", and POSIX cron has no steps; write 0,15,30,45',
    ['expression', 'field', 'reason', 'cause'],
  ],
  CommandFailedError: [
    raise(new root.CommandFailedError('backup', 'pg_dump', 3, null)),
    'Program "pg_dump" of task "backup" exited with code 3',
    ['taskName', 'program', 'exitCode', 'signal'],
  ],
  CommandStartError: [
    raise(new root.CommandStartError('backup', 'pg_dump', 'is its folder "/x" there?', cause)),
    'Program "pg_dump" of task "backup" was not started: is its folder "/x" there?',
    ['taskName', 'program', 'reason', 'cause'],
  ],
  CommandLeftoverError: [
    raise(new root.CommandLeftoverError('backup', 7, 'it has not ended, although it was sent SIGKILL')),
    'A program of an earlier run of task "backup" (process 7) is still there: it has not ended, although it was sent SIGKILL',
    ['taskName', 'pid', 'reason'],
  ],
  FieldParseError: [
    () => {
      throw thrownBy(() => parseCron('61 * * * *')).cause;
    },
    'minute field has the value 61, which is outside 0-59',
    ['fieldValue', 'fieldName'],
  ],
  CronCalculationError: [
    () => {
      throw thrownBy(() => parseCron('0 0 30 2 *')).cause;
    },
    'Failed to calculate next occurrence: day 30 does not exist in month 2',
    ['expression', 'currentTime', 'cause'],
  ],
  RegistrationsNotArrayError: [() => checkRegistrations(Object(null)), 'Registrations must be an array', []],
  RegistrationShapeError: [
    () => checkRegistrations([[]]),
    'Invalid registration shape: expected [string, string, function, Duration]',
    ['registrationIndex', 'received'],
  ],
  InvalidRegistrationError: [
    () => checkRegistrations([['', '* * * * *', () => {}, 0]]),
    'Invalid registration at index 0: name must not be empty',
    ['field', 'value', 'reason'],
  ],
  ScheduleDuplicateTaskError: [
    () => checkRegistrations([twin, twin]),
    'Task with name "twin" is already scheduled',
    ['taskName'],
  ],
  CronExpressionInvalidError: [
    () => checkRegistrations([['a', '61 * * * *', () => {}, 0]]),
    'Invalid cron expression "61 * * * *": minute field has the value 61, which is outside 0-59',
    ['expression', 'field', 'reason', 'cause'],
  ],
  NegativeRetryDelayError: [
    () => checkRegistrations([['a', '* * * * *', () => {}, -5]]),
    'Retry delay must be non-negative',
    ['retryDelayMs'],
  ],
  SchedulerAlreadyActiveError: [
    raise(new root.SchedulerAlreadyActiveError('stopping')),
    'Cannot initialize scheduler: scheduler is already stopping',
    ['currentState'],
  ],
  ScheduleTaskError: [
    raise(new root.ScheduleTaskError('report', '* * * * *', cause)),
    "Failed to schedule task 'report': the cause",
    ['name', 'cronExpression', 'cause'],
  ],
  StopSchedulerError: [
    raise(new root.StopSchedulerError(cause)),
    'Failed to stop scheduler: the cause',
    ['cause'],
  ],
  StoreSlowError: [
    raise(new root.StoreSlowError({ path: 'a.db', waitedMs: 5000 })),
    'Store "a.db" has not answered for 5000 ms: see whether its disk hangs; its thread, its lock and this process stay until the call returns, which nothing can end',
    ['path', 'waitedMs'],
  ],
  TaskTimeoutError: [
    raise(new root.TaskTimeoutError('report', 5000)),
    'Task "report" took longer than 5000 ms',
    ['taskName', 'limitMs'],
  ],
  TaskCancelledError: [
    raise(new root.TaskCancelledError('report')),
    'Task "report" was cancelled',
    ['taskName'],
  ],
  RunLostError: [
    raise(new root.RunLostError('report', 'x-1')),
    'Run "x-1" of task "report" is not current any more: roll back',
    ['taskName', 'runId'],
  ],
  CompletionError: [
    raise(new root.CompletionError('report', 'the client is not inside a transaction')),
    'Task "report" cannot be completed in a transaction: the client is not inside a transaction',
    ['taskName', 'reason'],
  ],
  RemovalsRefusedError: [
    raise(new root.RemovalsRefusedError(['a', 'b'], 3)),
    'The list would forget 2 of 3 stored tasks: "a", "b"; if that is meant, initialize without guardRemovals, or run with --allow-removal',
    ['names', 'stored'],
  ],
  TaskMissingFieldError: [
    () => readRecord({ name: 'a', work: null }),
    'Missing required field: firstSeenAt',
    ['field', 'taskName'],
  ],
  TaskInvalidTypeError: [
    () => readRecord({ name: 'a', work: 5 }),
    "Invalid type for field 'work': expected object, got number",
    ['field', 'value', 'expectedType', 'actualType', 'taskName'],
  ],
  TaskInvalidValueError: [
    () => readRecord({ name: 'a', work: null, firstSeenAt: 0.5 }),
    "Invalid value for field 'firstSeenAt': it is not an instant in milliseconds",
    ['field', 'value', 'reason', 'taskName'],
  ],
  TaskInvalidStructureError: [
    () => readRecord([]),
    'Invalid task record: it is not an object',
    ['value', 'taskName'],
  ],
  TaskListMismatchError: [
    raise(new root.TaskListMismatchError('two have one name', 1, 2)),
    'Task list mismatch: two have one name',
    ['expected', 'actual'],
  ],
  StorePathError: [
    () => root.sqlite(''),
    'Store path "" is empty: give the path of a file',
    ['path', 'reason'],
  ],
  StoreLockedError: [
    raise(
      new root.StoreLockedError(
        { path: 'a.db', waitedMs: 500, ownedBy: { pid: 7, host: 'web-1', since: 0 } },
        cause,
      ),
    ),
    'Store "a.db" is in use by another scheduler (pid 7 on web-1 since 1970-01-01T00:00:00.000Z, waited 500 ms): stop that one, give this one a store of its own, or let it wait longer (lockWait)',
    ['path', 'waitedMs', 'ownedBy', 'cause'],
  ],
  StoreSharedFileError: [
    raise(new root.StoreSharedFileError({ path: 'a.db', reason: 'has 2 names (hard links)' })),
    'Store file "a.db" has 2 names (hard links), so two schedulers could own it at once: keep it under one name, and mount its folder rather than the file',
    ['path', 'reason'],
  ],
  StoreMovedError: [
    raise(new root.StoreMovedError({ path: 'a.db', found: 'nothing' })),
    'Store file "a.db" is gone: it was deleted or moved away while a scheduler runs on it: put the same file back, and it goes on; or stop this scheduler, put a backup in its place without -wal and -shm, and start again',
    ['path', 'found'],
  ],
  StoreLostError: [
    raise(new root.StoreLostError({ path: 'a.db', owner: 'pid 7 on web-1' })),
    'Store "a.db" was taken over by another scheduler (pid 7 on web-1): this one starts nothing any more; never delete or copy over the .lock file, and stop this scheduler',
    ['path', 'owner'],
  ],
  StoreForeignFileError: [
    raise(new root.StoreForeignFileError({ path: 'a.db', reason: 'is a novel' })),
    'Store file "a.db" is a novel; it was left as it is: give the scheduler a file of its own',
    ['path', 'reason'],
  ],
  StoreVersionError: [
    raise(new root.StoreVersionError({ path: 'a.db', found: 9, supported: 1 })),
    'Store file "a.db" has schema version 9, newer than 1, the newest this version of obbligato knows: update obbligato, or use another file',
    ['path', 'found', 'supported'],
  ],
  StoreMissingError: [
    raise(new root.StoreMissingError({ path: 'a.db' })),
    'There is no store at "a.db": nothing has run here yet, or the path is wrong; "obbligato run" makes it',
    ['path'],
  ],
  StoreUnwritableError: [
    raise(new root.StoreUnwritableError({ path: 'a.db', reason: 'it is a directory' })),
    'Store file "a.db" cannot be written: it is a directory',
    ['path', 'reason'],
  ],
  StoreUnreadableError: [
    raise(new root.StoreUnreadableError({ path: 'a.db', reason: 'it is a directory' })),
    'Store file "a.db" cannot be read: it is a directory',
    ['path', 'reason'],
  ],
  StoreFullError: [
    raise(new root.StoreFullError({ path: 'a.db' }, cause)),
    'Store file "a.db" cannot grow, the disk is full: make room, nothing of what was stored is lost',
    ['path', 'cause'],
  ],
  StoreBusyError: [
    raise(new root.StoreBusyError({ path: 'a.db' }, cause)),
    'Store file "a.db" is being written by another program: close whatever else has it open for writing',
    ['path', 'cause'],
  ],
  StoreDamagedError: [
    raise(new root.StoreDamagedError({ path: 'a.db' }, cause)),
    'Store file "a.db" is damaged: put back a copy, or move the file (with its -wal and -shm) away to begin with an empty one',
    ['path', 'cause'],
  ],
  StoreIoError: [
    raise(new root.StoreIoError({ path: 'a.db', reason: 'disk I/O error' }, cause)),
    'Store file "a.db" cannot be read or written (disk I/O error): check the disk and the file system it is on',
    ['path', 'reason', 'cause'],
  ],
  StoreFailedError: [
    raise(new root.StoreFailedError({ path: 'a.db', reason: 'its thread died' })),
    'Store "a.db" failed: its thread died',
    ['path', 'reason'],
  ],
  StoreClosedError: [
    raise(new root.StoreClosedError({ path: 'a.db' })),
    'The session of store "a.db" is closed: open the store again',
    ['path'],
  ],
  StoreRecordMissingError: [
    raise(new root.StoreRecordMissingError({ path: 'a.db', taskName: 'report', change: 'end' })),
    'Store "a.db" has no record of task "report" to end: nothing of the batch was written; does another program write to this store?',
    ['path', 'taskName', 'change'],
  ],
  TraceFileError: [
    raise(new root.TraceFileError('a.jsonl', 'is a directory: name a file in it', cause)),
    'Trace file "a.jsonl" is a directory: name a file in it',
    ['path', 'reason', 'cause'],
  ],
  TraceForeignFileError: [
    raise(new root.TraceForeignFileError('a.jsonl', 'it begins with "Dear diary"')),
    'File "a.jsonl" is not a trace (it begins with "Dear diary"); it was left as it is: give the trace a file of its own',
    ['path', 'reason'],
  ],
  TraceLockedError: [
    raise(new root.TraceLockedError('a.jsonl', 500, cause)),
    'Trace file "a.jsonl" is being written by another recorder (waited 500 ms): close that one, give this one a file of its own, or let it wait longer',
    ['path', 'waitedMs', 'cause'],
  ],
  UnknownTimeZoneError: [
    () => parseCron('* * * * *', { timeZone: 'Europe/Stokholm' }),
    'Unknown time zone "Europe/Stokholm": did you mean "Europe/Stockholm"?',
    ['timeZone', 'suggestions'],
  ],
  HostTimeZoneError: [
    () => inZone('XYZ+99', () => parseCron('* * * * *')),
    'The host\'s TZ="XYZ+99" names no IANA zone, and no fixed offset either; pass { timeZone: "Europe/Stockholm" } or the like',
    ['setting'],
  ],
};

/** The same for what only `obbligato/postgres` has. */
const ofDatabase: typeof contract = {
  PostgresDriverMissingError: [
    raise(new database.PostgresDriverMissingError({ path: 'postgres://jobs@db/app' }, cause)),
    'Store "postgres://jobs@db/app" needs the package "pg", which is not installed: npm install pg',
    ['path', 'cause'],
  ],
  PostgresUnreachableError: [
    raise(
      new database.PostgresUnreachableError({
        path: 'postgres://jobs@db/app',
        reason: 'connect ECONNREFUSED',
      }),
    ),
    'Store "postgres://jobs@db/app" cannot be reached (connect ECONNREFUSED): see whether the database runs there, takes connections and knows this user',
    ['path', 'reason'],
  ],
  PostgresNotMigratedError: [
    raise(new database.PostgresNotMigratedError({ path: 'postgres://jobs@db/app', found: 1, needed: 2 })),
    'Store "postgres://jobs@db/app" has schema version 1, and this version of obbligato needs 2: apply the SQL of migrationSql(), or leave "migrate: false" out',
    ['path', 'found', 'needed'],
  ],
  PostgresPrivilegeError: [
    raise(
      new database.PostgresPrivilegeError({
        path: 'postgres://jobs@db/app',
        reason: 'permission denied for schema obbligato',
      }),
    ),
    'Store "postgres://jobs@db/app" refuses this user of the database (permission denied for schema obbligato): let a user who may create schemas migrate once; after that USAGE on the schema, its sequences, and SELECT, INSERT, UPDATE, DELETE on its tables are enough',
    ['path', 'reason'],
  ],
  PostgresUnfitError: [
    raise(
      new database.PostgresUnfitError({
        path: 'postgres://jobs@db/app',
        reason: 'it is a standby, which is read-only',
      }),
    ),
    'Store "postgres://jobs@db/app" cannot be used: it is a standby, which is read-only: give the scheduler a database on the primary server, with the encoding UTF8',
    ['path', 'reason'],
  ],
  PostgresOccupiedError: [
    raise(
      new database.PostgresOccupiedError({ path: 'postgres://jobs@db/app', members: 0, tasks: 3, runs: 9 }),
    ),
    'Store "postgres://jobs@db/app" is not empty: it has 3 tasks, 9 runs of the past, and 0 instances: stop the schedulers that run on it, and move into another schema, or drop this one if it is not needed',
    ['path', 'members', 'tasks', 'runs'],
  ],
};
const everyError = { ...contract, ...ofDatabase };

describe('G1 errors', () => {
  for (const [name, [action, message, keys]] of Object.entries(everyError)) {
    test(`G1 ${name} keeps its name, message and detail keys`, () => {
      const error = thrownBy(action);
      assert.equal(error.name, name);
      assert.equal(error.constructor.name, name);
      assert.equal(error.message, message);
      assert.deepEqual(Object.getOwnPropertyNames(error.details), keys);
      assert.equal(String(error), `${name}: ${message}`);
      assert.ok(error.headline.includes(message) && error.headline.includes(error.wayOut ?? ''));
      assert.ok(error.stack?.startsWith(`${name}: ${error.headline}\n    at `), error.stack);
    });

    test(`G1 ${name} has its details as fields too, and its cause in both places`, () => {
      const error = thrownBy(action);
      // On an error the word "name" is taken, so a detail of that name stays in `details` alone.
      for (const key of keys.filter((detail) => detail !== 'name')) {
        assert.equal(Reflect.get(error, key), Reflect.get(error.details, key));
      }
      assert.equal(error.cause, error.details.cause);
    });

    test(`G1 Node prints ${name} with its details and each cause once`, () => {
      const error = thrownBy(action);
      const printed = inspect(error, { depth: 5 });
      assert.deepEqual(Object.keys(error), ['details'], 'what a logger that writes JSON finds');
      assert.equal(printed.split('[cause]: ').length, causesOf(error).length + 1, printed);
      for (const { message: said } of causesOf(error))
        assert.equal(printed.split(`Error: ${said}`).length, 2, printed);
    });
  }

  test('G1 every error class of the public door is in the contract', () => {
    const classes = [...Object.keys(root), ...Object.keys(database)].filter((name) => name.endsWith('Error'));
    assert.deepEqual(classes.sort(), [...Object.keys(everyError), ...bases].sort());
  });

  test('G1 every error has its entry in docs/troubleshooting.md, with its message, and no entry is stale', () => {
    const page = readFileSync(new URL('../docs/troubleshooting.md', import.meta.url), 'utf8');
    const entries = new Map(
      page.split(/^#+ /m).flatMap((section) => {
        const name = /^`(\w+Error)`\n/.exec(section)?.[1];
        return name === undefined ? [] : [[name, section] as const];
      }),
    );
    const ofExecutor = Object.keys(executor).filter((name) => name.endsWith('Error'));
    assert.deepEqual([...entries.keys()].sort(), [...Object.keys(everyError), ...ofExecutor].sort());
    const wrong = Object.entries(everyError)
      .filter(([name, [, message]]) => !entries.get(name)?.includes(`\`\`\`text\n${message}\n\`\`\``))
      .map(([name, [, message]]) => `the entry of ${name} should have: ${message}`);
    assert.deepEqual(wrong, []);
  });

  test('G1 what is wrong with a stored record has one base, what is wrong with a store another', () => {
    for (const [name, [action]] of Object.entries(contract)) {
      const error = thrownBy(action);
      const isOfRecord = /^Task(Missing|Invalid)/.test(name);
      assert.equal(error instanceof root.TaskTryDeserializeError, isOfRecord, name);
      assert.equal(error instanceof root.StoreError, name.startsWith('Store'), name);
    }
  });

  test('G1 the details of an error name the field, the value and the task', () => {
    assert.deepEqual(thrownBy(() => readRecord({ name: 'a', work: 5 })).details, {
      field: 'work',
      value: 5,
      expectedType: 'object',
      actualType: 'number',
      taskName: 'a',
    });
    const { details } = thrownBy(() => checkRegistrations([['a', '0 0 30 2 *', () => {}, 0]]));
    assert.ok(details.cause instanceof root.CronCalculationError, 'C3');
  });

  test('G1 the way out is a field, and the message is the problem and the way out', () => {
    const thrown = Object.values(contract).map(([action]) => thrownBy(action));
    // The messages of a refused list are the specification's: their ways out stand behind them, in the headline.
    const found = thrown.filter(({ place }) => place === undefined);
    const withWayOut = found.filter(({ wayOut }) => wayOut !== undefined);
    for (const error of found.filter((each) => !withWayOut.includes(each)))
      assert.equal(error.problem, error.message);
    for (const { message, problem, wayOut } of withWayOut)
      assert.ok([`${problem}: ${wayOut}`, `${problem}; ${wayOut}`].includes(message), message);
    assert.deepEqual(withWayOut.map(({ name }) => name).sort(), [
      'HostTimeZoneError',
      'RemovalsRefusedError',
      'RunLostError',
      'StoreBusyError',
      'StoreClosedError',
      'StoreDamagedError',
      'StoreForeignFileError',
      'StoreFullError',
      'StoreIoError',
      'StoreLockedError',
      'StoreLostError',
      'StoreMissingError',
      'StoreMovedError',
      'StoreRecordMissingError',
      'StoreSharedFileError',
      'StoreSlowError',
      'StoreUnreadableError',
      'StoreUnwritableError',
      'StoreVersionError',
      'TraceForeignFileError',
      'TraceLockedError',
      'UnknownTimeZoneError',
    ]);
  });

  test('G1 what an initialize can fail for is a field of the class', () => {
    const faults = Object.values(contract).map(([action]) => thrownBy(action));
    const named = (fault: root.Fault): string[] =>
      faults
        .filter((error) => error.fault === fault)
        .map(({ name }) => name)
        .sort();
    assert.deepEqual(named('list'), [
      'CronExpressionInvalidError',
      'InvalidRegistrationError',
      'NegativeRetryDelayError',
      'RegistrationShapeError',
      'RegistrationsNotArrayError',
      'ScheduleDuplicateTaskError',
    ]);
    assert.deepEqual(named('active'), ['SchedulerAlreadyActiveError']);
    assert.deepEqual(named('host'), ['HostTimeZoneError', 'UnknownTimeZoneError']);
    const ofStore = [
      ...Object.keys(contract).filter((name) => /^Store|^Task(Missing|Invalid|List)/.test(name)),
    ];
    assert.deepEqual(named('store'), [...ofStore, 'RemovalsRefusedError', 'ScheduleTaskError'].sort());
  });

  test('G1 every error of a store is the same behind the boundary of its thread', () => {
    const found = Object.values(contract).map(([action]) => thrownBy(action));
    for (const error of found.filter((each) => each instanceof root.StoreError)) {
      const again = revive(structuredClone(failureOf(error)));
      assert.equal(again.constructor, error.constructor);
      assert.equal(String(again), String(error));
      assert.deepEqual({ ...again.details, cause: undefined }, { ...error.details, cause: undefined });
      assert.equal(Object(again.cause).message, Object(error.cause).message);
      assert.equal(again.wayOut, error.wayOut);
    }
  });

  test('details cannot be changed', () => {
    const { details } = thrownBy(() => parseCron('x'));
    assert.ok(Object.isFrozen(details));
  });
});
