/** What is remembered of programs is believed only if no other user could have written it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { markOf } from '../../src/command/process-table.ts';
import { CommandLeftoverError, CommandStartError, command } from '../../src/index.ts';
import { give, isRoot, NOBODY } from '../unprivileged.ts';
import { contextOf, folder, lives } from './kit.ts';

const fresh = (): string => mkdtempSync(join(folder, 'trust-'));
const victims = new Set<ReturnType<typeof spawn>>();
after(() => {
  for (const victim of victims) victim.kill('SIGKILL');
});

/** A process that has nothing to do with any task, and a memo that calls it the program of a dead scheduler. */
function planted(directory: string): { readonly pid: number; readonly memo: string } {
  const victim = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  victims.add(victim);
  const pid = victim.pid ?? 0;
  const hash = createHash('sha256').update('job').digest('hex').slice(0, 16);
  const memo = join(directory, `job-${hash}.99-99.json`);
  const program = { pid, mark: markOf(pid), runId: 'forged' };
  writeFileSync(memo, JSON.stringify({ task: 'job', program, owner: { pid: 2 ** 22 - 1, mark: 'gone' } }));
  return { pid, memo };
}

/** Runs a program that leaves a file behind; answers what it fails with. */
const failureIn = async (directory: string): Promise<unknown> =>
  Promise.resolve(
    command('touch "$PLACE/started"', { directory, env: { PLACE: folder } })(contextOf('job')),
  ).catch((error: unknown) => error);

function refused(error: unknown, reason: RegExp): void {
  assert.ok(error instanceof CommandStartError, String(error));
  assert.match(error.message, reason);
  assert.ok(!existsSync(join(folder, 'started')));
}

describe('the folder of what is remembered', () => {
  for (const mode of [0o777, 0o1777, 0o770, 0o702]) {
    test(`is refused if other users may write to it (${mode.toString(8)}), and no process is ended for what it says`, async () => {
      const directory = fresh();
      const { pid } = planted(directory);
      chmodSync(directory, mode);
      refused(await failureIn(directory), /other users may write to it.*"chmod 700"/);
      assert.ok(lives(pid));
    });
  }

  test('is refused if it belongs to another user', async () => {
    const directory = isRoot ? fresh() : '/usr';
    if (isRoot) give(directory, NOBODY);
    const owner = isRoot ? NOBODY.uid : 0;
    refused(
      await failureIn(directory),
      new RegExp(`it belongs to user ${owner}, and this process is user \\d+`),
    );
  });

  test('is refused if it is a link to a folder of another user', async () => {
    const target = isRoot ? fresh() : '/usr';
    if (isRoot) give(target, NOBODY);
    const link = join(fresh(), 'link');
    symlinkSync(target, link);
    refused(await failureIn(link), /it belongs to user/);
  });

  test('a file of another user in it ends no process, and its task does not start', async () => {
    const directory = fresh();
    const { pid, memo } = planted(directory);
    // Only root can give a file away; another user has none but those of root, which hold no memo.
    if (isRoot) give(memo, NOBODY);
    else writeFileSync(memo, '');
    const error = await failureIn(directory);
    assert.ok(error instanceof CommandLeftoverError, String(error));
    assert.match(error.message, /cannot be read; make sure that it has ended/);
    assert.ok(lives(pid));
  });

  test('is believed if it is ours alone', async () => {
    const directory = fresh();
    const { pid } = planted(directory);
    assert.equal(await failureIn(directory), undefined);
    assert.ok(!lives(pid), 'the same memo is acted on');
  });
});
