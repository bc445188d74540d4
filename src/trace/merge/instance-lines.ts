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
 * A record that lies before the one before it, by a measurement of the clock, counts as one of the same instant: the order within a trace is
 * never changed. If the store's clock itself was set back, traces cannot be put in order by it, and that is an error.
 */
import { TraceFileError } from '../errors.ts';
import type { TraceEntry } from '../lines.ts';
import type { RecordOf, TraceRecord } from '../record.ts';

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
  /** Freezes whose next line has not been read. */
  readonly #freezes: (RecordOf<'Frozen'> & Place)[] = [];

  /** What a line says; nothing for most that only concern the instance itself. */
  take(entry: TraceEntry): readonly InstanceItem[] {
    const before = this.#last;
    const items = this.#itemsOf(entry);
    return items.length === 0 ? items : [...this.#frozen(before, items[0].at), ...items];
  }

  /** What is left when no line comes any more. */
  end(): readonly InstanceItem[] {
    return this.#frozen(this.#last, Number.POSITIVE_INFINITY);
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
        return this.#ended('silent', this.#last, entry);
      case 'StopStart':
        return this.#ofMember('stopping', record.at, entry);
      case 'StopEnd':
        return this.#ended('left', record.at, entry);
      case 'Compute':
        return [];
      case 'Frozen':
        if (this.#instance !== undefined) this.#freezes.push({ ...record, line, file });
        return [];
      case 'StoreTrouble':
        return this.#withheld(record, record.error ?? 'store', entry);
      case 'ClockStep':
        return this.#stepped(record, entry);
      default:
        return this.#record(record, entry);
    }
  }

  /** The last instant that is known. */
  get last(): number {
    return this.#last;
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
    return [this.#placed({ kind: 'joined', instance, list, success } as const, at, place)];
  }

  #gone(record: RecordOf<'InstanceGone'>, place: Place): readonly InstanceItem[] {
    const { event: _, at, ...gone } = record;
    if (gone.instance === this.#instance) this.#instance = undefined;
    return [this.#placed({ kind: 'gone', ...gone } as const, at, place)];
  }

  #ofMember(kind: 'stopping' | 'left' | 'silent', at: number, place: Place): readonly InstanceItem[] {
    return this.#instance === undefined ? [] : [this.#placed({ kind, instance: this.#instance }, at, place)];
  }

  #ended(kind: 'left' | 'silent', at: number, place: Place): readonly InstanceItem[] {
    const items = this.#ofMember(kind, at, place);
    this.#instance = undefined;
    this.#begun = undefined;
    return items;
  }

  /** The freezes that were held, each between the lines before and after it. */
  #frozen(before: number, next: number): readonly InstanceItem[] {
    const aheadMs = this.#aheadMs;
    let last = before;
    return this.#freezes.splice(0).map(({ from, to, line, file }) => {
      last = Math.max(last, Math.min(to + aheadMs, next));
      const stretch = { from: Math.min(from + aheadMs, last), to: Math.min(to + aheadMs, last) };
      return { kind: 'withheld', ...stretch, error: 'frozen', at: last, line, file } as const;
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
