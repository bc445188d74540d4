/**
 * What the commands of a page find. A page begins with `project`: a configuration, the store of a scheduler that ran on it, its trace, a
 * crontab. A block that supposes something else names its scene behind its language, where no reader sees it:
 * ```` ```console damaged ````.
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createScheduler, type Registration, sqlite, type TraceRecord, traceFile } from '../../src/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { hostClock } from '../../src/time/host-clock.ts';
import { cluster, killed, running, setQuiet, stopped } from './running-scenes.ts';
import { type Scene, writeConfig } from './scene.ts';

/** The tasks of the configuration in which `preview` finds something to tell. */
const tasks: readonly (readonly [name: string, cron: string])[] = [
  ['poll', '0,15,30,45 * * * *'],
  ['report', '0 6 * * 1-5'],
  ['invoices', '0 6 * * 1-5'],
  ['backup', '30 2 * * *'],
];

const CRONTAB = `CRON_TZ=Europe/Stockholm
*/15 9-17 * * mon-fri ./bin/poll --quiet
@daily ./backup.sh
`;

/** The crontab of docs/cli-commands.md, in which some jobs cannot be had. */
const OLD_CRONTAB = `# Jobs of the app
MAILTO=ops@example.com
CRON_TZ=Europe/Stockholm

*/15 9-17 * * mon-fri cd /srv/app && ./bin/poll --quiet
0 3 * * * flock -n /tmp/backup.lock ./backup.sh
0 9 * * 7 mail -s Hello team%Good morning,%have a good week.
@reboot /srv/app/bin/warm-up
0 0 */2 * 1 /srv/app/bin/odd-mondays
`;

async function storeWith(path: string, names: readonly string[], ...damage: string[]): Promise<void> {
  const session = await sqlite(path).open({ waitMs: 0 });
  await session.commit({ puts: names.map((name) => newRecord(name)) });
  await session.close();
  const db = new DatabaseSync(path);
  for (const statement of damage) db.exec(statement);
  db.close();
}

const project: Scene = async (place) => {
  const { jobs } = place;
  writeConfig(jobs, tasks);
  writeConfig(join(jobs, 'services/billing'), [['invoices', '0 6 * * 1-5']]);
  writeFileSync(join(jobs, 'crontab'), CRONTAB);
  writeFileSync(join(jobs, 'backup.sh'), '#!/bin/sh\n');
  chmodSync(join(jobs, 'backup.sh'), 0o755);
  // `plan` would say that they start.
  const behindMs = setQuiet(place, '0 6 * * 1-5');
  const clock = { ...hostClock, now: () => Date.now() - behindMs };
  const trace = traceFile(join(jobs, 'trace.jsonl'), { watch: false, now: clock.now });
  const scheduler = createScheduler({
    store: sqlite(join(jobs, 'obbligato.db')),
    timeZone: 'Europe/Stockholm',
    clock,
    trace,
  });
  const list = tasks.map(([name, cron]): Registration => [name, cron, () => {}, 300_000]);
  await scheduler.initialize(list);
  await scheduler.stop();
  await trace.close();
  return undefined;
};

const crontab: Scene = async ({ jobs }) => {
  writeFileSync(join(jobs, 'crontab'), OLD_CRONTAB);
  return undefined;
};

const damaged: Scene = async ({ jobs }) => {
  writeConfig(jobs, tasks);
  await storeWith(
    join(jobs, 'obbligato.db'),
    ['nameless', 'mail', 'poll', 'sync'],
    `UPDATE task SET work_key = '', work_attempt = 1, work_scheduled_for = 0 WHERE name = '"mail"'`,
    `UPDATE task SET last_success_at = 8640000000000001 WHERE name = '"poll"'`,
    `UPDATE task SET name = '""' WHERE name = '"nameless"'`,
  );
  return undefined;
};

const repaired: Scene = async ({ jobs }) => {
  writeConfig(jobs, tasks);
  await storeWith(join(jobs, 'obbligato.db'), ['mail', 'poll', 'sync']);
  return undefined;
};

/** A start that nothing owed. */
const violated: Scene = async ({ jobs }) => {
  const at = (time: string): number => Date.parse(`2027-03-02T${time}+01:00`);
  const registrations = [{ name: 'report', cron: '0 12 * * *', retryDelayMs: 5000 }];
  const records: TraceRecord[] = [
    { event: 'InitStart', at: at('11:59:00'), registrations, timeZone: 'Europe/Stockholm' },
    { event: 'InitSuccess', at: at('11:59:00') },
    { event: 'RunStart', at: at('12:00:00.250'), task: 'report' },
    { event: 'RunSuccess', at: at('12:00:01'), task: 'report' },
    { event: 'RunStart', at: at('12:00:02'), task: 'report' },
  ];
  writeFileSync(join(jobs, 'trace.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return undefined;
};

const empty: Scene = async () => undefined;

/** A clone of this project, in `/srv/obbligato`, and nothing beside it yet. */
const clone: Scene = async ({ root: top, jobs }) => {
  rmSync(jobs, { recursive: true });
  const folder = join(top, 'srv/obbligato');
  mkdirSync(folder);
  writeFileSync(join(top, 'working-directory'), folder);
  return undefined;
};

export const scenes: Readonly<Record<string, Scene>> = {
  project,
  crontab,
  damaged,
  repaired,
  violated,
  running,
  killed,
  cluster,
  stopped,
  empty,
  clone,
};
