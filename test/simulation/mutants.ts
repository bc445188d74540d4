import { BLIND_SPOTS } from './blind-spots.ts';
import { HISTORY_MUTANTS } from './history-mutants.ts';
import { POLICY_MUTANTS } from './policy-mutants.ts';
import { REFUSAL_MUTANTS } from './refusal-mutants.ts';
import { RELOAD_MUTANTS } from './reload-mutants.ts';

/** A fault to be planted: a textual change of one source file, and the seeds within which a world must find it. */
export interface Mutant {
  readonly name: string;
  /** Below `src`. */
  readonly file: string;
  /** Occurs there exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The rules that it breaks: the first violation must be of one of them. */
  readonly rules: readonly string[];
  /** 0 for a fault that was once real: then the corpus must find it. */
  readonly withinSeeds: number;
  /** The first of those seeds, for faults that few worlds show; by default 1. */
  readonly fromSeed?: number;
}

const inTasks = { file: 'core/tasks.ts' };
const inEngine = { file: 'scheduler/engine.ts' };
const inClaims = { file: 'scheduler/claims.ts' };
const inDues = { file: 'scheduler/dues.ts' };
const inSteps = { file: 'scheduler/clock-steps.ts' };
const inWriter = { file: 'scheduler/writer.ts' };

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a start is called before it is durable',
    ...inWriter,
    find: 'async () => this.#session.commit(batch),',
    replace: 'async () => { this.#session.commit(batch).catch(() => {}); return { refused: [] }; },',
    rules: ['A4'],
    withinSeeds: 20,
  },
  {
    name: 'the cursor is not moved by a start',
    ...inTasks,
    find: 'this.#numbers[numbersOf(task) + NUMBER.servedThrough] = calledAt;',
    replace: '',
    rules: ['A6', 'A1', 'F4'],
    withinSeeds: 20,
  },
  {
    name: 'a retry is not cleared by a start',
    ...inTasks,
    find: 'this.#failures.called(task);',
    replace: '',
    rules: ['A6', 'A1', 'F1'],
    withinSeeds: 20,
  },
  {
    name: 'an orphan is forgotten',
    ...inTasks,
    find: '(record.run === null ? 0 : ORPHANED)',
    replace: '0',
    rules: ['A2', 'F4', 'A1'],
    withinSeeds: 20,
  },
  {
    name: 'an orphan stays one after its start',
    ...inTasks,
    find: 'this.#run.set(task, null);',
    replace:
      "this.#run.set(task, null); if (REASONS[cells[row + ROW.reason]] === 'orphaned') this.#bytes[bytesOf(task) + BYTE.flags] = ORPHANED;",
    rules: ['A1', 'F4'],
    withinSeeds: 20,
  },
  {
    name: 'a success keeps the work',
    ...inTasks,
    find: 'if (Number.isNaN(this.#failures.retryAt(task))) this.#work.set(task, null);',
    replace: '',
    rules: ['A4', 'F4'],
    withinSeeds: 100,
  },
  {
    name: 'attempts are not counted',
    file: 'core/work-columns.ts',
    find: 'this.#numbers[numbersOf(task) + NUMBER.attempt]++;',
    replace: '',
    rules: ['F4'],
    withinSeeds: 20,
  },
  {
    name: 'a retry is rounded up to the minute',
    ...inTasks,
    find: 'return this.#failures.retryAt(task) <= now &&',
    replace: 'return Math.ceil(this.#failures.retryAt(task) / 60_000) * 60_000 <= now &&',
    rules: ['A2'],
    withinSeeds: 20,
  },
  {
    name: 'a retry holds back a due instant',
    ...inTasks,
    find: "if (lastDue > this.#numbers[numbersOf(task) + NUMBER.servedThrough]) return 'due';",
    replace:
      "if (this.#failures.retryAt(task) > now) return undefined; if (lastDue > this.#numbers[numbersOf(task) + NUMBER.servedThrough]) return 'due';",
    rules: ['A2', 'X4'],
    withinSeeds: 20,
  },
  {
    name: 'a due instant equal to the cursor is served again',
    ...inTasks,
    find: "if (lastDue > this.#numbers[numbersOf(task) + NUMBER.servedThrough]) return 'due';",
    replace: "if (lastDue >= this.#numbers[numbersOf(task) + NUMBER.servedThrough]) return 'due';",
    rules: ['A1', 'F4'],
    withinSeeds: 20,
  },
  {
    name: 'a due that was served before the clock was set back takes a place in the queue',
    ...inDues,
    find: 'else if (!this.#tasks.isClaimed(task) && this.#reasonToRun(task, now) === undefined) return;',
    replace: '',
    rules: ['X4'],
    withinSeeds: 0,
  },
  {
    name: 'a due instant is lost while the task runs',
    ...inDues,
    find: '(task: number, dueAt: number): void => this.#due(task, now, dueAt)',
    replace:
      '(task: number, dueAt: number): void => { if (!this.#moves.isOut(task)) this.#due(task, now, dueAt); }',
    rules: ['A2'],
    withinSeeds: 100,
  },
  {
    name: 'stop does not stop the executor',
    ...inEngine,
    find: '    this.#handover?.stop();\n    this.#startNothing();\n',
    replace: '    this.#handover?.stop();\n',
    rules: ['D7', 'A4'],
    withinSeeds: 20,
  },
  {
    name: 'a start is taken back only in memory',
    ...inClaims,
    find: 'this.#outbox.takenBack({ ...this.#unclaim(task), ...(requests.length > 0 && { requests }) });',
    replace: 'this.#unclaim(task);',
    rules: ['D7', 'A4'],
    withinSeeds: 50,
  },
  {
    name: 'a start that is durable after stop is called all the same',
    ...inClaims,
    find: 'else if (this.#executor.stopped) this.takeBack(task);',
    replace: '',
    rules: ['D7'],
    withinSeeds: 100,
  },
  {
    name: 'an end is never written',
    file: 'scheduler/outbox.ts',
    find: 'this.#ends.push(next);',
    replace: '',
    rules: ['D7', 'A6'],
    withinSeeds: 20,
  },
  {
    name: 'stop does not wait for what runs',
    ...inEngine,
    find: 'else if (this.#caller.running === 0) this.#stopping?.settle',
    replace: 'else this.#stopping?.settle',
    rules: ['D7'],
    withinSeeds: 20,
  },
  {
    name: 'the scheduler only looks once a minute',
    file: 'scheduler/turns.ts',
    find: 'Math.min(Math.max(next - now, 0), LONGEST_SLEEP_MS)',
    replace: 'LONGEST_SLEEP_MS',
    rules: ['A2'],
    withinSeeds: 20,
  },
  {
    name: 'the agenda is not rebuilt after a step back',
    ...inSteps,
    find: '    this.#options.agenda.reset(walk.landedAt);\n',
    replace: '',
    rules: ['A2'],
    withinSeeds: 100,
  },
  {
    name: 'deadlines are not gathered after a step back',
    ...inEngine,
    find: 'allJudged: () => this.#dues.beginAgain()',
    replace: 'allJudged: () => this.#dues.lookAtAll()',
    rules: ['A2'],
    withinSeeds: 1000,
  },
  {
    name: 'a task is free again while its callback runs',
    ...inClaims,
    find: 'else places.push(place);',
    replace: 'else { places.push(place); finish(this.#executor, task); }',
    rules: ['F2', 'F1', 'A1'],
    withinSeeds: 20,
  },
  {
    name: 'a batch that failed is dropped',
    ...inWriter,
    find: 'this.#timer = this.#clock.setTimer(() => this.#lookThenSend(batch), this.#backoff.next());',
    replace: 'this.#batch = undefined;',
    rules: ['A2', 'D7', 'A4', 'F1', 'F4', 'A6'],
    withinSeeds: 20,
  },
  {
    name: 'what a failed batch did is believed without a look',
    file: 'scheduler/read-back.ts',
    find: '  const records = new Map<string, TaskRecord>();',
    replace: '  if (stored.length > 0) return true; const records = new Map<string, TaskRecord>();',
    rules: ['A4', 'D7', 'A6'],
    withinSeeds: 20,
  },
  {
    name: 'ends that a failed stop left behind are forgotten',
    file: 'scheduler/scheduler.ts',
    find: '(engine) => engine.abandon()',
    replace: '(engine) => ({ ...engine.abandon(), ends: [] })',
    rules: ['E4', 'J1'],
    withinSeeds: 1500,
  },
  {
    name: 'the store is not closed by stop',
    file: 'scheduler/scheduler.ts',
    find: 'const moved = life && (await this.#close(life.session, trouble === undefined ? finalWriteMs : 0));',
    replace: 'const moved = undefined;',
    rules: ['L1'],
    withinSeeds: 100,
  },
  {
    name: 'the minute rolls over under initialize and the cursor stays',
    file: 'scheduler/follow-minute.ts',
    find: 'after.of(task) > before.of(task)',
    replace: 'false',
    rules: ['D6'],
    withinSeeds: 1500,
  },
  {
    name: 'a step back during a run is forgotten',
    file: 'scheduler/cursor-moves.ts',
    find: "else if (until === 'run') this.#moved(this.#tasks.afterStepDuringRun(task, move.landedAt));",
    replace: "else if (until === 'run') {}",
    rules: ['B5', 'D7', 'A2', 'A1'],
    withinSeeds: 200,
  },
  {
    name: 'stop does not look for a step of the clock',
    file: 'scheduler/scheduler.ts',
    find: "const at = this.#readClock();\n    this.#trace?.({ event: 'StopStart'",
    replace: "const at = this.#options.clock.now();\n    this.#trace?.({ event: 'StopStart'",
    rules: ['WF', 'S1', 'L1', 'trace'],
    withinSeeds: 300,
  },
  {
    name: 'the plan is written in two transactions',
    file: 'scheduler/planned-write.ts',
    find: '  await commit(session, batch);\n  return {};',
    replace:
      'const { cutOffs, removes, puts, ...others } = batch; await commit(session, { cutOffs, removes, puts }); await commit(session, others); return {};',
    rules: ['E4', 'D6'],
    withinSeeds: 20,
  },
  {
    name: 'a first coming misses its own minute',
    file: 'core/first-cursors.ts',
    find: 'return Math.max(minuteStart, start) - 1;',
    replace: 'return Math.max(minuteStart, start);',
    rules: ['E4'],
    withinSeeds: 20,
  },
  {
    name: 'an override forgets the retry',
    file: 'core/plan.ts',
    find: 'this.tasks.fill(task, record);',
    replace: 'this.tasks.fill(task, record.cron === cron ? record : { ...record, pendingRetryUntil: null });',
    rules: ['A2', 'D7', 'E4', 'E5', 'A8'],
    withinSeeds: 600,
  },
  {
    name: 'a clock that was set back is not noticed',
    file: 'scheduler/clock-watch.ts',
    find: 'return wentBack || Math.abs(now - expected) >= TOLERANCE_MS',
    replace: 'return now - expected >= TOLERANCE_MS',
    rules: ['B5'],
    withinSeeds: 50,
  },
  {
    name: 'a correction of the clock leaves the cursor in the future',
    file: 'core/clock-step.ts',
    find: '  return now;\n}',
    replace: '  return ahead > THREE_HOURS_MS ? servedThrough : now;\n}',
    rules: ['B5', 'A2', 'E4', 'D7'],
    withinSeeds: 50,
  },
  {
    name: 'a deadline stays where a wrong clock put it',
    file: 'core/clock-step.ts',
    find: 'pendingRetryUntil - now > delay + aheadMs ? Math.min(now + delay, MAX_INSTANT) : pendingRetryUntil;',
    replace: 'pendingRetryUntil;',
    rules: ['B5', 'A2', 'D7', 'E4', 'E5'],
    withinSeeds: 100,
  },
  {
    name: 'the bound on workers is off by one',
    file: 'executor/state.ts',
    find: 'state.queuedCount > 0 && state.runningCount < state.workers;',
    replace: 'state.queuedCount > 0 && state.runningCount <= state.workers;',
    rules: ['X4'],
    withinSeeds: 20,
  },
  {
    name: 'a trigger while running is not served at the end',
    file: 'executor/state.ts',
    find: 'if (state.triggered[task] === 1) push(state, state.kind[task], task);',
    replace: '',
    rules: ['A2'],
    withinSeeds: 100,
  },
  {
    name: 'the lock of the store is not taken',
    file: 'store/memory.ts',
    find: 'this.#owner = session;',
    replace: '',
    rules: ['E6'],
    withinSeeds: 50,
  },
  {
    name: 'a failure erases the last success',
    file: 'store/overlay.ts',
    find: "lastSuccessAt: outcome === 'success' ? endedAt : record.lastSuccessAt,",
    replace: "lastSuccessAt: outcome === 'success' ? endedAt : null,",
    rules: ['E5', 'E4', 'D7'],
    withinSeeds: 20,
  },
  {
    name: 'a removed name stays in the store',
    file: 'store/overlay.ts',
    find: 'overlay.set(name, record && grants.remove(record));',
    replace: '',
    rules: ['E4', 'E5'],
    withinSeeds: 20,
  },
  {
    name: 'the minutes that a clock skips are served at the change',
    file: 'cron/due.ts',
    find: 'if (earlier.offset > segment.offset || candidate >= exit) {',
    replace:
      'if (earlier.offset < segment.offset && candidate >= exit) return segment.start; if (earlier.offset > segment.offset || candidate >= exit) {',
    rules: ['A1', 'F4'],
    withinSeeds: 100,
  },
  {
    name: 'the hour that a clock repeats is due once',
    file: 'cron/due.ts',
    find: 'if (following.offset < segment.offset || candidate < entry) {',
    replace: 'if (candidate < entry) {',
    rules: ['A2', 'F4'],
    withinSeeds: 50,
  },
  {
    name: 'a day of the month and of the week must both match',
    file: 'cron/schedule.ts',
    find: 'mask |= Math.imul(week, 0x10204081);',
    replace: 'mask = mask === 0 ? Math.imul(week, 0x10204081) : mask & Math.imul(week, 0x10204081);',
    rules: ['A1', 'A2', 'F4', 'S5'],
    withinSeeds: 100,
  },
  {
    name: 'a due instant in the turn of a step back is put off',
    ...inSteps,
    find: 'agenda.reset(walk.landedAt);',
    replace: 'agenda.reset(walk.seenAt);',
    rules: ['A2'],
    fromSeed: 3000,
    withinSeeds: 20,
  },
  ...BLIND_SPOTS,
  ...HISTORY_MUTANTS,
  ...POLICY_MUTANTS,
  ...RELOAD_MUTANTS,
  ...REFUSAL_MUTANTS,
];
