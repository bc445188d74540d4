/**
 * Everything that the end-to-end tests let a scheduler do is put before the oracle as well: once the tests of a file are over, the
 * trace of each store in memory that was empty at first is judged, all axioms and properties: whatever they say is a complaint, of the
 * scheduler or of the recorder. A world that is left without a stop and followed by another one on the same store has crashed.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after } from 'node:test';
import type { Store } from '../../src/store/port.ts';
import { checkTrace, type Verdict } from '../../src/theory/index.ts';
import type { TraceRecord, WrittenRecord } from '../../src/trace/index.ts';

/** One life after another, on one store. */
const histories = new Map<object, (readonly WrittenRecord[])[]>();

/** The trace is the next life in a history that begins with an empty store. */
export function follow(history: object, trace: readonly WrittenRecord[]): void {
  const lives = histories.get(history) ?? [];
  const last = lives.at(-1);
  if (last !== undefined) lengths.set(last, last.length);
  histories.set(history, [...lives, trace]);
}

/** How long each trace was when the next life on its store began: one that has gone on is of two schedulers at once. */
const lengths = new Map<object, number>();

/** What was in the stores that worlds were given, when the first of them began. */
const pasts = new Map<object, Promise<unknown>>();

/** The locations of `memory()` and of the tests' TroubledStore. */
const inMemory: ReadonlySet<string> = new Set(['memory', 'a store in trouble']);

/** The trace is the next life on a store that was handed in: it is judged if the store was empty before the first. */
export function followStore(store: Store, trace: readonly WrittenRecord[]): void {
  // Looking into memory is done at once; a file would be looked into when the scheduler is at it already.
  if (!inMemory.has(store.location) || store.inspect === undefined) return;
  if (!pasts.has(store))
    pasts.set(
      store,
      store.inspect().then(({ records }) => records.length),
    );
  follow(store, trace);
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

/** Whether the last process has stopped: the last thing that it did was to end a stop, well or badly (D7), or to fail an initialization. */
function isOver(records: readonly TraceRecord[]): boolean {
  const last = records.findLast(({ event }) => /^(Init|Stop)/.test(event));
  return last?.event === 'InitFailure' || last?.event === 'StopEnd';
}

const theory = ['scheduler', 'environment', 'theorems', 'polling', 'assumptions'] as const;

/** The axioms that a trace has put to the test. */
const testedBy = ({ axioms }: Verdict): readonly string[] =>
  Object.entries(axioms).flatMap(([id, { status }]) =>
    status === 'holds' || status === 'violated' ? [id] : [],
  );

after(async () => {
  const complaints: string[] = [];
  const tested = new Set<string>();
  for (const [history, lives] of histories) {
    const isOfOne = lives.every((trace) => (lengths.get(trace) ?? trace.length) === trace.length);
    if (!isOfOne || ((await pasts.get(history)) ?? 0) !== 0) continue;
    const verdict = await checkTrace(whole(lives), { theory });
    for (const axiom of testedBy(verdict)) tested.add(axiom);
    // EN3 is an assumption about the machine, and some tests hold the machine up for a minute on purpose.
    for (const { violations } of Object.values(verdict.axioms))
      for (const { axiom, because, blame } of violations)
        if (axiom !== 'EN3') complaints.push(`${blame} ${axiom}: ${because}`);
  }
  note(tested);
  assert.deepEqual(complaints, [], 'the oracle accepts everything');
});

/** Where whoever runs several such files wants to know what they have put to the test, together. */
function note(tested: ReadonlySet<string>): void {
  const folder = process.env.OBBLIGATO_TEST_JUDGED;
  if (folder === undefined) return;
  const file = basename(process.argv[1] ?? '');
  writeFileSync(join(folder, `${file}.json`), JSON.stringify([...tested]));
}
