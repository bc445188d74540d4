/**
 * What all judges of a world have in common. The machine reports everything that happens to one list of judges, through `notify`.
 * A judge has one method per kind of observation that it needs, and no others.
 *
 * *The order.* The machine reports a thing when it happens: a call before the scheduler gets it, an answer before the scheduler
 * hears it, a record or an event as the scheduler makes it. Every judge hears of one observation before any judge hears of the
 * next. The list has this order, because two judges ask the model what it expects *before* the model takes in the observation
 * itself:
 *
 *     records, events, model, lifecycle
 *
 * *Why a judge never influences the world.* Observations go one way: a method returns nothing, and the machine keeps its own
 * count of everything that it needs to go on (which process lives, whether its scheduler is active, when it last compared its
 * clocks). No judge draws from the world's chance, plans an event or calls a port. A judge reads the signal of a run that the callback has
 * taken, and takes none itself: what a stop interrupts goes by that (A13). So the same scenario is the same world for any list of judges, and a new judge cannot change what the older ones
 * see.
 *
 * There are two exceptions, both in `world.ts` and neither in the machine. A scenario can aim a clock step at a cursor, and the
 * model says where some cursor is. And a world ends early when there are too many violations.
 */
import type { SchedulerEvent } from '../../scheduler/index.ts';
import type { Batch, ControlRequest, PastRun } from '../../store/port.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import type { TaskPlan } from '../scenario/scenario.ts';

/** What a judge sees of the context of a run: the signal only if the callback has taken it. */
export interface SeenContext {
  readonly name: string;
  readonly signal: AbortSignal | undefined;
}

/** Everything that happens in a world, by name. */
export interface Observations {
  /** `initialize` is called with a list that it must accept. */
  initializeCalled: [tasks: readonly TaskPlan[], timeZone: string];
  /** That call has been answered; with an error, if it failed. */
  initializeReturned: [error: Error | undefined];
  /** `initialize` is called on an active scheduler, which takes the list over (I5). */
  reloadCalled: [];
  /** That call has been answered, well or badly. */
  reloadReturned: [];
  /** A call that must be refused has been answered: its list was flawed, or the scheduler was in this state, not idle. */
  wrongInitializeReturned: [state: ProcessState, error: Error | undefined];
  /** `stop` is called on a scheduler that is initializing or active. */
  stopCalled: [];
  /** Some call of `stop` has given its promise, so every signal must be aborted by now. */
  stopBegun: [];
  /** Some call of `stop` has been answered; with an error, if it failed. */
  stopReturned: [error: Error | undefined];
  /** The process is gone: it crashed, or left after a stop. */
  processDied: [];
  /** A second scheduler got hold of the store, although the first was active. */
  intruderServed: [];

  /** A batch is handed to the disk, for the first time or again. */
  batchSent: [batch: Batch];
  /** A batch is durable, except for the starts that the disk does not grant and for changes of runs that are not current. */
  batchDurable: [batch: Batch, ungranted: ReadonlySet<string>];
  /** The disk answers a request. */
  requestAnswered: [request: AnsweredRequest];
  /** The disk gets into trouble, for so long. */
  storeTroubled: [ms: number];
  /** An operator has asked for something, and that is durable (I1). */
  requestAsked: [request: ControlRequest];
  /** The store hands open requests to the scheduler. */
  requestsDelivered: [requests: readonly ControlRequest[]];
  /** What lies on the disk; the world reads it before each process begins and at the end. */
  storeInspected: [records: readonly unknown[], past: readonly PastRun[]];

  /** The scheduler has written a record to its trace. */
  recorded: [record: WrittenRecord];
  /** A record does not fit behind the one before it in the trace of the whole world. */
  traceDisordered: [because: string];
  /** A listener hears an event. */
  eventHeard: [event: SchedulerEvent];

  /** A callback is called. */
  runStarted: [task: string, run: RunDetails, seen: SeenContext];
  /** A callback has ended. */
  runEnded: [task: string, end: RunEnd];

  /** The scheduler has read its wall clock. */
  clockRead: [now: number];
  /** The wall clock has been set. */
  clockSet: [byMs: number];
  /** The process could not compute for a while, which has just ended. */
  computeWithheld: [];
  /** The scenario is about to do something: a judge may check what must be true by now. */
  beforeNextAction: [];
  /** Nothing has disturbed the world for long: nothing may be left to do. */
  worldIsCalm: [];
}

/** Has a method for each kind of observation that it needs. */
export type Judge = {
  readonly [Name in keyof Observations]?: (...details: Observations[Name]) => void;
};

/** Reports an observation. */
export type Notify = <Name extends keyof Observations>(name: Name, ...details: Observations[Name]) => void;

/** Reports each observation to every judge, in the order of the list. */
export const notifyAll =
  (judges: readonly Judge[]): Notify =>
  (name, ...details) => {
    for (const judge of judges) judge[name]?.(...details);
  };

/** The clocks of a world. Only `now` can be set. */
export interface WorldTime {
  /** What the wall clock shows. */
  readonly now: number;
  /** How much time has passed since the world began. */
  readonly passed: number;
  /** In how much of that time nothing could compute. */
  readonly burnt: number;
}

/** What `initialize` and `stop` have made of a process, as its environment sees it. */
export type ProcessState = 'idle' | 'initializing' | 'active' | 'stopping';

/** A request that the disk has answered. All times are in `passed`. */
export interface AnsweredRequest {
  readonly kind: 'open' | 'read' | 'commit' | 'close';
  readonly askedAt: number;
  /** When the answer was to come. A process that is held gets it later. */
  readonly dueAt: number;
  readonly how: 'served' | 'failed';
}

/** What a callback is given, apart from its name. */
export interface RunDetails {
  readonly runId: string;
  readonly key: string;
  readonly attempt: number;
  readonly reason: string;
  readonly scheduledFor: number;
}

export const isSameRun = (one: RunDetails, other: RunDetails): boolean =>
  one.runId === other.runId &&
  one.key === other.key &&
  one.attempt === other.attempt &&
  one.reason === other.reason &&
  one.scheduledFor === other.scheduledFor;

/** How a run ended, as its callback knows it; `error` is what it threw. */
export interface RunEnd {
  readonly runId: string;
  readonly durationMs: number;
  readonly error: Error | undefined;
}
