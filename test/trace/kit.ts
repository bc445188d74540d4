/** What the tests of traces share: temporary files, records of every kind, and short ways to read a file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { type TraceEntry, type TraceFileOptions, traceFile } from '../../src/trace/index.ts';
import { readTrace, type TraceSource } from '../../src/trace/read.ts';
import type { TraceRecord, WrittenRecord } from '../../src/trace/record.ts';
import { bounded } from '../patience.ts';
import { fc } from '../property.ts';

/** A path in a folder that goes when the test is over. */
export function temporaryPath(t: TestContext, name = 'trace.jsonl'): string {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-trace-'));
  chmodSync(folder, 0o755);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

export async function entriesOf(source: TraceSource): Promise<TraceEntry[]> {
  const entries: TraceEntry[] = [];
  for await (const entry of readTrace(source)) entries.push(entry);
  return entries;
}

/** All records of a trace that must have no problem. */
export async function recordsOf(path: string): Promise<TraceRecord[]> {
  return (await entriesOf(path)).map(({ record, problem }) => {
    if (record === undefined) throw new Error(`${problem.file}:${problem.line}: ${problem.message}`);
    return record;
  });
}

export const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);

export const textOf = (records: readonly TraceRecord[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** Opens, records, and closes. Nobody watches, and the clock shows what it is told to. */
export async function recordTo(
  path: string,
  records: readonly WrittenRecord[],
  options: TraceFileOptions = {},
): Promise<void> {
  const trace = traceFile(path, { watch: false, ...options });
  for (const record of records) trace(record);
  await trace.close();
}

/** One record of each kind, in an order in which they could happen. */
export const INIT_START = {
  event: 'InitStart' as const,
  at: 1000,
  call: 1,
  registrations: [{ name: 'ä "task"\n', cron: '* * * * *', retryDelayMs: 5 }],
  timeZone: 'UTC',
} satisfies WrittenRecord;
export const INIT_SUCCESS = {
  event: 'InitSuccess' as const,
  at: 1001,
  plannedAt: 1001,
  call: 1,
  instance: 'i1',
} satisfies WrittenRecord;
export const runRecord = (event: 'RunStart' | 'RunSuccess' | 'EndDurable', at: number): WrittenRecord => ({
  event,
  at,
  task: 'a',
  runId: 'i1-1',
  instance: 'i1',
});
export const STOP_START = { event: 'StopStart' as const, at: 1900, call: 2 } satisfies WrittenRecord;
export const STOP_END = { event: 'StopEnd' as const, at: 1950, call: 2 } satisfies WrittenRecord;
export const LIFE: readonly WrittenRecord[] = [
  INIT_START,
  INIT_SUCCESS,
  runRecord('RunStart', 1002),
  runRecord('RunSuccess', 1003),
  runRecord('EndDurable', 1004),
  STOP_START,
  STOP_END,
];

const instant = fc.integer({ min: -8.64e12, max: 8.64e12 });
const call = fc.nat();
const word = fc.string({ unit: 'binary', maxLength: 20 });
const stretch = { at: instant, from: instant, to: instant };

const plain = { noNullPrototype: true } as const;

/** Some policies of a registration; which ones there are is up to `check.test.ts`. */
const policy = fc.record(
  {
    retry: fc.record({ max: fc.integer({ min: 1 }), backoff: fc.nat() }, { ...plain, requiredKeys: [] }),
    days: fc.oneof(
      fc.record({ last: fc.nat() }, plain),
      fc.record({ nth: fc.integer(), weekday: fc.nat(6) }, plain),
    ),
    whileRunning: fc.constantFrom('skip' as const, 'replace' as const),
    startWithinMs: fc.nat(),
    description: word,
  },
  { ...plain, requiredKeys: [] },
);

/** Any record that can be written. */
export const anyRecord: fc.Arbitrary<WrittenRecord> = fc.oneof(
  fc.record(
    {
      event: fc.constant('InitStart' as const),
      at: instant,
      call,
      registrations: fc.array(
        fc.record(
          { name: word, cron: word, retryDelayMs: fc.nat(), policy },
          { ...plain, requiredKeys: ['name', 'cron', 'retryDelayMs'] },
        ),
        { maxLength: 5 },
      ),
      timeZone: word,
      workers: fc.nat(),
      reload: fc.boolean(),
    },
    { ...plain, requiredKeys: ['event', 'at', 'call', 'registrations', 'timeZone'] },
  ),
  fc.record(
    { event: fc.constant('InitSuccess' as const), at: instant, plannedAt: instant, call, instance: word },
    plain,
  ),
  fc.record(
    {
      event: fc.constant('InitFailure' as const),
      at: instant,
      call,
      error: word,
      fault: fc.constantFrom('list' as const, 'active' as const, 'store' as const, 'host' as const),
      valid: fc.boolean(),
    },
    plain,
  ),
  fc.record({ event: fc.constant('StopStart' as const), at: instant, call }, plain),
  fc.record(
    { event: fc.constant('StopEnd' as const), at: instant, call, error: word },
    { ...plain, requiredKeys: ['event', 'at', 'call'] },
  ),
  fc.record(
    {
      event: fc.constantFrom(
        'RunStart' as const,
        'RunSuccess' as const,
        'StartDurable' as const,
        'EndDurable' as const,
      ),
      at: instant,
      task: word,
      runId: word,
      instance: word,
    },
    plain,
  ),
  fc.record(
    {
      event: fc.constant('RunFailure' as const),
      at: instant,
      task: word,
      runId: word,
      instance: word,
      outcome: fc.constantFrom(
        'failure' as const,
        'gave up' as const,
        'cancelled' as const,
        'timed out' as const,
      ),
    },
    { ...plain, requiredKeys: ['event', 'at', 'task', 'runId', 'instance'] },
  ),
  fc.record(
    {
      event: fc.constant('DueSkipped' as const),
      at: instant,
      task: word,
      dueAt: instant,
      why: fc.constantFrom('late' as const, 'running' as const),
    },
    plain,
  ),
  fc.record(
    {
      event: fc.constantFrom('RunRequested' as const, 'Paused' as const, 'CancelRequested' as const),
      at: instant,
      task: word,
      request: word,
    },
    plain,
  ),
  fc.record(
    {
      event: fc.constant('Resumed' as const),
      at: instant,
      task: word,
      request: word,
      catchUp: fc.boolean(),
    },
    plain,
  ),
  fc.record({ event: fc.constant('Removed' as const), at: instant, task: word }, plain),
  fc.record(
    { event: fc.constant('UnexpectedShutdown' as const), at: instant, instance: word },
    { ...plain, requiredKeys: ['event', 'at'] },
  ),
  fc.record(
    { event: fc.constant('Frozen' as const), ...stretch, task: word },
    { ...plain, requiredKeys: ['event', 'at', 'from', 'to'] },
  ),
  fc.record({ event: fc.constant('Compute' as const), ...stretch, units: fc.nat() }, plain),
  fc.record({ event: fc.constant('ClockStep' as const), ...stretch }, plain),
  fc.record({ event: fc.constant('StoreTrouble' as const), ...stretch, error: word }, plain),
);

/** Starts a fixture. It is killed when the test ends, if it still lives. */
export function start(t: TestContext, fixture: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, fixture), ...args]);
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** What a fixture says until its end, and how it ended. */
export async function ended(child: ChildProcess): Promise<{ said: string[]; how: unknown; err: string }> {
  const closed = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)));
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('it cannot be heard');
  const [out, err, how] = await bounded(
    'the end of a fixture',
    Promise.all([text(stdout), text(stderr), closed]),
  );
  return { said: out.trim().split('\n'), how, err };
}
