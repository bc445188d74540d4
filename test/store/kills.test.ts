/**
 * Real deaths: a process with a real file is killed by SIGKILL amid its commits, and the file is opened again at once. A batch is
 * all there or not at all, what was acknowledged is there, and the lock is free.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { failureOf } from '../../src/store/conformance-kit.ts';
import { history, inspect, type StoreSession, sqlite } from '../../src/store/index.ts';
import { few } from '../sample.ts';
import { ended, program, temporaryFolder } from './kit.ts';

const ROUNDS = few(8, 24);
const FOLD_ROUNDS = few(4, 12);
const NEW_FILES = few(4, 8);
const CHANGES = 5000;
const FOLDED = 500;

/** Commits batch after batch; says what it is about to commit and what was acknowledged, straight to the kernel. */
const WRITER = `
  const session = await sqlite(path).open({ waitMs: 0 });
  const records = await session.read();
  const names = Array.from({ length: ${CHANGES} }, (_, index) => 'task ' + (index * 7919) % ${CHANGES});
  let attempt = records[0]?.work?.attempt ?? 0;
  if (records.length === 0) await session.commit({ puts: names.map((name) => newRecord(name)) });
  for (;;) {
    attempt++;
    const starts = names.map((name) => startOf(name, attempt, attempt));
    say('commit ' + attempt);
    await session.commit({ starts });
    say('done ' + attempt);
  }
`;

/** Starts and ends all tasks again and again, and folds whenever no batch waits. */
const FOLDER = `
  const session = await sqliteForTests(path, { idleMs: 0 }).open({ waitMs: 0 });
  const records = await session.read();
  const names = Array.from({ length: ${FOLDED} }, (_, index) => 'task ' + index);
  let attempt = Number(records[0]?.lastError?.message.match(/\\d+/)[0] ?? 0);
  if (records.length === 0) await session.commit({ puts: names.map((name) => newRecord(name)) });
  for (;;) {
    attempt++;
    await session.commit({ starts: names.map((name) => startOf(name, attempt)) });
    say('commit ' + attempt);
    await session.commit({ ends: names.map((name) => failureOf(name, attempt)) });
    say('done ' + attempt);
    await new Promise((resolve) => setTimeout(resolve, attempt % 3));
  }
`;

/**
 * Kills the program some turns of the event loop after it has said the nth line that begins so, and waits for its death. Returns all it
 * had said by then.
 */
async function killAfter(
  child: ChildProcess,
  beginning: string,
  nth: number,
  turns: number,
): Promise<string[]> {
  let said = '';
  let armed = true;
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (!armed || said.split('\n').filter((line) => line.startsWith(beginning)).length < nth) return;
    armed = false;
    let left = turns;
    const turn = (): void => {
      if (left-- > 0) setImmediate(turn);
      else child.kill('SIGKILL');
    };
    turn();
  });
  const { signal, err } = await ended(child);
  assert.equal(signal, 'SIGKILL', err);
  return said.split('\n').slice(0, -1);
}

async function attemptsIn(session: StoreSession): Promise<number[]> {
  const records = await session.read();
  return records.map(
    (record) => Number(Reflect.get(Object(Reflect.get(Object(record), 'work')), 'attempt')) || 0,
  );
}

describe('SIGKILL', () => {
  test(`E5 E6 A4 ${ROUNDS} deaths amid commits of ${CHANGES} changes: nothing torn, nothing lost, nothing locked`, async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    let unacknowledged = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const beginning = round % 2 === 0 ? 'commit' : 'done';
      const lines = await killAfter(
        program(t, path, WRITER),
        beginning,
        1 + (round % 3),
        round * (960 / ROUNDS),
      );
      const acknowledged = Number(lines.findLast((line) => line.startsWith('done'))?.slice(5) ?? 0);
      const begun = Number(lines.findLast((line) => line.startsWith('commit'))?.slice(7) ?? 0);

      const session = await sqlite(path).open({ waitMs: 0 });
      const attempts = await attemptsIn(session);
      await session.close();
      assert.equal(attempts.length, CHANGES);
      assert.equal(new Set(attempts).size, 1, `round ${round}: a torn batch`);
      assert.ok(
        attempts[0] >= acknowledged,
        `round ${round}: ${acknowledged} was acknowledged, ${attempts[0]} is there`,
      );
      assert.ok(attempts[0] <= begun, `round ${round}: ${attempts[0]} was never committed`);
      if (attempts[0] > acknowledged && acknowledged > 0) unacknowledged++;
    }
    t.diagnostic(`${unacknowledged} of ${ROUNDS} deaths left a batch that was durable but not acknowledged`);
  });

  test(`E5 J1 ${FOLD_ROUNDS} deaths amid folds: every record and every run of the history is there once`, async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    for (let round = 0; round < FOLD_ROUNDS; round++) {
      const lines = await killAfter(program(t, path, FOLDER), 'done', 3 + round, round * (300 / FOLD_ROUNDS));
      const acknowledged = Number(lines.findLast((line) => line.startsWith('done'))?.slice(5) ?? 0);
      const { records } = await inspect(path);
      const runs = new Map<string, number>();
      for await (const { task } of history(path)) runs.set(task, (runs.get(task) ?? 0) + 1);
      const ended = runs.get('task 0') ?? 0;
      assert.ok(ended === acknowledged || ended === acknowledged + 1, `${acknowledged} and ${ended}`);
      assert.deepEqual([...new Set(runs.values()), runs.size], [ended, FOLDED]);
      const messages = new Set(records.map(({ lastError }) => lastError?.message));
      assert.deepEqual([...messages], [failureOf('', ended).error?.message], `round ${round}`);
    }
  });

  test(`E5 E6 ${NEW_FILES} deaths amid the making of a new file: each leaves one that can be opened`, async (t) => {
    const folder = await temporaryFolder(t);
    for (let round = 0; round < NEW_FILES; round++) {
      const path = join(folder, `store-${round}.db`);
      const opening = `say('open'); const session = await sqlite(path).open({ waitMs: 0 }); say('opened'); for (;;) await session.read();`;
      await killAfter(program(t, path, opening), round < NEW_FILES - 2 ? 'open' : 'opened', 1, round * 400);
      const session = await sqlite(path).open({ waitMs: 0 });
      assert.deepEqual(await session.read(), []);
      await session.close();
    }
  });
});
