/** How the main thread starts the store's thread, what it asks of that, and what that answers. */
import type { ControlAnswer, ControlRequest } from '../core/control.ts';
import type { HistoryQuery, PastRun, Retention } from '../core/history.ts';
import type { Failure } from './failure.ts';
import type { Page } from './page.ts';
import type { ChangedRows, NumberedRows } from './sqlite-changed-rows.ts';
import type { FileOptions, Ownership } from './sqlite-file.ts';
import type { LookedAt } from './sqlite-look.ts';
import type { PageAnswer } from './sqlite-read.ts';
import type { NumberedRefusal } from './sqlite-write.ts';
import type { Sheet } from './wire.ts';

/**
 * To own a file whose lock is held; to look into it or to ask for something, also while another process owns it; or only to examine whether it
 * can be ours.
 */
export interface ThreadOptions extends FileOptions {
  readonly purpose: Ownership | 'look' | 'ask' | 'examine';
  /** How much of the past to keep. */
  readonly history: Retention | false;
  /** Somebody wants to hear of requests. */
  readonly isWatched?: boolean;
}

export type Request =
  | { readonly kind: 'write'; readonly id: number; readonly sheets: readonly Sheet[]; readonly last: boolean }
  | { readonly kind: 'abandon'; readonly id: number }
  | { readonly kind: 'page'; readonly id: number; readonly after: number; readonly limit: number }
  /** What has changed in a page whose rows had these prints. */
  | {
      readonly kind: 'look';
      readonly id: number;
      readonly after: number;
      readonly limit: number;
      readonly known: Float64Array;
    }
  /** The rows that have changed since a former look, if that can be known. */
  | { readonly kind: 'changes'; readonly id: number; readonly since: LookMark | undefined }
  /** Closes the file that is looked into; `again` opens it for another look. */
  | { readonly kind: 'rest'; readonly id: number }
  | { readonly kind: 'again'; readonly id: number }
  | { readonly kind: 'named'; readonly id: number; readonly names: readonly string[] }
  | { readonly kind: 'ids'; readonly id: number; readonly names: readonly string[] }
  | { readonly kind: 'timeZone'; readonly id: number }
  | { readonly kind: 'history'; readonly id: number; readonly query: HistoryQuery }
  | { readonly kind: 'ask'; readonly id: number; readonly request: ControlRequest }
  | { readonly kind: 'answerTo'; readonly id: number; readonly request: string }
  | { readonly kind: 'close'; readonly id: number };

/** By what a look knows the state of the file that it saw. */
export interface LookMark {
  /** `LookedAt.state`. */
  readonly state: string;
  /** The number of the last entry of the journal. */
  readonly seq: number;
}

/** What has changed since a former look. */
export interface Changes {
  /** Of this look; undefined if the next one cannot go on from here. */
  readonly mark?: LookMark;
  /** Undefined if it is not known: then every row is to be read. */
  readonly rows?: NumberedRows;
}

/** The answer to the request of the same id; 0 is the opening. */
export type Answer =
  | {
      readonly kind: 'opened';
      readonly id: number;
      readonly looked: LookedAt | undefined;
      /** By what the file is known again, if it is owned. */
      readonly identity: string | undefined;
    }
  | { readonly kind: 'done'; readonly id: number }
  | {
      readonly kind: 'durable';
      readonly id: number;
      readonly refused: readonly NumberedRefusal[];
      /** The numbers of the records that were put, in their order. */
      readonly ids: Float64Array<ArrayBuffer>;
      readonly records?: Page;
      readonly firstVersion?: number;
    }
  | { readonly kind: 'ids'; readonly id: number; readonly ids: Float64Array<ArrayBuffer> }
  | { readonly kind: 'timeZone'; readonly id: number; readonly timeZone: string | undefined }
  /** Some runs of the past; none after the last. */
  | { readonly kind: 'history'; readonly id: number; readonly runs: readonly PastRun[] }
  | { readonly kind: 'page'; readonly id: number; readonly answer: PageAnswer }
  | {
      readonly kind: 'look';
      readonly id: number;
      readonly answer: ChangedRows;
    }
  | { readonly kind: 'changes'; readonly id: number; readonly answer: Changes }
  | { readonly kind: 'asked'; readonly id: number; readonly owner: LookedAt['owner'] }
  | { readonly kind: 'answered'; readonly id: number; readonly answer: ControlAnswer | undefined }
  /** Not an answer: open requests of operators. */
  | { readonly kind: 'requests'; readonly id: -1; readonly requests: readonly ControlRequest[] }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure };
