/**
 * `mergeTraces`: the traces of the instances of a cluster as one trace of one scheduler (K9). It reads all of them at once, by the store's
 * clock, and keeps of each only the next line, and of the cluster its list and what runs.
 *
 * *Order.* The next item is the one of the lowest instant; of equal ones, that of the first trace. Within a trace the order stays. An
 * instance measures the store's clock, and may be wrong by some milliseconds. So a start may seem to come before the end of the
 * run before it, in another trace, though the store has granted it after that end. Where that is so, and the end lies within
 * {@link MEASURED_WITHIN_MS}, the trace of the start waits for it, and the others go on: a retry is due by the instant of the end before it,
 * so nothing of theirs may move. A start that is really too early has no such end, and stays where it is.
 *
 * *Claims.* The store may grant a start whose instance hears of it much later, and another list may come in between. The task runs under the list
 * before from then on (I5). So where a list comes, the other traces are read on for starts that were decided before it.
 */
import { TraceFileError } from '../errors.ts';
import type { TraceEntry } from '../lines.ts';
import { readTrace, type TraceReading, type TraceSource } from '../read.ts';
import { type InstanceItem, InstanceLines, MEASURED_WITHIN_MS } from './instance-lines.ts';
import { type Claim, OneScheduler } from './one-scheduler.ts';

/** Several traces, read as one. */
export interface MergedReading extends AsyncIterable<TraceEntry> {
  /** How much has been read so far, of all of them. */
  readonly bytesRead: number;
  /** How much there is in all; undefined if one of them is a stream. */
  readonly bytesTotal: number | undefined;
}

/**
 * Merges the traces of the instances that shared one store into one, which `checkTrace` can judge. Give all of them: what an instance did
 * whose trace is missing looks like something that nobody did. An entry is placed where the line is that it was made for.
 */
export function mergeTraces(sources: readonly TraceSource[]): MergedReading {
  if (!Array.isArray(sources) || sources.length === 0)
    throw new TypeError('mergeTraces takes a list of traces, with at least one');
  const readings = sources.map((source) => readTrace(source));
  return {
    get bytesRead() {
      return readings.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    },
    get bytesTotal() {
      const totals = readings.map(({ bytesTotal }) => bytesTotal);
      return totals.reduce<number | undefined>(
        (sum, total) => (sum === undefined || total === undefined ? undefined : sum + total),
        0,
      );
    },
    [Symbol.asyncIterator]: () => new Merge(readings).entries(),
  };
}

/** One trace, read as far as it is needed. */
class Branch {
  readonly #lines = new InstanceLines();
  readonly #entries: AsyncIterator<TraceEntry>;
  readonly #waiting: InstanceItem[] = [];
  /** Every instance that this trace has been of. */
  readonly instances = new Set<string>();
  #isOver = false;

  constructor(reading: TraceReading) {
    this.#entries = reading[Symbol.asyncIterator]();
  }

  /** The next item; undefined at the end. */
  head(): Promise<InstanceItem | undefined> {
    return this.#at(0);
  }

  shift(): void {
    this.#waiting.shift();
  }

  async close(): Promise<void> {
    await this.#entries.return?.();
  }

  /** Whether a run ends in this trace, at that instant at the latest. */
  async endsBy(runId: string | undefined, until: number): Promise<boolean> {
    for (let place = 0; ; place++) {
      const item = await this.#at(place);
      if (item === undefined || item.at > until) return false;
      if (isEndOf(item, runId)) return true;
    }
  }

  /** The starts that are still to be told of, and were decided by that instant, before their instance knew another list. */
  async claimsBy(until: number): Promise<readonly Claim[]> {
    const claims: Claim[] = [];
    for (let place = 0; ; place++) {
      const item = await this.#at(place);
      if (item === undefined || this.#isTurn(item)) return claims;
      if (item.kind !== 'record' || item.record.event !== 'StartDurable') continue;
      const { record, instance } = item;
      if ((record.claimedAt ?? Infinity) > until) return claims;
      claims.push({ record, instance });
    }
  }

  /** Whether the instance of this trace decides by another list after an item, or starts nothing any more. */
  #isTurn(item: InstanceItem): boolean {
    if (item.kind === 'gone') return this.instances.has(item.instance);
    return ['joined', 'stopping', 'left', 'silent'].includes(item.kind);
  }

  /** The item at a place, counted from the next one. */
  async #at(place: number): Promise<InstanceItem | undefined> {
    while (this.#waiting.length <= place && !this.#isOver) await this.#read();
    return this.#waiting.at(place);
  }

  async #read(): Promise<void> {
    const { value, done } = await this.#entries.next();
    this.#isOver = done === true;
    for (const item of done ? this.#lines.end() : this.#lines.take(value)) {
      if (item.kind === 'joined') this.instances.add(item.instance);
      this.#waiting.push(item);
    }
  }
}

const isEndOf = (item: InstanceItem, runId: string | undefined): boolean =>
  item.kind === 'record' &&
  (item.record.event === 'RunSuccess' ||
    item.record.event === 'RunFailure' ||
    item.record.event === 'RunInterrupted') &&
  item.record.runId === runId;

class Merge {
  readonly #branches: readonly Branch[];
  readonly #ready: TraceEntry[] = [];
  readonly #over = new Set<Branch>();
  /** The traces whose next item is a start that waits, each with the run that has to end and the trace of that. */
  readonly #held = new Map<Branch, { readonly by: Branch; readonly runId: string | undefined }>();
  readonly #owners = new Map<string, { readonly branch: Branch; readonly place: string }>();
  readonly #one = new OneScheduler((record, { line, file }) => this.#ready.push({ record, line, file }));

  constructor(readings: readonly TraceReading[]) {
    this.#branches = readings.map((reading) => new Branch(reading));
  }

  async *entries(): AsyncGenerator<TraceEntry, void> {
    try {
      for (let next = await this.#next(); next !== undefined; next = await this.#next()) {
        const { branch, item } = next;
        if (await this.#hasToWait(branch, item)) continue;
        this.#take(branch, item, item.kind === 'joined' ? await this.#claims(branch, item.at) : []);
        yield* this.#ready.splice(0);
      }
    } finally {
      await Promise.all(this.#branches.map((branch) => branch.close()));
    }
  }

  async #next(): Promise<{ readonly branch: Branch; readonly item: InstanceItem } | undefined> {
    let first: { readonly branch: Branch; readonly item: InstanceItem } | undefined;
    const ended: Branch[] = [];
    for (const branch of this.#branches) {
      const item = await branch.head();
      if (item === undefined) {
        if (!this.#over.has(branch)) ended.push(branch);
      } else if (!this.#held.has(branch) && (first === undefined || item.at < first.item.at))
        first = { branch, item };
    }
    // That a trace has ended means something only if another goes on.
    for (const branch of first === undefined ? [] : ended) {
      this.#over.add(branch);
      if (first !== undefined) this.#one.silence(branch.instances, first.item);
    }
    return first;
  }

  /** What the instances of other traces had decided when a list came, as well as clocks are measured. */
  async #claims(branch: Branch, at: number): Promise<readonly Claim[]> {
    const others = this.#branches.filter((other) => other !== branch);
    const claims = others.map((other) => other.claimsBy(at + MEASURED_WITHIN_MS));
    return (await Promise.all(claims)).flat();
  }

  #take(branch: Branch, item: InstanceItem, claims: readonly Claim[]): void {
    branch.shift();
    for (const [held, { by, runId }] of this.#held)
      if (by === branch && isEndOf(item, runId)) this.#held.delete(held);
    if (item.kind === 'joined') this.#own(branch, item);
    if (item.kind === 'problem') this.#ready.push(item.entry);
    else this.#one.take(item, claims);
  }

  /** An instance has one trace. */
  #own(branch: Branch, { instance, file, line }: InstanceItem & { kind: 'joined' }): void {
    const owner = this.#owners.get(instance);
    if (owner !== undefined && owner.branch !== branch)
      throw new TraceFileError(
        file,
        `has instance ${instance} in line ${line}, and so has ${owner.place}: give each trace once`,
      );
    if (owner === undefined) this.#owners.set(instance, { branch, place: `${file}, line ${line}` });
  }

  /** Whether the run that must be over before this start ends a little later, in another trace. None waits for one that waits for it. */
  async #hasToWait(branch: Branch, item: InstanceItem): Promise<boolean> {
    const rival = this.#one.rivalOf(item);
    const by = rival && this.#owners.get(rival.instance)?.branch;
    if (rival === undefined || by === undefined) return false;
    for (let other: Branch | undefined = by; other !== undefined; other = this.#held.get(other)?.by)
      if (other === branch) return false;
    if (!(await by.endsBy(rival.runId, item.at + MEASURED_WITHIN_MS))) return false;
    this.#held.set(branch, { by, runId: rival.runId });
    return true;
  }
}
