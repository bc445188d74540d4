/** Events in words: what the log lines say, and the lower part of the live view. */

import type { Zone } from '../../cron/index.ts';
import { ObbligatoError } from '../../errors.ts';
import type { SchedulerEvent } from '../../index.ts';
import { describeError } from '../../text/describe-error.ts';
import type { Verdict } from '../../theory/index.ts';
import { sentenceOf } from '../check/sentence.ts';
import { conclusionOf } from '../check/verdict-text.ts';
import { counted, messageOf, printable } from '../terminal/text.ts';
import { clock, duration } from '../words.ts';
import { lossText } from './log.ts';
import type { Notice, ScheduleFacts } from './reporter.ts';

export interface Description {
  /** The task that it is about; absent for the scheduler itself. */
  readonly task?: string;
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'bad' | 'warn';
  /** The stack of an error, and its causes, a line each. */
  readonly stack?: readonly string[];
}

const FAILED = {
  failure: 'failed',
  'timed out': 'took too long, ended',
  'gave up': 'failed for the last time',
  cancelled: 'was cancelled, ended',
} as const;

type Afterwards = ScheduleFacts['afterwards'];

/** What is worth a line, in words; undefined for what is not. */
export function describeEvent(
  event: SchedulerEvent,
  zone: Zone,
  afterwards?: Afterwards,
): Description | undefined {
  switch (event.type) {
    case 'TaskRunStarted':
    case 'TaskRetryStarted':
      return {
        task: event.task,
        text: startText(event, zone),
        tone: event.reason === 'orphaned' ? 'warn' : 'plain',
      };
    case 'TaskRunCompleted':
      return { task: event.task, text: `done in ${duration(event.durationMs)}`, tone: 'good' };
    case 'TaskRunFailed': {
      const { durationMs, error, pendingRetryUntil, at, task, outcome } = event;
      const retry =
        pendingRetryUntil === null
          ? 'not tried again before it is due'
          : `retry at ${clock(pendingRetryUntil, zone)}, in ${duration(pendingRetryUntil - at)}`;
      return {
        task,
        text: `${FAILED[outcome]} after ${duration(durationMs)}: ${messageOf(error)} (${retry})`,
        tone: 'bad',
        stack: stackOf(error),
      };
    }
    case 'TaskRunInterrupted':
      return {
        task: event.task,
        text: `interrupted after ${duration(event.durationMs)}: it starts again with the next scheduler`,
        tone: 'warn',
      };
    case 'TaskDueSkipped':
      return {
        task: event.task,
        text: `was due at ${clock(event.dueAt, zone)}, skipped: ${event.why === 'late' ? 'too long ago' : 'it still ran'}`,
        tone: 'warn',
      };
    case 'TaskRunRequested':
      return { task: event.task, text: 'is asked to run now', tone: 'plain' };
    case 'TaskPaused':
      return { task: event.task, text: 'is paused', tone: 'warn' };
    case 'TaskResumed':
      return { task: event.task, text: 'goes on', tone: 'plain' };
    case 'TaskCancelRequested':
      return { task: event.task, text: 'is asked to end its run', tone: 'warn' };
    case 'TaskAbandoned':
      return { task: event.task, text: 'does not end after its timeout: left to itself', tone: 'bad' };
    case 'TaskRetryPreempted':
      return { task: event.task, text: 'is due before its retry: the retry is dropped', tone: 'plain' };
    case 'TaskStartedLate':
      return { task: event.task, text: lateText(event), tone: 'warn' };
    default:
      return describeScheduler(event, zone, afterwards);
  }
}

/** Where an error came from and why. An error of ours says in its message all that there is to know. */
const stackOf = (error: unknown): readonly string[] =>
  isOurs(error) ? [] : describeError(error).text.split('\n').slice(1);

function isOurs(error: unknown): boolean {
  try {
    return error instanceof ObbligatoError;
  } catch {
    return false; // a proxy that refuses to be looked at
  }
}

function startText(
  { reason, attempt, scheduledFor }: Extract<SchedulerEvent, { type: 'TaskRunStarted' | 'TaskRetryStarted' }>,
  zone: Zone,
): string {
  const due = `due ${clock(scheduledFor, zone)}`;
  if (reason === 'orphaned') return `started again, its last run was cut off (attempt ${attempt}, ${due})`;
  if (reason === 'manual')
    return attempt === 1 ? 'started, as asked' : `started, as asked (attempt ${attempt})`;
  return reason === 'retry' ? `tried again (attempt ${attempt}, ${due})` : `started (${due})`;
}

function lateText({
  lateMs,
  queuedMs,
  storeMs,
  culprit,
}: Extract<SchedulerEvent, { type: 'TaskStartedLate' }>): string {
  // What is neither queue nor store passed before the loop noticed, or between the callbacks of one batch.
  const heldMs = lateMs - queuedMs - storeMs;
  const parts = [
    [
      heldMs,
      culprit === undefined
        ? 'the event loop was held or the machine slept'
        : `"${culprit}" held the event loop`,
    ],
    [queuedMs, 'no worker was free'],
    [storeMs, 'the store was slow'],
  ] as const;
  const [spentMs, why] = parts.reduce((most, part) => (part[0] > most[0] ? part : most));
  return `started late by ${duration(lateMs)}${spentMs > 0 ? `: ${why} for ${duration(spentMs)}` : ''}`;
}

function describeScheduler(
  event: SchedulerEvent,
  zone: Zone,
  afterwards: Afterwards,
): Description | undefined {
  switch (event.type) {
    case 'SchedulerInitializationCompleted': {
      const { added, overridden, orphaned, removed } = event;
      const parts = [
        some('new', added),
        some('changed', overridden),
        some('cut off', orphaned),
        some('no longer registered, forgotten', removed),
      ].filter((part) => part !== '');
      const text = ['running', ...parts].join('; ');
      return { text, tone: orphaned.length > 0 ? 'warn' : 'plain' };
    }
    case 'SchedulerStopped':
      if (event.error !== undefined) return { text: messageOf(event.error), tone: 'bad' };
      return { text: `stopped, ${stoppedText(afterwards)}`, tone: 'plain' };
    case 'ClockStepped': {
      const { from, to } = event;
      const way = to > from ? 'forward' : 'back';
      const stepMs = Math.abs(to - from);
      return { text: `the clock was set ${way} by ${duration(stepMs)}, to ${clock(to, zone)}`, tone: 'warn' };
    }
    default:
      return describeStore(event);
  }
}

function describeStore(event: SchedulerEvent): Description | undefined {
  switch (event.type) {
    case 'TaskChangeRefused': {
      const { task, change } = event;
      return { task, text: `the store refused its ${change}: another run is current there`, tone: 'warn' };
    }
    case 'TaskSetAside':
      return {
        task: event.task,
        text: `stops until the next initialize: ${messageOf(event.error)}`,
        tone: 'bad',
      };
    case 'StoreTroubleStarted':
      return { text: `the store fails, starts wait: ${messageOf(event.error)}`, tone: 'bad' };
    case 'StoreTroubleEnded':
      return { text: `the store works again, after ${duration(event.sinceMs)}`, tone: 'good' };
    case 'StoreLost':
      return { text: `the schedule ends: ${messageOf(event.error)}`, tone: 'bad' };
    default:
      return undefined;
  }
}

const stoppedText = (afterwards: Afterwards): string =>
  afterwards === 'forgotten' ? 'and the store in memory is forgotten' : 'everything is durable';

/** "new: a, b, c and 17 more"; nothing for an empty list. */
function some(what: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${what}: ${listed(names)}`;
}

/** "a, b, c and 17 more". */
export function listed(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).map(printable).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

/** What matters comes first: a list of names may be cut off by the edge of a terminal. */
export function describeNotice(notice: Notice, zone: Zone, afterwards?: Afterwards): Description {
  switch (notice.type) {
    case 'StopWaiting': {
      const { waitingFor } = notice;
      if (waitingFor.length === 0) return { text: 'stopping', tone: 'warn' };
      const whom = counted(waitingFor.length, 'task');
      const text = `stopping: waiting for ${whom}, Ctrl-C again leaves at once: ${listed(waitingFor)}`;
      return { text, tone: 'warn' };
    }
    case 'LeftAtOnce':
      return { text: `left at once: ${leftText(notice.interrupted, afterwards)}`, tone: 'bad' };
    case 'Reloading': {
      const why = notice.why === 'asked' ? '' : ', because it has changed';
      return { text: `the configuration is loaded again${why}`, tone: 'plain' };
    }
    case 'MetricsServed':
      return { text: `metrics at ${notice.url}`, tone: 'plain' };
    case 'Serving':
      return { text: `the dashboard is at ${notice.url}`, tone: 'plain' };
    case 'Trouble':
      return { text: notice.message, tone: 'bad' };
    case 'OutputLost':
      return { text: lossText(notice), tone: 'bad' };
    case 'Violation': {
      const { axiom, task, blame } = notice.violation;
      const whose = task === undefined ? {} : { task };
      const text = `${axiom} is violated: ${sentenceOf(notice.violation, zone)}`;
      return { ...whose, text, tone: blame === 'environment' ? 'warn' : 'bad' };
    }
    case 'Verdict':
      return describeVerdict(notice.verdict);
  }
}

function leftText(interrupted: readonly string[], afterwards: Afterwards): string {
  if (interrupted.length === 0) return 'nothing was running';
  const whom = `${counted(interrupted.length, 'task')} ${interrupted.length === 1 ? 'was' : 'were'} cut off`;
  const restart =
    afterwards === 'forgotten'
      ? 'and the store in memory is forgotten'
      : `and ${interrupted.length === 1 ? 'starts' : 'start'} again at the next run`;
  return `${whom} ${restart}: ${listed(interrupted)}`;
}

export function describeVerdict(verdict: Verdict): Description {
  const tones = { none: 'good', environment: 'warn', scheduler: 'bad', outside: 'bad' } as const;
  return { text: `the monitor: ${conclusionOf(verdict)}`, tone: tones[verdict.blame] };
}
