/** What the store's thread holds: a file that it owns, looks into, or asks through. */
import type { ControlRequest } from '../core/control.ts';
import type { Asker } from './sqlite-asker.ts';
import type { Background } from './sqlite-background.ts';
import type { ChangedRows } from './sqlite-changed-rows.ts';
import type { HistoryReader } from './sqlite-history.ts';
import type { LookedAt } from './sqlite-look.ts';
import type { Changes, LookMark } from './sqlite-messages.ts';
import type { Possession } from './sqlite-possession.ts';
import type { Reader } from './sqlite-read.ts';
import type { RequestWatch } from './sqlite-requests.ts';
import type { Writer } from './sqlite-write.ts';

export interface Held {
  readonly reader: Reader;
  readonly writer?: Writer;
  readonly possession?: Possession;
  readonly background?: Background;
  readonly history?: HistoryReader | undefined;
  readonly looked?: LookedAt;
  /** Given to who looks: what has changed in a page whose rows had these prints. */
  changedAfter?(after: number, limit: number, known: Float64Array): ChangedRows;
  /** Given to who looks: what has changed since a former look. */
  changes?(since: LookMark | undefined): Changes;
  /** Given to who looks: opens the closed file for another look. */
  again?(): Held;
  readonly asker?: Asker;
  /** Tells of requests of operators from now on. */
  watch?(tell: (requests: readonly ControlRequest[]) => void): RequestWatch;
  close(): void;
}
