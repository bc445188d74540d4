/** `obbligato status`: what it says of records in a store that was made for it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { statusCommand } from '../../src/cli/commands/status.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { sqlite } from '../../src/store/index.ts';
import { temporaryFolder } from '../store/kit.ts';
import { call, NOW } from './commands-kit.ts';

describe('the states that obbligato status shows', () => {
  test('I3 a pause shows beside a run, and wins over a run that was cut off', async (t) => {
    const folder = await temporaryFolder(t);
    const session = await sqlite(join(folder, 'obbligato.db')).open({ waitMs: 0 });
    const run = {
      runId: 'r',
      instanceId: 'i',
      startedAt: NOW - 5000,
      reason: 'due',
      cutOffAt: null,
    } as const;
    const work = { key: 'k', scheduledFor: NOW - 60_000, attempt: 1 };
    await session.commit({
      puts: [newRecord('one', { servedThrough: NOW, pausedAt: NOW - 60_000, run, work })],
    });
    const ask = () => call(statusCommand, ['--tz', 'UTC'], { cwd: folder, columns: 120 });
    assert.match((await ask()).out, /^one {3}running, paused {2}for 5 s /m);
    await session.close();
    assert.match((await ask()).out, /^one {3}paused {2}for 1 min /m);
  });

  test('A5 a run that takes many times as long as the last one says so, and that the next one waits', async (t) => {
    const folder = await temporaryFolder(t);
    const session = await sqlite(join(folder, 'obbligato.db')).open({ waitMs: 0 });
    const run = {
      runId: 'r',
      instanceId: 'i',
      startedAt: NOW - 30 * 60_000,
      reason: 'due',
      cutOffAt: null,
    } as const;
    const work = { key: 'k', scheduledFor: NOW - 30 * 60_000, attempt: 1 };
    const hung = { servedThrough: NOW - 3_600_000, lastDurationMs: 7 * 60_000, run, work };
    await session.commit({
      puts: [
        newRecord('nightly', { cron: '0 3 * * *', ...hung }),
        newRecord('often', { cron: '50 11 * * *', ...hung }),
      ],
    });
    const { out } = await call(statusCommand, ['--tz', 'UTC'], { cwd: folder, columns: 160 });
    assert.match(out, /^nightly {2}running {2}for 30 min, the last one took 7 min {2,}/m);
    assert.match(out, /^often {4}running {2}for 30 min, the last one took 7 min, due again since 10 min /m);
    await session.close();
  });

  test('what is owed says for how long, and an expression on which days it counts', async (t) => {
    const folder = await temporaryFolder(t);
    const session = await sqlite(join(folder, 'obbligato.db')).open({ waitMs: 0 });
    const policy = JSON.stringify({ days: { last: 0 } });
    await session.commit({
      puts: [
        newRecord('late', { cron: '55 11 * * *', servedThrough: NOW - 3_600_000 }),
        newRecord('monthly', { cron: '0 6 * * *', servedThrough: NOW, policy }),
      ],
    });
    await session.close();
    const { out } = await call(statusCommand, ['--tz', 'UTC'], { cwd: folder, columns: 160 });
    assert.match(out, /^late {5}owed {5}for 5 min /m);
    assert.match(out, /0 6 \* \* \*, only on the last day of the month$/m);
  });
});
