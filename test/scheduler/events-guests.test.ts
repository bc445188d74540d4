/** D2, G4: a trace sink or a logger that throws does not disturb the schedule, and no name disturbs a logger. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScheduler } from '../../src/scheduler/scheduler.ts';
import { memory } from '../../src/store/memory.ts';
import { MovedClock } from '../testing/moved-clock.ts';
import { record, TroubledStore } from './fixtures/troubled-store.ts';
import { createWorld, turns } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const fails = (): never => {
  throw new Error('a guest that throws');
};

/** The log lines of a schedule of one minute whose trace sink throws this; its task is called all the same. */
async function hole(thrown: unknown): Promise<readonly string[]> {
  const errors: string[] = [];
  const ignored = (): void => {};
  let calls = 0;
  const scheduler = createScheduler({
    store: memory(),
    clock: new MovedClock(NOON),
    timeZone: 'UTC',
    trace: () => {
      throw thrown;
    },
    logger: { debug: ignored, info: ignored, warn: ignored, error: (line) => errors.push(line) },
  });
  await scheduler.initialize([['each', '* * * * *', () => calls++, 0]]);
  await turns();
  await scheduler.stop();
  assert.equal(calls, 1);
  return errors;
}

test('D2 G4 a trace sink that throws: the schedule goes on, and one log line says that the trace has a hole', async () => {
  assert.deepEqual(await hole(new Error('a guest that throws')), [
    'the trace has a hole: its sink threw Error: a guest that throws',
  ]);
});

test('D2 G4 a trace sink that throws what throws when it is described: the schedule goes on', async () => {
  assert.deepEqual(await hole({ toString: fails }), [
    'the trace has a hole: its sink threw Object: it has no message that can be read',
  ]);
});

test('G4 a logger that throws: the schedule goes on', async () => {
  const store = new TroubledStore();
  await store.put(record('forgotten'));
  const lines: string[] = [];
  const log = (line: string): never => {
    lines.push(line);
    return fails();
  };
  const world = createWorld(NOON, { store, logger: { debug: log, info: log, warn: log, error: log } });
  await world.scheduler.initialize([['idle', '0 0 1 1 *', () => {}, 0]]);
  await world.scheduler.stop();
  assert.deepEqual(lines, ['forgotten, no longer registered: forgotten']);
  assert.equal((await store.inspect()).owner, 'free');
});

/** The lines of a logger about names that the store has and the list does not. */
async function linesAbout(names: readonly string[]): Promise<readonly string[]> {
  const store = new TroubledStore();
  await store.put(...names.map((name) => record(name)));
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const world = createWorld(NOON, { store, logger: { debug: log, info: log, warn: log, error: log } });
  await world.scheduler.initialize([]);
  await world.scheduler.stop();
  return lines;
}

test('E4 a name forges no line of a logger, and acts on no terminal', async () => {
  assert.deepEqual(await linesAbout(['a\nobbligato: forged\u001b[2J\u009b\u0000\u2028\u202e']), [
    'forgotten, no longer registered: a\\u{a}obbligato: forged\\u{1b}[2J\\u{9b}\\u{0}\\u{2028}\\u{202e}',
  ]);
});

test('E4 a line about thousands of names is cut, visibly', async () => {
  const [line, ...others] = await linesAbout(
    Array.from({ length: 5000 }, (_, index) => `${index} ${'x'.repeat(200)}`),
  );
  assert.deepEqual(others, []);
  assert.ok(line.length < 10_000, `${line.length} characters`);
  assert.match(line, /^forgotten, no longer registered: 0 x+, 1 x+, .*…$/);
});
