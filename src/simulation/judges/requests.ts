/**
 * What operators ask for, and what becomes of it (I1–I4).
 *
 *     asked, and durable ──▶ handed to the scheduler ──▶ applied, or refused ──▶ answered, and the answer durable
 *              ▲                                                │
 *              └──────── the process dies or stops first ───────┘
 *
 * A request is applied once: a process that finds it again has not answered it durably, and what it did must not be durable either, but
 * for a run that was cut off.
 */
import type { Batch, ControlAnswer, ControlRequest } from '../../store/port.ts';
import type { WorldTime } from './judge.ts';
import type { RequestRecord } from './live-controls.ts';
import type { LiveTasks } from './live-tasks.ts';
import type { Blame } from './violations.ts';

const KINDS = { RunRequested: 'run', Paused: 'pause', Resumed: 'resume', CancelRequested: 'cancel' } as const;

/** What this life has done with a request. */
interface Handled {
  readonly request: ControlRequest;
  /** It was recorded: it had an effect. */
  isRecorded: boolean;
  /** Of a cancel that was decided at once: whether its task ran. */
  readonly wasRunning: boolean | undefined;
  /** A list has left its task out since, or brought it (I5): the answer may be by the one or by the other. */
  isInDoubt: boolean;
  /** Of a run: the one that serves it. */
  served: { readonly runId: string; readonly at: number } | undefined;
}

export class Requests {
  readonly #time: WorldTime;
  readonly #blame: Blame;
  /** Without a durable answer, by identity. */
  readonly #open = new Map<string, ControlRequest>();
  /** In this life. */
  readonly #handled = new Map<string, Handled>();

  constructor(time: WorldTime, blame: Blame) {
    this.#time = time;
    this.#blame = blame;
  }

  asked(request: ControlRequest): void {
    this.#open.set(request.id, request);
  }

  /** The scheduler gets requests. `live` is given if it decides them at once. */
  delivered(requests: readonly ControlRequest[], live: LiveTasks | undefined): void {
    for (const request of requests) {
      if (this.#handled.has(request.id)) continue;
      const phase = live?.get(request.task)?.phase;
      const wasRunning = live === undefined ? undefined : phase === 'running';
      const handled = { request, isRecorded: false, wasRunning, isInDoubt: false, served: undefined };
      this.#handled.set(request.id, handled);
    }
  }

  /** The process is gone, or another list counts: what has no answer is taken in again. */
  forget(): void {
    this.#handled.clear();
  }

  /** A list has taken the place of another one (I5). */
  listed(names: ReadonlySet<string>, before: ReadonlySet<string>): void {
    for (const handled of this.#handled.values()) {
      const { task } = handled.request;
      handled.isInDoubt ||= names.has(task) !== before.has(task);
    }
  }

  /** A request has had an effect. Answers whether it may. */
  recorded(record: RequestRecord): boolean {
    const { event, task, request: id = '' } = record;
    const handled = this.#handled.get(id);
    const { kind, task: name, catchUp } = handled?.request ?? {};
    const isAsked = handled !== undefined && this.#open.has(id) && kind === KINDS[event] && name === task;
    const isSame = event !== 'Resumed' || record.catchUp === catchUp;
    if (!isAsked || !isSame || handled.isRecorded) {
      this.#blame(
        'I1',
        `${event} of ${task} (${id}) was recorded, and nobody had asked for it, or it came twice`,
      );
      return false;
    }
    handled.isRecorded = true;
    return true;
  }

  /** A task is called: that is the run which was asked for (I2). */
  called(task: string, runId: string): void {
    const { now: at } = this.#time;
    for (const handled of this.#handled.values()) {
      const { request, isRecorded } = handled;
      if (request.kind === 'run' && request.task === task && isRecorded) handled.served ??= { runId, at };
    }
  }

  /** An answer is handed to the store. */
  answered(answer: ControlAnswer, live: LiveTasks): void {
    const handled = this.#handled.get(answer.id);
    if (handled === undefined) return void this.#blame('I1', `${answer.id} was answered, and is not open`);
    const expected = this.#expected(handled, live);
    const { task, kind } = handled.request;
    if (expected !== undefined && expected !== answer.state)
      this.#blame(
        RULES[kind],
        `${kind} ${task} (${answer.id}) was ${answer.state}, not ${expected}: ${answer.text}`,
      );
    if (kind === 'run' && answer.state === 'applied' && handled.served?.at !== answer.at)
      this.#blame(
        'I2',
        `run ${task} (${answer.id}) was answered at ${answer.at}, and served at ${handled.served?.at}`,
      );
  }

  /** What the answer must say; undefined if both are possible. */
  #expected(
    { request, isRecorded, wasRunning, isInDoubt, served }: Handled,
    live: LiveTasks,
  ): string | undefined {
    const { kind, task } = request;
    if (isInDoubt) return undefined;
    if (!live.has(task)) return isRecorded ? 'applied' : 'refused';
    if (kind === 'run') return served === undefined ? 'not answered' : 'applied';
    if (kind !== 'cancel') return 'applied';
    if (isRecorded) return 'applied';
    return wasRunning === undefined ? 'refused' : wasRunning ? 'applied' : 'refused';
  }

  /** A batch is durable: what it answers is over, and a run that it ends has answered what it served. */
  durable({ answers = [], ends = [] }: Batch): void {
    for (const { id } of answers) this.#open.delete(id);
    const ended = new Set(Array.from(ends, ({ runId }) => runId));
    for (const { request, served } of this.#handled.values())
      if (served !== undefined && ended.has(served.runId) && this.#open.has(request.id))
        this.#blame(
          'I1',
          `${served.runId} has ended durably, and ${request.id}, which it serves, has no answer`,
        );
  }

  /** A stop has ended well: what had an effect is answered. */
  stopped(): void {
    for (const { request, isRecorded, served } of this.#handled.values()) {
      const isOver = isRecorded && (request.kind !== 'run' || served !== undefined);
      if (isOver && this.#open.has(request.id))
        this.#blame(
          'I1',
          `${request.kind} ${request.task} (${request.id}) was applied, and has no durable answer`,
        );
    }
  }

  /** The world has been calm for long: everything is answered. */
  mustBeAnswered(): void {
    for (const { id, kind, task } of this.#open.values())
      this.#blame('I1', `${kind} ${task} (${id}) was asked for, and has no answer`);
  }
}

const RULES = { run: 'I2', pause: 'I3', resume: 'I3', cancel: 'I4' } as const;
