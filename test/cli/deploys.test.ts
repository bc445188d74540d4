/** Deploys, as real processes: SIGTERM while a run goes on. The run is interrupted, and nothing of it is lost (A13). */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { history, inspect, type PastRun } from '../../src/index.ts';
import { begin, cli, project, type Running } from './kit.ts';

/** What asks for a file before it is done, and ends by its signal until there is one. */
const tasks = `{ tasks: [
  { name: 'callback', retry: false, run: async (context) => {
    if (existsSync('go')) return;
    await untilStopped(context);
    throw new Error('the line was cut');
  } },
  { name: 'program', retry: { delay: milliseconds(10), max: 3 }, run: command('[ -e go ] || { trap "exit 3" TERM; echo waiting; sleep 1000 & wait; }') },
  { name: 'stubborn', retry: false, run: async () => {
    while (!existsSync('stubborn')) await sleep(20);
    throw new Error('on purpose');
  } },
].map((each) => task({ cron: '0 0 29 2 *', ...each })) }`;

async function pastOf(cwd: string): Promise<readonly PastRun[]> {
  const past: PastRun[] = [];
  for await (const run of history(join(cwd, 'obbligato.db'))) past.push(run);
  return past.reverse();
}

const outcomesOf = (past: readonly PastRun[], name: string): readonly string[] =>
  past.filter(({ task }) => task === name).map(({ outcome, attempt }) => `${outcome} ${attempt}`);

/** SIGTERM, as a deploy sends it. Returns what the process has said. */
async function deployed({ child, ended }: Running, name: string): Promise<void> {
  child.kill('SIGTERM');
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, ''], stdout);
  assert.match(stdout, new RegExp(`${name}  interrupted after .*: it starts again with the next scheduler`));
  assert.doesNotMatch(stdout, /failed|gave up|\n {4}at /);
}

for (const [name, isRunning] of [
  ['callback', /callback {2}started/],
  ['program', /program {2}│ waiting/],
] as const)
  test(`A13 three deploys lose no work of a ${name}, use up no attempt, and alarm nobody`, async () => {
    const cwd = project(tasks);
    const first = begin(['run'], { cwd });
    await first.says(/running; new/);
    await cli(['trigger', name], { cwd });
    await first.says(isRunning);
    await deployed(first, name);
    for (let deploy = 2; deploy <= 3; deploy++) {
      const status = await cli(['status'], { cwd });
      assert.match(status.stdout, new RegExp(`${name}\\s+interrupted\\s+at the next start`));
      const next = begin(['run'], { cwd });
      await next.says(isRunning);
      const health = await cli(['health'], { cwd });
      assert.equal(health.code, 0, health.stdout + health.stderr);
      await deployed(next, name);
    }
    writeFileSync(join(cwd, 'go'), '');
    const last = begin(['run'], { cwd });
    await last.says(new RegExp(`${name}  done in`));
    last.child.kill('SIGTERM');
    await last.ended;
    const past = await pastOf(cwd);
    assert.deepEqual(outcomesOf(past, name), [
      'interrupted 1',
      'interrupted 1',
      'interrupted 1',
      'success 1',
    ]);
    assert.equal(new Set(past.map(({ key }) => key)).size, 1);
    const [record] = (await inspect(join(cwd, 'obbligato.db'))).records.filter((each) => each.name === name);
    assert.deepEqual([record?.failures, record?.lastError, record?.run], [0, null, null]);
  });

test('A13 a callback that never took its signal fails as ever', async () => {
  const cwd = project(tasks);
  const running = begin(['run'], { cwd });
  await running.says(/running; new/);
  await cli(['trigger', 'stubborn'], { cwd });
  await running.says(/stubborn {2}started/);
  running.child.kill('SIGTERM');
  await running.says(/stopping/);
  writeFileSync(join(cwd, 'stubborn'), '');
  await running.ended;
  assert.deepEqual(outcomesOf(await pastOf(cwd), 'stubborn'), ['gave up 1']);
});
