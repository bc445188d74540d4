/** What one record costs in the shapes of traces that leave most in doubt: no more, however many came before it. Counted, not timed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTrace } from '../../src/theory/index.ts';
import { Automaton } from '../../src/theory/logic/automaton.ts';
import { Slices } from '../../src/theory/tasks/slices.ts';
import type { TracedRegistration, TraceRecord } from '../../src/trace/record.ts';
import { instant } from './traces.ts';

const MINUTE_MS = 60_000;
const noon = instant('12:00');

const list = (cron: string, retryDelayMs = 1000): TracedRegistration[] => [{ name: 'a', cron, retryDelayMs }];
const every = list('* * * * *');

const initStart = (at: number, registrations: TracedRegistration[], call = 1): TraceRecord => ({
  event: 'InitStart',
  at,
  call,
  registrations,
  timeZone: 'UTC',
});
const init = (at: number): TraceRecord[] => [initStart(at, every), { event: 'InitSuccess', at, call: 1 }];
const crash = (at: number): TraceRecord => ({ event: 'UnexpectedShutdown', at });
/** Another list each time. */
const other = (i: number): TracedRegistration[] => list(`${i % 60} ${i % 24} * * *`, i);

/** Each shape: what it begins with, and what its i-th part is. */
const shapes: Readonly<Record<string, (i: number) => TraceRecord[]>> = {
  'I3 a pause and its end, while a due waits': (i) => [
    ...(i === 0 ? init(noon) : []),
    { event: 'Paused', at: noon + i, task: 'a' },
    { event: 'Resumed', at: noon + i, task: 'a', catchUp: false },
  ],
  'I3 a pause and its end once a day': (i) => [
    ...(i === 0 ? init(noon) : []),
    { event: 'Paused', at: noon + 5 + i * 1440 * MINUTE_MS, task: 'a' },
    { event: 'Resumed', at: noon + 9 + i * 1440 * MINUTE_MS, task: 'a', catchUp: false },
  ],
  'T11 a crash in initialize, with another list each time': (i) => [
    initStart(noon + i * MINUTE_MS, other(i)),
    crash(noon + i * MINUTE_MS + 1),
  ],
  'T11 a crash in initialize, with the same list': (i) => [
    initStart(noon + i * MINUTE_MS, every),
    crash(noon + i * MINUTE_MS + 1),
  ],
  'E9 a store that refuses another list each time': (i) => [
    initStart(noon + i * MINUTE_MS, other(i)),
    {
      event: 'InitFailure',
      at: noon + i * MINUTE_MS,
      call: 1,
      error: 'StoreBusyError',
      fault: 'store',
      valid: true,
    },
  ],
  'T10 a crash after a start that is durable': (i) => [
    ...init(noon + i * MINUTE_MS),
    { event: 'StartDurable', at: noon + i * MINUTE_MS, task: 'a', runId: `r${i}` },
    crash(noon + i * MINUTE_MS + 1),
  ],
  'L2 initializations that never end': (i) => [initStart(noon + i, [], i)],
  'L3 stops that never end': (i) => [{ event: 'StopStart', at: noon + i, call: i }],
};

/** How often a past, a call or an edge was looked at, per record. A mock would keep what each of these calls was given. */
async function looks(shape: (i: number) => TraceRecord[], parts: number): Promise<number> {
  let count = 0;
  const { of } = Slices.prototype;
  const { edge } = Automaton.prototype;
  Slices.prototype.of = function (past) {
    count++;
    return of.call(this, past);
  };
  Automaton.prototype.edge = function (state, letter) {
    count++;
    return edge.call(this, state, letter);
  };
  try {
    const records = Array.from({ length: parts }, (_, i) => shape(i)).flat();
    await checkTrace(records);
    return count / records.length;
  } finally {
    Slices.prototype.of = of;
    Automaton.prototype.edge = edge;
  }
}

describe('doubt costs the same, however long it lasts', () => {
  for (const [title, shape] of Object.entries(shapes))
    test(title, async () => {
      const [few, many] = [await looks(shape, 100), await looks(shape, 400)];
      assert.ok(many < 1.5 * few, `${few} looks per record among few, ${many} among many`);
      assert.ok(many < 10_000, `${many} looks per record`);
    });
});

test('a verdict says where more may have happened than is kept in mind', async () => {
  const many = Array.from({ length: 100 }, (_, i) =>
    shapes['T11 a crash in initialize, with the same list'](i),
  );
  const { axioms } = await checkTrace(many.flat());
  assert.match(axioms.S1.notes.join(), /not all that may have happened to "a" is kept in mind/);
  const open = Array.from({ length: 100 }, (_, i) => shapes['L2 initializations that never end'](i));
  assert.match((await checkTrace(open.flat())).axioms.L2.notes.join(), /the oldest are not judged/);
});
