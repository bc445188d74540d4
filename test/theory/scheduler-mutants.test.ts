/**
 * The oracle against schedulers that are wrong: faults are planted in the source of the real one, it lives in a process of its own, and
 * its trace is judged. The same lives of the scheduler as it ships are clean.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { checkTrace } from '../../src/theory/check.ts';
import type { Verdict } from '../../src/theory/verdict/verdict.ts';
import { readTrace } from '../../src/trace/read.ts';
import { assertGenerated, table } from './generated.ts';
import { brokenBy } from './judge.ts';
import { lives } from './lives.ts';

interface Fault {
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

interface WrongScheduler {
  readonly fault: string;
  readonly life: string;
  readonly faults: readonly Fault[];
  readonly breaks: readonly string[];
}

const batches = 'src/scheduler/batches.ts';
const engine = 'src/scheduler/engine.ts';
const claims = 'src/scheduler/claims.ts';
const dues = 'src/scheduler/dues.ts';
const tasks = 'src/core/tasks.ts';
const failures = 'src/core/failure-columns.ts';

const wrong: readonly WrongScheduler[] = [
  {
    fault: 'calls before the start is durable (A4)',
    life: 'retried',
    faults: [
      // The end goes into the next batch: a store refuses an end that comes before its start.
      {
        file: batches,
        find: '    const changes = outbox.take();\n',
        put: '    const changes = outbox.take(); const { caller } = this.#ports; for (let place = 0; place < starts.length; place++) { const early = new starts.constructor(this.#options.tasks); early.add(); early.cells.set(starts.cells.subarray(place * starts.width, (place + 1) * starts.width)); caller.add({ starts: early, places: [0], durableAt: clock.now() }); } caller.callSome();\n',
      },
      { file: claims, find: 'else places.push(place);', put: '' },
    ],
    breaks: ['WA'],
  },
  {
    fault: 'goes on starting after stop was called (D7)',
    life: 'stopped',
    faults: [
      {
        file: engine,
        find: '    this.#handover?.stop();\n    this.#startNothing();',
        put: '',
      },
    ],
    breaks: ['S1', 'L3'],
  },
  {
    fault: 'does not wait for callbacks at stop (D7)',
    life: 'stopped',
    faults: [
      {
        file: engine,
        find: 'else if (this.#caller.running === 0) this.#stopping',
        put: 'else this.#stopping',
      },
    ],
    breaks: ['S3'],
  },
  {
    fault: 'keeps the retry after a start (A3)',
    life: 'retried',
    faults: [{ file: tasks, find: 'this.#failures.called(task);', put: '' }],
    breaks: ['S1', 'S2'],
  },
  {
    fault: 'retries at once, whatever the delay (A6)',
    life: 'retried',
    faults: [{ file: failures, find: 'endedAt + delayMs', put: 'endedAt' }],
    breaks: ['S1'],
  },
  {
    fault: 'forgets to retry (A7)',
    life: 'retried',
    faults: [{ file: failures, find: 'Math.min(endedAt + delayMs, MAX_INSTANT)', put: 'MAX_INSTANT' }],
    breaks: ['L1'],
  },
  {
    fault: 'loses what comes due while running (A5)',
    life: 'dueWhileRunning',
    faults: [
      {
        file: dues,
        find: '(task: number, dueAt: number): void => this.#due(task, now, dueAt)',
        put: '(task: number, dueAt: number): void => { if (!this.#moves.isOut(task)) this.#due(task, now, dueAt); }',
      },
    ],
    breaks: ['L1'],
  },
  {
    fault: 'forgets runs that a crash cut off (A1)',
    life: 'orphaned',
    faults: [{ file: tasks, find: 'record.run === null ? 0 : ORPHANED', put: '0' }],
    breaks: ['L1'],
  },
  {
    fault: 'starts everything at its first coming (E2)',
    life: 'firstComing',
    faults: [
      {
        file: 'src/core/first-cursors.ts',
        find: 'this.#ofZone = cursorOfFirstComing(now, zone);',
        put: 'this.#ofZone = 0;',
      },
    ],
    breaks: ['S1'],
  },
  {
    fault: 'misses a due in the minute of the first coming (E2)',
    life: 'dueAtFirstComing',
    faults: [
      {
        file: 'src/core/first-cursors.ts',
        find: 'Math.max(minuteStart, start) - 1',
        put: 'Math.max(minuteStart, start)',
      },
    ],
    breaks: ['L1'],
  },
  {
    fault: 'accepts a name twice (D3)',
    life: 'duplicates',
    faults: [
      {
        file: 'src/core/registration.ts',
        find: 'if (places.size === before) throw new ScheduleDuplicateTaskError(name);',
        put: '',
      },
    ],
    breaks: ['S5'],
  },
];

const program = join(import.meta.dirname, 'fixtures/faulty-life.ts');

async function judged(life: string, faults: readonly Fault[]): Promise<Verdict> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, life, JSON.stringify(faults)], {
    maxBuffer: 2 ** 26,
  });
  return checkTrace(readTrace([stdout]));
}

describe('the scheduler as it ships', () => {
  for (const life of Object.keys(lives))
    test(`${life}: conformant, and nobody to blame`, async () => {
      const verdict = await judged(life, []);
      assert.deepEqual([brokenBy(verdict), verdict.conformant, verdict.blame], [[], true, 'none']);
    });
});

describe('a scheduler that', () => {
  for (const { fault, life, faults, breaks } of wrong)
    test(`${breaks.join(', ')}: ${fault}`, async () => {
      const verdict = await judged(life, faults);
      assert.deepEqual([verdict.conformant, verdict.blame], [false, 'scheduler']);
      assert.deepEqual(brokenBy(verdict), breaks);
    });

  test('docs/theory.md has the table', () => {
    const rows = wrong.map(({ fault, breaks }) => [fault, breaks.join(' ')]);
    assertGenerated('wrong schedulers', table(['a scheduler that', 'breaks'], rows));
  });
});
