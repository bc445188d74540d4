/** D7: what a failed stop left behind, if the next list lacks its task or has it begin anew. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StopSchedulerError, task } from '../../src/index.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import {
  at,
  failsBefore,
  neverAnswers,
  neverAnswersAfter,
  TroubledStore,
  through,
} from './fixtures/troubled-store.ts';
import { createWorld, heldCallback, turns, type World } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const FINAL_WRITE_MS = 10_000;
const UNANSWERED = { neverAnswers, neverAnswersAfter, failsBefore };

type List = Parameters<World['scheduler']['initialize']>[0];

/** The task of this name, begun anew. */
const anew = (name: string, cron: string, run: () => unknown): List => [
  task({ name, cron, run, retry: { delay: 7 }, onOverride: 'reset' }),
];

const NEXT_LISTS: Readonly<Record<string, List>> = {
  'lacks it': [],
  'has it begin anew (H10)': anew('held', '0 13 * * *', () => {}),
};

async function failToStop({ scheduler, clock }: World, store: TroubledStore): Promise<void> {
  const stopped = scheduler.stop();
  stopped.catch(() => {});
  await clock.advance(FINAL_WRITE_MS);
  await assert.rejects(stopped, StopSchedulerError);
  store.commits = through;
}

describe('D7 J1 the run of a task', () => {
  for (const [how, next] of Object.entries(NEXT_LISTS))
    for (const [what, commits] of Object.entries(UNANSWERED)) {
      test(`D7 J1 the next list ${how}, ${what}: the history has its end, once`, async () => {
        const store = new TroubledStore();
        const world = createWorld(NOON, { store });
        const held = heldCallback();
        await world.scheduler.initialize([['held', '0 12 * * *', held.callback, 3_600_000]]);
        await world.clock.advance(5_000);
        store.commits = commits;
        held.runs[0].fail();
        await failToStop(world, store);
        await world.scheduler.initialize(next);
        const past = await store.past();
        assert.deepEqual(
          past.map(({ runId, outcome, endedAt }) => ({ runId, outcome, endedAt })),
          [{ runId: held.runs[0].context.runId, outcome: 'failure', endedAt: at(NOON) + 5_000 }],
        );
        for (const { lastAttemptAt, pendingRetryUntil, run } of await store.records())
          assert.deepEqual([lastAttemptAt, pendingRetryUntil, run], [null, null, null]);
        await world.scheduler.stop();
      });

      test(`D7 J1 the next list ${how}, ${what}: a start that was never called leaves no row`, async () => {
        const store = new TroubledStore();
        const world = createWorld(NOON, { store });
        const list: Registration[] = [['held', '0 12 * * *', () => {}, 0]];
        await world.scheduler.initialize(list);
        store.commits = commits;
        await turns();
        await failToStop(world, store);
        await world.scheduler.initialize(next);
        assert.deepEqual(await store.past(), []);
        await world.scheduler.stop();
      });
    }
});

test('D7 H10 a move that the store never took does not move a task that begins anew', async () => {
  const store = new TroubledStore();
  const world = createWorld('2026-01-01T14:00:30Z', { store });
  await world.scheduler.initialize([['hourly', '0 * * * *', () => {}, 0]]);
  store.commits = neverAnswers;
  world.clock.step(-2 * 3_600_000);
  await world.clock.advance(60_000);
  assert.ok(store.batches.at(-1)?.moves?.length, 'the move is on its way');
  await failToStop(world, store);
  await world.clock.advance(1_800_000);
  await world.scheduler.initialize(anew('hourly', '15 * * * *', () => {}));
  const { firstSeenAt, servedThrough } = await store.record('hourly');
  assert.equal(servedThrough, Math.floor(firstSeenAt / 60_000) * 60_000 - 1, 'E2');
  await world.scheduler.stop();
});
