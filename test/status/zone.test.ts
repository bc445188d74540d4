/**
 * B2: a store is read in the zone that its scheduler has written into it, whatever the zone of the reader's host. A scheduler in New York runs 24 daily tasks for
 * some days. It is well, and somebody in Kolkata looks.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  createScheduler,
  health,
  inspect,
  memory,
  type Registration,
  type Store,
  sqlite,
  taskStatus,
} from '../../src/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { MIGRATIONS, migrate } from '../../src/store/sqlite-schema.ts';
import { NOW, program, root } from '../cli/commands-kit.ts';
import { temporaryFolder } from '../store/kit.ts';

const NEW_YORK = { TZ: 'America/New_York' };
const KOLKATA = { TZ: 'Asia/Kolkata' };
const source = (path: string): string => JSON.stringify(join(root, 'src', path));

/** Runs the tasks by a clock that stands still at a quarter to four in New York, three days on, until the test is over. */
const SCHEDULER = `
  import { createTestClock } from ${source('testing/index.ts')};
  import { createScheduler, days, minutes, sqlite } from ${source('index.ts')};
  const clock = createTestClock('2027-01-10T08:45:00Z');
  const store = clock.store(sqlite('jobs.db'));
  const tasks = Array.from({ length: 24 }, (_, hour) => ['at ' + hour, '30 ' + hour + ' * * *', () => {}, minutes(1)]);
  await createScheduler({ clock, store, logger: false }).initialize(tasks);
  await clock.advance(days(3));
  console.log('at', clock.now());
  setInterval(() => {}, 60_000);`;

/** What every reader says of the store, as JSON. */
const READER = `
  import { createServer } from 'node:http';
  import { dashboard } from ${source('dashboard/index.ts')};
  import { health, inspect, sqlite, taskStatus } from ${source('index.ts')};
  import { metrics } from ${source('telemetry/index.ts')};
  const now = Number(process.argv[2]);
  const store = sqlite('jobs.db');
  const inspection = await inspect(store);
  const clock = { now: () => now, monotonic: () => 0 };
  const measured = metrics({ store, clock });
  const page = dashboard({ store, now: () => now });
  const server = createServer(page).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const ask = async (path) => (await fetch('http://127.0.0.1:' + server.address().port + '/api/' + path)).json();
  const { rows } = await ask('tasks?limit=50');
  const { timeZone, timeZoneFrom, counts } = await ask('state');
  console.log(JSON.stringify({
    health: await health('jobs.db', { now }),
    states: inspection.records.map((record) => taskStatus(record, { ...inspection, now }).state),
    next: Math.min(...inspection.records.map((record) => taskStatus(record, { ...inspection, now }).nextDueAt)),
    page: { timeZone, timeZoneFrom, owed: counts.owed, next: Math.min(...rows.map(({ next }) => next)), zones: [...new Set(rows.map((row) => row.timeZone))] },
    overdue: (await measured.text()).match(/^obbligato_task_overdue_seconds\\{.*$/gm).map((line) => Number(line.split(' ').at(-1))),
  }) + '\\n');
  process.exit();`;

describe('B2 a store is read in the zone of its scheduler', () => {
  test('health is green, and status, page and metrics are right, from a host of another zone', async (t) => {
    const cwd = await temporaryFolder(t);
    writeFileSync(join(cwd, 'scheduler.mts'), SCHEDULER);
    writeFileSync(join(cwd, 'reader.mts'), READER);
    const scheduler = program(t, ['scheduler.mts'], { cwd, env: NEW_YORK });
    const now = Number(/at (\d+)/.exec(await scheduler.says(/at \d+/))?.[1]);
    const { out, err } = await program(t, ['reader.mts', String(now)], { cwd, env: KOLKATA }).ended;
    assert.match(out, /\n$/, err);
    const read = JSON.parse(out);
    assert.deepEqual(read.health, {
      healthy: true,
      troubles: [],
      tasks: 24,
      timeZone: 'America/New_York',
      timeZoneFrom: 'store',
    });
    assert.deepEqual(read.states, Array(24).fill('waiting'));
    const half = Date.parse('2027-01-13T09:30:00Z');
    assert.equal(read.next, half);
    const zone = 'America/New_York';
    assert.deepEqual(read.page, {
      timeZone: zone,
      timeZoneFrom: 'store',
      owed: 0,
      next: half,
      zones: [zone],
    });
    assert.deepEqual(read.overdue, Array(24).fill(0));
    for (const words of [
      ['status', 'jobs.db', '--json'],
      ['health', 'jobs.db', '--json'],
    ]) {
      const said = await program(t, [join(root, 'src/cli/main.ts'), ...words], { cwd, env: KOLKATA }).ended;
      const document = JSON.parse(said.out);
      assert.deepEqual([document.timeZone, document.timeZoneFrom], [zone, 'store'], said.out + said.err);
    }
    const list = 'export default { store: "jobs.db", tasks: [["at 3", "30 3 * * *", () => {}, 1000]] };';
    writeFileSync(join(cwd, 'obbligato.config.ts'), list);
    const listed = await program(t, [join(root, 'src/cli/main.ts'), 'list', '--json'], { cwd, env: KOLKATA })
      .ended;
    assert.equal(JSON.parse(listed.out).timeZone, zone, listed.err);
  });

  test('the zone is that of the latest initialize, and a list that changes nothing writes it no second time', async () => {
    const store = memory();
    let commits = 0;
    const counted: Store = {
      ...storeOf(store),
      async open(options) {
        const session = await store.open(options);
        return {
          read: (names) => session.read(names),
          close: () => session.close(),
          timeZone: () => session.timeZone?.() ?? Promise.resolve(undefined),
          commit: (batch) => {
            commits++;
            return session.commit(batch);
          },
        };
      },
    };
    const list: readonly Registration[] = [['x', '0 0 1 1 *', () => {}, 1000]];
    const initialize = async (timeZone: string): Promise<number> => {
      commits = 0;
      const scheduler = createScheduler({ store: counted, timeZone, logger: false });
      await scheduler.initialize(list);
      await scheduler.stop();
      return commits;
    };
    assert.equal(await initialize('Asia/Tokyo'), 1);
    assert.equal((await inspect(store)).timeZone, 'Asia/Tokyo');
    assert.equal(await initialize('Asia/Tokyo'), 0);
    assert.equal(await initialize('Europe/Berlin'), 1);
    assert.equal((await inspect(store)).timeZone, 'Europe/Berlin');
  });

  test('a file of every former version says none: the host stands in, and the answer says so', async (t) => {
    for (let version = 1; version <= MIGRATIONS.length; version++) {
      const path = join(await temporaryFolder(t), 'jobs.db');
      const db = new (loadSqlite().DatabaseSync)(path);
      migrate(db, path, MIGRATIONS.slice(0, version));
      db.exec(
        `INSERT INTO task (name, cron, retry_delay_ms, first_seen_at, served_through) VALUES ('"a"', '0 6 * * *', 1000, ${NOW}, ${NOW})`,
      );
      db.close();
      const inspection = await inspect(path);
      assert.equal(inspection.timeZone, undefined);
      const { timeZoneFrom, timeZone } = await health(path, { now: NOW });
      assert.equal(timeZoneFrom, 'host');
      assert.equal(timeZone, new Intl.DateTimeFormat().resolvedOptions().timeZone);
      assert.equal((await health(path, { now: NOW, timeZone: false })).timeZone, undefined);
      const scheduler = createScheduler({ store: sqlite(path), timeZone: 'Asia/Tokyo', logger: false });
      await scheduler.initialize([['a', '0 6 * * *', () => {}, 1000]]);
      await scheduler.stop();
      assert.equal((await inspect(path)).timeZone, 'Asia/Tokyo');
    }
  });

  test('an answer of inspect is all that taskStatus needs', () => {
    const record = newRecord('x', { cron: '0 21 * * *', servedThrough: NOW });
    assert.equal(
      taskStatus(record, { owner: 'held', timeZone: 'Asia/Tokyo', now: NOW }).nextDueAt,
      NOW + 86_400_000,
    );
  });
});

const storeOf = (store: Store): Pick<Store, 'location'> => ({ location: store.location });
