/** What an engine is put together from. */
import type { Agenda } from '../core/agenda.ts';
import type { ControlRequest } from '../core/control.ts';
import type { Tasks } from '../core/tasks.ts';
import type { ExecutorState } from '../executor/state.ts';
import type { StoreSession } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import type { TraceSink } from '../trace/record.ts';
import type { ClockWatch } from './clock-watch.ts';
import type { Emit } from './events.ts';
import type { FailureLog } from './failure-log.ts';
import type { Logger } from './logger.ts';
import type { Owed } from './owed.ts';
import type { Sizes } from './sizes.ts';

export interface EngineOptions {
  readonly tasks: Tasks;
  readonly agenda: Agenda;
  readonly session: StoreSession;
  /** Where the store is, for what is said of it. */
  readonly location: string;
  readonly clock: Clock;
  /** Who waits, is queued and runs, and since when each is owed a start; made with the tasks. */
  readonly executor: ExecutorState;
  readonly owed: Owed;
  readonly instanceId: string;
  readonly lateAfterMs: number;
  readonly emit: Emit;
  readonly recordErrors: boolean;
  readonly trace: TraceSink | undefined;
  /** The reading of the clock with which this life begins: its plan is durable. */
  readonly now: number;
  readonly logger: Logger;
  readonly failureLog: FailureLog;
  /** Sees steps of the clock since the plan of this life was made. */
  readonly watch: ClockWatch;
  readonly sizes: Sizes;
  /** What operators have asked for and the engine has not taken in. */
  readonly requests: ControlRequest[];
  /** Another instance has declared this one dead (K4). */
  readonly fenced: (() => void) | undefined;
}
