/** Pings of a real scheduler, to a real server. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect as shown } from 'node:util';
import { minutes, seconds } from '../../src/index.ts';
import { pings, sentry } from '../../src/telemetry/index.ts';
import { clock, running, secret, server, troubles } from './ping-stage.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('pings of a run', () => {
  test('F4 start, success and fail with the error, paired by an identity; a task that is not named is not pinged for', async () => {
    let shouldFail = true;
    const work = (): void => {
      if (shouldFail) throw new RangeError('the disk is full');
    };
    const told = await running({ tasks: { backup: secret() } }, [
      ['backup', '1 12 * * *', work, 60_000],
      ['other', '* * * * *', () => {}, 0],
    ]);
    await clock.advance(minutes(1));
    await told.flush();
    shouldFail = false;
    await clock.advance(minutes(1));
    await told.flush();
    assert.deepEqual(server.paths, [
      '/5f1b-secret/start',
      '/5f1b-secret/fail',
      '/5f1b-secret/start',
      '/5f1b-secret',
    ]);
    const [first, failed, second, succeeded] = server.received;
    assert.match(failed.body, /^RangeError: the disk is full\n/);
    assert.match(failed.body, /pings\.test\.ts/, 'with its stack');
    const rids = server.received.map(({ query }) => query.get('rid') ?? '');
    assert.match(rids[0], UUID);
    assert.equal(first.query.get('rid'), failed.query.get('rid'));
    assert.equal(second.query.get('rid'), succeeded.query.get('rid'));
    assert.notEqual(rids[0], rids[2]);
    assert.deepEqual(troubles, []);
  });

  test('J3 the text of an error stays here if that is wanted; failures are told from the n-th in a row on', async () => {
    const fails = (): never => {
      throw new RangeError('a password');
    };
    const told = await running({ tasks: () => secret(), sendErrors: false, failures: 2 }, [
      ['backup', '1 12 * * *', fails, 60_000],
    ]);
    await clock.advance(minutes(2));
    await told.flush();
    assert.deepEqual(server.paths, ['/5f1b-secret/start', '/5f1b-secret/start', '/5f1b-secret/fail']);
    assert.equal(server.received[2].body, 'RangeError');
  });

  test('I4 a cancelled run is told as nothing: it has not failed', async () => {
    const told = await running({ tasks: () => secret() }, []);
    const failed = { type: 'TaskRunFailed', at: clock.now(), task: 'a', attempt: 1, durationMs: 1 } as const;
    const left = { error: new Error('x'), pendingRetryUntil: null };
    told.onEvent({ ...failed, ...left, runId: '1', outcome: 'cancelled' });
    told.onEvent({ ...failed, ...left, runId: '2', outcome: 'gave up' });
    await told.flush();
    assert.deepEqual(server.paths, ['/5f1b-secret/fail']);
  });

  test('a query stays in the address, and a name and a password become a header', async () => {
    const { port } = server;
    const told = await running({ tasks: { a: `http://me:p%40ss@127.0.0.1:${port}/slug/?create=1` } }, [
      ['a', '0 12 * * *', () => {}, 0],
    ]);
    await clock.advance(seconds(1));
    await told.flush();
    assert.deepEqual(server.paths, ['/slug/start', '/slug']);
    const [{ query, authorization }] = server.received;
    assert.equal(query.get('create'), '1');
    assert.equal(authorization, `Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  });

  test('check-ins at Sentry', async () => {
    const dsn = `http://publickey@127.0.0.1:${server.port}/42`;
    const config = { schedule: { type: 'crontab', value: '1 12 * * *' } };
    const told = await running(
      { tasks: { 'Nightly backup!': sentry({ dsn, config, environment: 'prod' }) } },
      [['Nightly backup!', '1 12 * * *', () => {}, 0]],
    );
    await clock.advance(minutes(1));
    await told.flush();
    assert.deepEqual(new Set(server.paths), new Set(['/api/42/cron/nightly-backup/publickey/']));
    assert.deepEqual(
      server.received.map(({ query }) => [query.get('status'), query.get('environment')]),
      [
        ['in_progress', 'prod'],
        ['ok', 'prod'],
      ],
    );
    const [start, end] = server.received;
    assert.deepEqual(JSON.parse(start.body), { monitor_config: config, status: 'in_progress' });
    assert.equal(start.query.get('check_in_id'), end.query.get('check_in_id'));
    assert.match(start.query.get('check_in_id') ?? '', UUID);
  });
});

describe('G5 the address is a secret', () => {
  test('G5 it is in no error, no report and no printed object', async () => {
    const wrong = ['no url with 5f1b-secret', 'ftp://host/5f1b-secret'];
    for (const target of wrong)
      for (const make of [() => pings({ tasks: { a: target } }), () => pings({ alive: { target } })])
        assert.throws(
          make,
          (error: Error) => error instanceof TypeError && !shown(error).includes('5f1b-secret'),
        );
    assert.throws(
      () => sentry({ dsn: 'https://5f1b-secret@host/none' }),
      (error: Error) => !shown(error).includes('5f1b'),
    );
    server.answer = (response) => void response.socket?.resetAndDestroy();
    const told = await running({ tasks: { a: secret() } }, [['a', '0 12 * * *', () => {}, 0]]);
    await clock.advance(seconds(1));
    assert.doesNotMatch(shown(told, { depth: 9, showHidden: true }), /5f1b/);
    await told.flush();
    assert.equal(troubles.length, 1);
    assert.doesNotMatch(shown(troubles), /5f1b/);
  });
});

describe('guests', () => {
  test('G4 an adapter, a function of targets and a listener of troubles that throw harm nothing', async () => {
    const throws = (): never => {
      throw new Error('on purpose');
    };
    let runs = 0;
    server.answer = (response) => void response.writeHead(400).end();
    const told = await running({ tasks: (name) => (name === 'a' ? throws : throws()) }, [
      ['a', '* * * * *', () => void runs++, 0],
      ['b', '* * * * *', () => void runs++, 0],
    ]);
    const other = pings({ tasks: { a: secret() }, onTrouble: throws });
    other.onEvent({ type: 'TaskRunCompleted', at: 0, task: 'a', runId: 'r', durationMs: 0 });
    await other.flush();
    await clock.advance(minutes(1));
    await told.flush();
    assert.equal(runs, 4);
    assert.equal(server.received.length, 1);
    assert.deepEqual(
      new Set(troubles.map(({ task, reason }) => `${task}: ${reason}`)),
      new Set(['a: the function threw Error', 'b: the function threw Error']),
    );
  });

  test('G4 a function that gives a promise is reported, whether the promise is kept or not; the process goes on', async () => {
    // The types refuse such functions, but a program in JavaScript may have them.
    const late = (answer: () => unknown): (() => never) => (async () => answer()) as () => never;
    const rejects = late(() => {
      throw new Error('on purpose');
    });
    server.answer = (response) => void response.writeHead(400).end();
    const told = await running({ tasks: (name) => (name === 'a' ? rejects : rejects()) }, [
      ['a', '* * * * *', () => {}, 0],
      ['b', '* * * * *', () => {}, 0],
    ]);
    const keeps = pings({
      tasks: { c: late(() => ({ url: server.url('/c') })), d: secret() },
      onTrouble: async (trouble) => {
        troubles.push(trouble);
        throw new Error('nobody can be told');
      },
    });
    for (const task of ['c', 'd'])
      keeps.onEvent({ type: 'TaskRunCompleted', at: 0, task, runId: 'r', durationMs: 0 });
    await clock.advance(minutes(1));
    for (const each of [told, keeps]) await each.flush();
    const promised = 'the function gave a promise; it must give its answer at once';
    assert.deepEqual(troubles.map(({ task, state, reason }) => [task, state, reason]).sort(), [
      ['a', 'lost', promised],
      ['b', 'lost', promised],
      ['c', 'lost', promised],
      ['d', 'lost', 'HTTP 400'],
    ]);
  });

  test('G5 a redirect is a refusal: neither the error nor an arrival goes to another address', async () => {
    server.answer = (response) => void response.writeHead(307, { location: server.url('/stolen') }).end();
    const fails = (): never => {
      throw new Error('private');
    };
    const told = await running({ tasks: { a: secret() } }, [['a', '0 12 * * *', fails, 60_000]]);
    await clock.advance(seconds(1));
    await told.flush();
    assert.deepEqual(server.paths, ['/5f1b-secret/start', '/5f1b-secret/fail']);
    assert.deepEqual(troubles, [{ task: 'a', state: 'lost', reason: 'HTTP 307' }]);
  });
});
