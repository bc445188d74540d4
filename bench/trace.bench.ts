/**
 * The trace: what recording a start costs, beside the `appendFileSync` that anybody would write, and what reading costs, beside
 * `readline` and `JSON.parse`. A start is with the kernel when the sink returns, so one write a start is the least it can cost.
 */
import { appendFileSync, createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readTrace, type TraceFile, traceFile, type WrittenRecord } from '../src/trace/index.ts';
import { compare } from './harness.ts';

const COUNT = 100_000;
const folder = mkdtempSync(join(tmpdir(), 'obbligato-bench-'));
const path = join(folder, 'trace.jsonl');

type RunEvent = 'RunStart' | 'RunSuccess' | 'StartDurable' | 'EndDurable';
const run = (event: RunEvent, index: number): WrittenRecord => ({
  event,
  at: Date.now(),
  task: `customer-${index}/nightly report`,
  runId: `hq0Jm2rT5w1x-${index.toString(36)}`,
  instance: 'hq0Jm2rT5w1x',
});

const starts = (sink: (record: WrittenRecord) => void) => (): void => {
  for (let index = 0; index < COUNT; index++) sink(run('RunStart', index));
};

/** Whole runs as the scheduler makes them: batches become durable, the runs between them start and end. */
const runs = (trace: TraceFile) => (): void => {
  for (let batch = 0; batch < COUNT; batch += 5000) {
    for (let index = batch; index < batch + 5000; index++) trace(run('StartDurable', index));
    for (let index = batch; index < batch + 5000; index++) {
      trace(run('RunStart', index));
      trace(run('RunSuccess', index));
    }
    for (let index = batch; index < batch + 5000; index++) trace(run('EndDurable', index));
  }
};

const trace = traceFile(path);
try {
  await compare(`recording ${COUNT} starts, a start`, [
    { name: 'traceFile', operations: COUNT, run: starts(trace) },
    {
      name: 'appendFileSync',
      operations: COUNT,
      run: starts((record) => appendFileSync(join(folder, 'peer.jsonl'), `${JSON.stringify(record)}\n`)),
    },
  ]);
  await compare(
    `recording ${COUNT} whole runs (four records each), a run`,
    [{ name: 'traceFile', operations: COUNT, run: runs(trace) }],
    { rounds: 3 },
  );
  await trace.close();

  const file = join(folder, 'peer.jsonl');
  const lines = 8 * COUNT;
  await compare(
    `reading ${lines} records, a record`,
    [
      {
        name: 'readTrace, in batches',
        operations: lines,
        run: async () => {
          let count = 0;
          for await (const batch of readTrace(file).batches()) count += batch.length;
          return count;
        },
      },
      {
        name: 'readTrace, one by one',
        operations: lines,
        run: async () => {
          let count = 0;
          for await (const { record } of readTrace(file)) count += record === undefined ? 0 : 1;
          return count;
        },
      },
      {
        name: 'readline and JSON.parse, unchecked',
        operations: lines,
        run: async () => {
          let count = 0;
          for await (const line of createInterface(createReadStream(file)))
            count += JSON.parse(line).at > 0 ? 1 : 0;
          return count;
        },
      },
    ],
    { rounds: 3 },
  );
} finally {
  rmSync(folder, { recursive: true });
}
