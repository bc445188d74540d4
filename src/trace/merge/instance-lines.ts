/**
 * The trace of one instance of a cluster (K9), line by line, by the store's clock alone.
 *
 *                 InitSuccess                  StopEnd, UnexpectedShutdown, InstanceGone of itself
 *     outside ─────────────────▶ a member ──────────────────────────────────────────────────▶ outside
 *
 * - *outside*: the process does not know the store's clock, so what it writes about itself goes by the clock of its host. `InitStart` is
 *   held, in memory, until its end is read; nothing else is asked of an instance that is outside.
 * - *a member*: everything goes by the store's clock, but for freezes, which the recorder stamps by the host's.
 *
 * *A freeze* has only a host's clock, and `InitSuccess` says how far that was from the store's when it was measured. So where a freeze lies
 * is an estimate, which may be wrong by the length of a message, and by whatever the two clocks have drifted since. What goes by the store's
 * clock must not move for it: a retry is due by the instant of the end before it, to the millisecond. So a freeze is held until the next
 * line is read, and placed between the two lines around it, wherever the estimate says.
 *
 * *The last word* of an instance, that it has stopped or finds itself absent, is held in the same way. The next instance of the trace has measured
 * the clock anew, and may begin before that word.
 *
 * A record that lies before the one before it, by a measurement of the clock, counts as one of the same instant: the order within a trace is
 * never changed. If the store's clock itself was set back, traces cannot be put in order by it, and that is an error.
 */
import { TraceFileError } from '../errors.ts';
import type { TraceEntry } from '../lines.ts';
import type { RecordOf, TraceRecord } from '../record.ts';
import type { InstanceList } from './cluster-list.ts';

/** What one line says to the whole. */
export type InstanceItem = { readonly at: number; readonly line: number; readonly file: string } & (
  | { readonly kind: 'record'; readonly record: TraceRecord; readonly instance: string }
  | { readonly kind: 'problem'; readonly entry: TraceEntry }
  | {
      readonly kind: 'joined';
      readonly instance: string;
      readonly list: RecordOf<'InitStart'>;
      readonly success: RecordOf<'InitSuccess'>;
    }
  /** The store has had these names since an instant at which no instance had started them; the trace tells of it later. */
  | { readonly kind: 'came'; readonly names: InstanceList; readonly cameAt: number }
  | { readonly kind: 'stopping'; readonly instance: string }
  | { readonly kind: 'left'; readonly instance: string }
  | { readonly kind: 'silent'; readonly instance: string }
  | ({ readonly kind: 'gone' } & Pick<RecordOf<'InstanceGone'>, 'instance' | 'task' | 'runId' | 'requested'>)
  /** Something kept it from working. */
  | { readonly kind: 'withheld'; readonly from: number; readonly to: number; readonly error: string }
);

/** How far apart two readings of the store's clock may be: a claim from further ahead is refused by the store. */
export const MEASURED_WITHIN_MS = 1000;

type Place = { readonly line: number; readonly file: string };

export class InstanceLines {
  #instance: string | undefined;
  /** By how much the store's clock is ahead of the host's. */
  #aheadMs = 0;
  #begun: RecordOf<'InitStart'> | undefined;
  #last = Number.NEGATIVE_INFINITY;
  /** Freezes and last words whose next line has not been read. */
  readonly #held: InstanceItem[] = [];

  /** What a line says; nothing for most that only concern the instance itself. */
  take(entry: TraceEntry): readonly InstanceItem[] {
    const before = this.#last;
    const items = this.#itemsOf(entry);
    return items.length === 0 ? items : [...this.#released(before, items[0].at), ...items];
  }

  /** What is left when no line comes any more. */
  end(): readonly InstanceItem[] {
    return this.#released(this.#last, Number.POSITIVE_INFINITY);
  }

  #itemsOf(entry: TraceEntry): readonly InstanceItem[] {
    const { line, file } = entry;
    if (entry.problem !== undefined) return [this.#placed({ kind: 'problem', entry }, this.#last, entry)];
    const { record } = entry;
    switch (record.event) {
      case 'InitStart':
        this.#begun = record;
        return [];
      case 'InitFailure':
        this.#begun = undefined;
        return [];
      case 'InitSuccess':
        return this.#joined(record, { line, file });
      case 'InstanceGone':
        return this.#gone(record, entry);
      case 'UnexpectedShutdown':
        return this.#silent(entry);
      case 'StopStart':
        return this.#ofMember('stopping', record.at, entry);
      case 'StopEnd':
        this.#stopped(record, entry);
        return [];
      case 'Compute':
        return [];
      case 'Frozen':
        this.#frozen(record, { line, file });
        return [];
      case 'StoreTrouble':
        return this.#withheld(record, record.error ?? 'store', entry);
      case 'ClockStep':
        return this.#stepped(record, entry);
      default:
        return this.#record(record, entry);
    }
  }

  #placed<Item extends object>(item: Item, at: number, { line, file }: Place): Item & Place & { at: number } {
    this.#last = Math.max(this.#last, at);
    return { ...item, at: this.#last, line, file };
  }

  #joined(success: RecordOf<'InitSuccess'>, place: Place): readonly InstanceItem[] {
    const list = this.#begun;
    const { instance, at, hostAt = at } = success;
    const where = `line ${place.line}`;
    if (instance === undefined)
      throw new TraceFileError(place.file, `names no instance in ${where}: it cannot be merged with others`);
    if (list === undefined)
      throw new TraceFileError(
        place.file,
        `has an InitSuccess without its InitStart in ${where}: its beginning is missing`,
      );
    this.#begun = undefined;
    this.#instance = instance;
    this.#aheadMs = at - hostAt;
    const came = this.#came(list, success, place);
    return [...came, this.#placed({ kind: 'joined', instance, list, success } as const, at, place)];
  }

  #came(list: RecordOf<'InitStart'>, success: RecordOf<'InitSuccess'>, place: Place): InstanceItem[] {
    const { registrations, timeZone: zone } = list;
    const inOrder = (success.came ?? []).toSorted((one, other) => one.at - other.at);
    return inOrder.map(({ at: cameAt, names }) => {
      const came = new Set(names);
      const own = registrations.filter(({ name }) => came.has(name));
      const configurations = new Map(own.map((each) => [each.name, { registration: each, zone }]));
      const item = { kind: 'came', names: configurations, cameAt } as const;
      return this.#placed(item, Math.min(cameAt, success.at), place);
    });
  }

  #gone(record: RecordOf<'InstanceGone'>, { line, file }: Place): readonly InstanceItem[] {
    const { event: _, at, ...gone } = record;
    const item = { kind: 'gone', ...gone } as const;
    if (gone.instance !== this.#instance) return [this.#placed(item, at, { line, file })];
    this.#instance = undefined;
    this.#held.push({ ...item, at, line, file });
    return [];
  }

  #ofMember(kind: 'stopping' | 'silent', at: number, place: Place): readonly InstanceItem[] {
    return this.#instance === undefined ? [] : [this.#placed({ kind, instance: this.#instance }, at, place)];
  }

  #silent(place: Place): readonly InstanceItem[] {
    const items = this.#ofMember('silent', this.#last, place);
    this.#leave();
    return items;
  }

  #stopped({ at }: RecordOf<'StopEnd'>, { line, file }: Place): void {
    if (this.#instance !== undefined)
      this.#held.push({ kind: 'left', instance: this.#instance, at, line, file });
    this.#leave();
  }

  #leave(): void {
    this.#instance = undefined;
    this.#begun = undefined;
  }

  #frozen({ from, to }: RecordOf<'Frozen'>, { line, file }: Place): void {
    const [begun, over] = [from + this.#aheadMs, to + this.#aheadMs];
    if (this.#instance !== undefined)
      this.#held.push({ kind: 'withheld', from: begun, to: over, error: 'frozen', at: over, line, file });
  }

  /** What was held, each between the lines before and after it. */
  #released(before: number, next: number): readonly InstanceItem[] {
    let last = before;
    return this.#held.splice(0).map((item) => {
      last = Math.max(last, Math.min(item.at, next));
      const placed = { ...item, at: last };
      return placed.kind === 'withheld'
        ? { ...placed, from: Math.min(placed.from, last), to: Math.min(placed.to, last) }
        : placed;
    });
  }

  #withheld(
    { at, from, to }: { readonly at: number; readonly from: number; readonly to: number },
    error: string,
    place: Place,
  ): readonly InstanceItem[] {
    if (this.#instance === undefined) return [];
    return [this.#placed({ kind: 'withheld', from, to, error } as const, at, place)];
  }

  #stepped({ at, from, to }: RecordOf<'ClockStep'>, place: Place): readonly InstanceItem[] {
    if (this.#instance === undefined) return [];
    if (to >= from) return this.#withheld({ at, from, to }, 'clock', place);
    const byMs = from - to;
    if (byMs < MEASURED_WITHIN_MS) return [];
    const reason = `says in line ${place.line} that the clock of the store was set back by ${byMs} ms: traces cannot be put in order by such a clock. Judge what was recorded before it and after it`;
    throw new TraceFileError(place.file, reason);
  }

  #record(record: TraceRecord, place: Place): readonly InstanceItem[] {
    const named = 'instance' in record ? record.instance : undefined;
    const instance = named ?? this.#instance;
    if (instance === undefined) return [];
    return [this.#placed({ kind: 'record', record, instance } as const, record.at, place)];
  }
}
