/**
 * Everything that the end-to-end tests let a scheduler do is put before the oracle as well: once the tests of a file are over, the
 * trace of each store that a world began with an empty one is judged, all axioms and properties. A world that is left without a
 * stop and followed by another one on the same store has crashed.
 */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { checkTrace } from '../../src/theory/index.ts';
import type { TraceRecord, WrittenRecord } from '../../src/trace/index.ts';

/** One life after another, on one store. */
const histories = new Map<object, (readonly WrittenRecord[])[]>();

/** The trace is the next life in a history that begins with an empty store. */
export function follow(history: object, trace: readonly WrittenRecord[]): void {
  histories.set(history, [...(histories.get(history) ?? []), trace]);
}

/** The history of a store as one trace: what a recorder would have written (UnexpectedShutdown, the downtime as Frozen). */
export function whole(lives: readonly (readonly WrittenRecord[])[]): TraceRecord[] {
  const records: TraceRecord[] = [];
  for (const life of lives.filter((trace) => trace.length > 0)) {
    const last = records.at(-1);
    const [first] = life;
    if (last !== undefined) {
      if (!isOver(records)) records.push({ event: 'UnexpectedShutdown', at: last.at });
      if (first.at > last.at) records.push({ event: 'Frozen', at: first.at, from: last.at, to: first.at });
      else if (first.at < last.at)
        records.push({ event: 'ClockStep', at: first.at, from: last.at, to: first.at });
      if (first.at === last.at)
        records.push({ event: 'Frozen', at: last.at, from: last.at - 1, to: last.at });
    }
    records.push(...life);
  }
  return records;
}

/** Whether the last process has stopped: the last thing that it did was to end a stop, or to fail an initialization. */
function isOver(records: readonly TraceRecord[]): boolean {
  const lifecycle = records.filter(({ event }) => /^(Init|Stop)/.test(event));
  return ['StopEnd', 'InitFailure'].includes(lifecycle.at(-1)?.event ?? '');
}

const theory = ['scheduler', 'environment', 'theorems', 'polling', 'assumptions'] as const;

after(async () => {
  const complaints: string[] = [];
  for (const lives of histories.values()) {
    const verdict = await checkTrace(whole(lives), { theory });
    if (verdict.conformant) continue;
    for (const { violations } of Object.values(verdict.axioms))
      for (const { axiom, because, blame } of violations)
        if (blame !== 'environment') complaints.push(`${axiom}: ${because}`);
  }
  assert.deepEqual(complaints, [], 'the oracle blames the scheduler');
});
