/** Schedulers with a fault, and the axioms of the theory that one of their lives breaks. */
import type { Fault } from '../faults/fault.ts';

interface WrongScheduler extends Fault {
  readonly life: string;
  readonly breaks: readonly string[];
}

export const WRONG_SCHEDULERS: readonly WrongScheduler[] = [
  {
    name: 'calls before the start is durable (A4)',
    life: 'retried',
    in: 'Batches.collect',
    find: 'const changes = outbox.take();',
    replace:
      'const changes = outbox.take(); const { caller } = this.#ports; for (let place = 0; place < starts.length; place++) { const early = new starts.constructor(this.#options.tasks); early.add(); early.cells.set(starts.cells.subarray(place * starts.width, (place + 1) * starts.width)); caller.add({ starts: early, places: [0], durableAt: clock.now() }); } caller.callSome();',
    // The end goes into the next batch: a store refuses an end that comes before its start.
    also: [{ in: 'Claims.durable', find: 'else places.push(place);' }],
    breaks: ['WA'],
  },
  {
    name: 'goes on starting after stop was called (D7)',
    life: 'stopped',
    in: 'Engine.stop',
    find: 'this.#startNothing();',
    breaks: ['S1', 'L3'],
  },
  {
    name: 'does not wait for callbacks at stop (D7)',
    life: 'stopped',
    in: 'Engine.#turn',
    find: 'if (this.#caller.running === 0)',
    breaks: ['S3'],
  },
  {
    name: 'keeps the retry after a start (A3)',
    life: 'retried',
    in: 'Tasks.call',
    find: 'this.#failures.called(task);',
    breaks: ['S1', 'S2'],
  },
  {
    name: 'retries at once, whatever the delay (A6)',
    life: 'retried',
    in: 'FailureColumns.failed',
    find: 'endedAt + delayMs',
    replace: 'endedAt',
    breaks: ['S1'],
  },
  {
    name: 'forgets to retry (A7)',
    life: 'retried',
    in: 'FailureColumns.failed',
    find: 'Math.min(endedAt + delayMs, MAX_INSTANT)',
    replace: 'MAX_INSTANT',
    breaks: ['L1'],
  },
  {
    name: 'loses what comes due while running (A5)',
    life: 'dueWhileRunning',
    in: 'Dues.advance',
    find: 'this.#due(task, now, dueAt)',
    replace: '{ if (!this.#moves.isOut(task)) this.#due(task, now, dueAt); }',
    breaks: ['L1'],
  },
  {
    name: 'forgets runs that a crash cut off (A1)',
    life: 'orphaned',
    in: 'Tasks.fill',
    find: 'record.run === null ? 0 : ORPHANED',
    replace: '0',
    breaks: ['L1'],
  },
  {
    name: 'starts everything at its first coming (E2)',
    life: 'firstComing',
    in: 'Cursors.constructor',
    find: 'cursorOfFirstComing(now, zone)',
    replace: '0',
    breaks: ['S1'],
  },
  {
    name: 'misses a due in the minute of the first coming (E2)',
    life: 'dueAtFirstComing',
    in: 'cursorOfFirstComing',
    find: 'Math.max(minuteStart, start) - 1',
    replace: 'Math.max(minuteStart, start)',
    breaks: ['L1'],
  },
  {
    name: 'accepts a name twice (D3)',
    life: 'duplicates',
    in: 'takeName',
    find: 'if (places.size === before) throw new ScheduleDuplicateTaskError(name);',
    breaks: ['S5'],
  },
];
