/**
 * A look into the store for metrics, at a bounded cost. The same look serves everybody who asks for a while: five seconds, and at
 * least twenty times as long as it took, so that however many tasks there are, looking takes a twentieth of the time at most. Only one
 * look is on its way at any time; who asks meanwhile waits for it. Records are gone through in slices, and the event loop has its turn
 * between them.
 *
 *     none ──asked──▶ looking ──answered, or failed──▶ fresh ──its time is over──▶ stale ──asked──▶ looking
 *
 * A store that does not answer is not waited for longer than `PATIENCE_MS`: who asked hears that it is not readable, and the look goes
 * on for the next one.
 */
import { type Outlook, outlookOf, timetableFor, zoneOfStore } from '../config.ts';
import {
  type Clock,
  type Inspection,
  inspect,
  type Store,
  type TaskRecord,
  type TaskState,
} from '../index.ts';
import { METRICS, type Metric } from './catalogue.ts';
import { clusterSeries } from './cluster-findings.ts';
import type { Series } from './counts.ts';
import { OTHERS, type TaskLabels } from './task-labels.ts';

/** What the store holds, as series by metric. */
export type Findings = ReadonlyMap<Metric, readonly Series[]>;

const FRESH_MS = 5000;
const REST_PER_WORK = 20;
const PATIENCE_MS = 5000;
const SLICE = 2000;

export interface SurveyOptions {
  readonly store: Store;
  /** The zone of the scheduler; the one that the store says if undefined. */
  readonly timeZone: string | undefined;
  readonly clock: Clock;
  readonly labels: TaskLabels;
}

export class Surveyor {
  readonly #options: SurveyOptions;
  #looking: Promise<Findings> | undefined;
  #latest: { readonly findings: Findings; readonly until: number } | undefined;

  constructor(options: SurveyOptions) {
    this.#options = options;
  }

  /** What the store holds. It never rejects: a store that cannot be read is a finding. */
  async findings(): Promise<Findings> {
    const { clock } = this.#options;
    if (this.#latest !== undefined && clock.monotonic() < this.#latest.until) return this.#latest.findings;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return within(PATIENCE_MS, this.#looking, unreadable);
  }

  async #look(): Promise<Findings> {
    const { clock, store } = this.#options;
    const [at, begun] = [clock.now(), clock.monotonic()];
    const findings = await inspect(store)
      .then((inspection) => this.#read(inspection, at))
      .catch(unreadable);
    const tookMs = clock.monotonic() - begun;
    const timed = new Map([...findings, [METRICS.lookDuration, single(tookMs / 1000)]]);
    const until = clock.monotonic() + Math.max(FRESH_MS, REST_PER_WORK * tookMs);
    this.#latest = { findings: timed, until };
    return timed;
  }

  async #read(inspection: Inspection, at: number): Promise<Findings> {
    const { records, owner, damaged } = inspection;
    const found = new TaskFindings(this.#options.labels);
    const { timeZone } = zoneOfStore(inspection, this.#options.timeZone);
    for (let start = 0; start < records.length; start += SLICE) {
      for (const record of records.slice(start, start + SLICE)) {
        const timetable = timetableFor(record, timeZone);
        const zone = timetable.policy.timeZone ?? timeZone;
        found.add(record, outlookOf(record, timetable, { owner, now: at }), zone, at);
      }
      if (records.length > SLICE) await new Promise((resolve) => setImmediate(resolve));
    }
    return new Map<Metric, readonly Series[]>([
      [METRICS.readable, single(1)],
      [METRICS.owned, single(owner === 'held' ? 1 : 0)],
      [METRICS.damaged, single(damaged.length)],
      [METRICS.lookedAt, single(at / 1000)],
      ...found.series(),
      ...clusterSeries(inspection),
    ]);
  }
}

const single = (point: number): readonly Series[] => [{ values: [], point }];
const unreadable = (): Findings => new Map<Metric, readonly Series[]>([[METRICS.readable, single(0)]]);

/** Labels of metrics have no blanks. */
const STATES: Readonly<Record<TaskState, string>> = {
  waiting: 'waiting',
  owed: 'owed',
  running: 'running',
  retry: 'retrying',
  paused: 'paused',
  'cut off': 'cut_off',
  interrupted: 'interrupted',
};

/** The series of all tasks. Those that share a label have the worst value of them, and no instants. */
class TaskFindings {
  readonly #labels: TaskLabels;
  readonly #series = new Map<Metric, Series[]>();
  readonly #counts = new Map<string, number>(Object.values(STATES).map((state) => [state, 0]));
  #failing = 0;
  #hasOthers = false;
  #overdueOfOthers = 0;
  #failuresOfOthers = 0;

  constructor(labels: TaskLabels) {
    this.#labels = labels;
  }

  add(record: TaskRecord, outlook: Outlook, timeZone: string, at: number): void {
    const { name, failures } = record;
    const { owedSince, nextDueAt, lastStartAt, runningSince } = outlook;
    const state = STATES[outlook.state];
    const overdue = owedSince === null ? 0 : (at - owedSince) / 1000;
    this.#counts.set(state, (this.#counts.get(state) ?? 0) + 1);
    if (failures > 0) this.#failing++;
    const label = this.#labels.of(name);
    if (label === OTHERS) {
      this.#hasOthers = true;
      this.#overdueOfOthers = Math.max(this.#overdueOfOthers, overdue);
      this.#failuresOfOthers = Math.max(this.#failuresOfOthers, failures);
      return;
    }
    this.#put(METRICS.overdue, [label], overdue);
    this.#put(METRICS.failures, [label], failures);
    this.#put(METRICS.paused, [label], record.pausedAt === null ? 0 : 1);
    this.#put(METRICS.taskInfo, [record.cron, timeZone, label], 1);
    this.#put(METRICS.lastStart, [label], inSeconds(lastStartAt));
    this.#put(METRICS.runningSince, [label], inSeconds(runningSince));
    this.#put(METRICS.lastSuccess, [label], inSeconds(record.lastSuccessAt));
    this.#put(METRICS.lastFailure, [label], inSeconds(record.lastFailureAt));
    this.#put(METRICS.nextDue, [label], inSeconds(nextDueAt));
    this.#put(METRICS.lastDuration, [label], inSeconds(record.lastDurationMs));
  }

  series(): Iterable<[Metric, readonly Series[]]> {
    if (this.#hasOthers) {
      this.#put(METRICS.overdue, [OTHERS], this.#overdueOfOthers);
      this.#put(METRICS.failures, [OTHERS], this.#failuresOfOthers);
    }
    for (const [state, count] of this.#counts) this.#put(METRICS.tasks, [state], count);
    this.#put(METRICS.failing, [], this.#failing);
    return this.#series;
  }

  /** What is not known has no series. */
  #put(metric: Metric, values: readonly string[], point: number | null): void {
    if (point === null) return;
    const all = this.#series.get(metric) ?? [];
    all.push({ values, point });
    this.#series.set(metric, all);
  }
}

const inSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000);

/** The promise, or what stands in for it if it takes too long by real time. */
async function within<T>(ms: number, promise: Promise<T>, otherwise: () => T): Promise<T> {
  const late = Promise.withResolvers<T>();
  const timer = setTimeout(() => late.resolve(otherwise()), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
