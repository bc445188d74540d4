/**
 * How much code one record passes. V8's precise coverage counts the functions of `src/theory` that are entered while a monitor takes
 * one `RunStart`, the first of its minute, so that the pulse of the minute counts too. The monitor has seen some minutes before: its
 * tables are filled.
 */
import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';
import { test } from 'node:test';
import { createMonitor } from '../../src/theory/index.ts';
import type { TraceRecord } from '../../src/trace/record.ts';
import { instant, trace } from './traces.ts';

const MINUTE_MS = 60_000;
const MOST = 60;
const tasks = ['a', 'b', 'c'];

/** Every task runs, two milliseconds after the minute began. */
function* minute(number: number): Generator<TraceRecord> {
  const at = instant('12:00') + number * MINUTE_MS + 2;
  for (const task of tasks) yield { event: 'RunStart', at, task, runId: `${number}` };
  for (const task of tasks) yield { event: 'RunSuccess', at: at + 50, task, runId: `${number}` };
}

async function entered(act: () => void): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    act();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.includes('/src/theory/'))
      .flatMap(({ url, functions }) =>
        functions
          .filter(({ ranges }) => ranges[0].count > 0)
          .map(({ functionName, ranges }) => `${url} ${functionName} ${ranges[0].startOffset}`),
      );
  } finally {
    session.disconnect();
  }
}

test(`one RunStart passes at most ${MOST} functions, with the minute that begins before it`, async () => {
  const monitor = createMonitor();
  const registered = Object.fromEntries(tasks.map((task) => [task, '* * * * *']));
  for (const record of trace().at('11:59:30').init(registered)) monitor.sink(record);
  for (let number = 0; number < 10; number++) for (const record of minute(number)) monitor.sink(record);
  const [start] = minute(10);
  const functions = await entered(() => monitor.sink(start));
  assert.equal(monitor.verdict().conformant, true);
  assert.ok(functions.length > 30, `only ${functions.length}: the count itself is broken`);
  assert.ok(functions.length <= MOST, `${functions.length} functions:\n${functions.join('\n')}`);
});
