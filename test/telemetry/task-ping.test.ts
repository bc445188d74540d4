/** A ping that is said with its task: who is told, and that the address shows nowhere. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inspect as shown } from 'node:util';
import { dashboard } from '../../src/dashboard/index.ts';
import { createScheduler, minutes, sqlite, type TraceRecord, task } from '../../src/index.ts';
import { pings, sentry } from '../../src/telemetry/index.ts';
import { clock, running, secret, server, troubles } from './ping-stage.ts';

const daily = '1 12 * * *';

describe('task({ ping })', () => {
  test('H1 each task of the list is pinged for as it says; one that says nothing is not', async () => {
    const dsn = `http://publickey@127.0.0.1:${server.port}/42`;
    const fails = (): never => {
      throw new RangeError('the disk is full');
    };
    const tasks = [
      task({ name: 'backup', cron: daily, run: () => {}, ping: secret() }),
      task({ name: 'bad', cron: daily, run: fails, retry: false, ping: new URL(server.url('/other')) }),
      task({ name: 'report', cron: daily, run: () => {}, ping: sentry({ dsn }) }),
      task({ name: 'quiet', cron: daily, run: () => {}, ping: undefined }),
      ['tuple', daily, () => {}, 0] as const,
    ];
    const told = await running({ tasks }, tasks);
    await clock.advance(minutes(1));
    await told.flush();
    assert.deepEqual(server.paths.toSorted(), [
      '/5f1b-secret',
      '/5f1b-secret/start',
      '/api/42/cron/report/publickey/',
      '/api/42/cron/report/publickey/',
      '/other/fail',
      '/other/start',
    ]);
    assert.deepEqual(troubles, []);
  });

  test('H1 what is no address is refused at the call, and the error does not show it', () => {
    for (const ping of ['', 'no url with 5f1b-secret', 'ftp://host/5f1b-secret', 7, { url: '5f1b-secret' }])
      assert.throws(
        () => task({ name: 'backup', cron: daily, run: () => {}, ping: ping as string }),
        (error: Error) =>
          error.message ===
            'task "backup": ping must be an address that begins with https:// or http://, or a function' &&
          !shown(error).includes('5f1b'),
      );
  });

  test('G5 the address is in no store, trace, event, log, page and printed task', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'obbligato-ping-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const store = sqlite(join(folder, 'jobs.db'));
    const tasks = [
      task({ name: 'backup', cron: '* * * * *', run: () => {}, meta: { team: 'a' }, ping: secret() }),
    ];
    const said: unknown[] = [];
    const note = (...words: unknown[]): void => void said.push(words);
    const checks = pings({ tasks });
    t.after(() => checks.close());
    const ended = Promise.withResolvers<void>();
    const scheduler = createScheduler({
      store,
      timeZone: 'UTC',
      logger: { debug: note, info: note, warn: note, error: note, failure: note },
      trace: (record: TraceRecord) => note(record),
      onEvent: (event) => {
        note(event);
        checks.onEvent(event);
        if (event.type === 'TaskRunCompleted') ended.resolve();
      },
    });
    await scheduler.initialize(tasks);
    t.after(() => scheduler.stop());
    const page = dashboard({ store, tasks });
    t.after(() => page.close());
    await ended.promise;
    await server.got(2);
    await scheduler.stop();
    const printed = shown([said, tasks, checks, page], { depth: 9, showHidden: true });
    assert.match(printed, /TaskRunCompleted/);
    assert.doesNotMatch(printed + JSON.stringify([said, tasks]), /5f1b/);
    const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'));
    assert.ok(files.some((bytes) => bytes.includes('backup')));
    assert.ok(!files.some((bytes) => bytes.includes('5f1b')));
  });
});
