/** What every scheduler is put through: a few tasks, and what happens to them. Each scenario is judged by itself. */
const MINUTE_MS = 60_000;

export interface Task {
  readonly name: string;
  readonly cron: string;
  readonly retryDelayMs: number;
  /** How long its runs take, one after the other; those beyond the list take no time. */
  readonly takesMs: readonly number[];
  /** So many first runs fail. */
  readonly fails: number;
}

export type Step =
  /** Time passes until the wall clock shows this. */
  | { readonly do: 'pass'; readonly until: string }
  /** SIGSTOP, and SIGCONT then. */
  | { readonly do: 'freeze'; readonly until: string }
  /** The machine sleeps; timers do not count that time. */
  | { readonly do: 'sleep'; readonly until: string }
  /** The wall clock is set to this. */
  | { readonly do: 'set'; readonly to: string }
  /** SIGKILL; a new process begins then. */
  | { readonly do: 'crash'; readonly until: string };

export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** What the theory demands here, and where that is a rule of ours rather than a common one. */
  readonly demands: string;
  readonly timeZone: string;
  readonly start: string;
  readonly tasks: readonly Task[];
  /** After the last one, the scheduler is stopped; whatever runs is given the time it needs. */
  readonly steps: readonly Step[];
}

const task = (name: string, cron: string, more: Partial<Task> = {}): Task => ({
  name,
  cron,
  retryDelayMs: 5 * MINUTE_MS,
  takesMs: [],
  fails: 0,
  ...more,
});
const every = [task('each minute', '* * * * *'), task('each hour', '0 * * * *')];

const NEW_YORK = 'America/New_York';
const BERLIN = 'Europe/Berlin';
/** An instant of a January day in New York. */
const day = (time: string): string => `2027-01-12T${time}-05:00`;

export const scenarios: readonly Scenario[] = [
  {
    id: 'plain',
    title: 'A quiet morning',
    demands: 'Every due is served, and nothing else is started.',
    timeZone: NEW_YORK,
    start: day('05:59:30'),
    tasks: [...every, task('on weekdays', '0 9 * * 1-5'), task('on Sundays', '0 9 * * 0')],
    steps: [{ do: 'pass', until: day('10:00:30') }],
  },
  {
    id: 'overlap',
    title: 'A run of 150 s on an every-minute task',
    demands: 'A task never overlaps itself.',
    timeZone: NEW_YORK,
    start: day('11:59:30'),
    tasks: [task('each minute', '* * * * *', { takesMs: [150_000, 150_000, 150_000] })],
    steps: [{ do: 'pass', until: day('12:12:30') }],
  },
  {
    id: 'due-while-running',
    title: 'A run of 90 min on an hourly task',
    demands: 'What came due while the task ran is served right after. (A rule of ours.)',
    timeZone: NEW_YORK,
    start: day('09:59:30'),
    tasks: [task('each hour', '0 * * * *', { takesMs: [90 * MINUTE_MS] })],
    steps: [{ do: 'pass', until: day('13:00:30') }],
  },
  {
    id: 'downtime',
    title: 'Killed, and down over four dues',
    demands: 'What was missed is caught up by one start. (Durability: a rule of ours.)',
    timeZone: NEW_YORK,
    start: day('09:30:30'),
    tasks: [task('each hour', '0 * * * *')],
    steps: [
      { do: 'pass', until: day('10:30:30') },
      { do: 'crash', until: day('14:30:30') },
      { do: 'pass', until: day('16:30:30') },
    ],
  },
  {
    id: 'cut-off',
    title: 'Killed while a task runs',
    demands: 'A run that a crash cut off is started again. (Durability: a rule of ours.)',
    timeZone: NEW_YORK,
    start: day('09:59:30'),
    tasks: [task('each hour', '0 * * * *', { takesMs: [45 * MINUTE_MS] })],
    steps: [
      { do: 'pass', until: day('10:20:30') },
      { do: 'crash', until: day('10:21:30') },
      { do: 'pass', until: day('12:10:30') },
    ],
  },
  {
    id: 'frozen',
    title: 'Stopped for three hours (SIGSTOP), then woken',
    demands: 'On waking, each task that missed something starts once: no flood, no loss.',
    timeZone: NEW_YORK,
    start: day('09:59:30'),
    tasks: every,
    steps: [
      { do: 'pass', until: day('10:20:40') },
      { do: 'freeze', until: day('13:37:20') },
      { do: 'pass', until: day('15:00:30') },
    ],
  },
  {
    id: 'asleep',
    title: 'The machine sleeps for three hours',
    demands: 'On waking, each task that missed something starts once, though timers did not count the time.',
    timeZone: NEW_YORK,
    start: day('09:59:30'),
    tasks: every,
    steps: [
      { do: 'pass', until: day('10:20:40') },
      { do: 'sleep', until: day('13:37:20') },
      { do: 'pass', until: day('15:00:30') },
    ],
  },
  {
    id: 'spring',
    title: 'The night in which 02:30 does not exist',
    demands: 'A skipped minute is not due; nothing is shifted. (Our policy; there are others.)',
    timeZone: BERLIN,
    start: '2027-03-27T01:10:30+01:00',
    tasks: [task('at 2:30', '30 2 * * *'), task('each half past', '30 * * * *')],
    steps: [{ do: 'pass', until: '2027-03-29T04:10:30+02:00' }],
  },
  {
    id: 'autumn',
    title: 'The night in which 02:30 comes twice',
    demands: 'A minute that comes twice is due twice. (Our policy; there are others.)',
    timeZone: BERLIN,
    start: '2027-10-30T01:10:30+02:00',
    tasks: [task('at 2:30', '30 2 * * *'), task('each half past', '30 * * * *')],
    steps: [{ do: 'pass', until: '2027-11-01T04:10:30+01:00' }],
  },
  {
    id: 'step-minute',
    title: 'The clock is set back by a minute, twice, over a due',
    demands: 'No due that was served is served again.',
    timeZone: NEW_YORK,
    start: day('11:59:30'),
    tasks: every,
    steps: [
      { do: 'pass', until: day('13:00:10') },
      { do: 'set', to: day('12:59:10') },
      { do: 'pass', until: day('14:00:40') },
      { do: 'set', to: day('13:59:40') },
      { do: 'pass', until: day('15:00:30') },
    ],
  },
  {
    id: 'step-hours',
    title: 'The clock is set back by an hour and a half',
    demands:
      'Hourly tasks go on by the new clock; a daily one does not repeat. (Much as classic cron; our policy.)',
    timeZone: NEW_YORK,
    start: day('11:40:30'),
    tasks: [...every, task('at noon', '0 12 * * *')],
    steps: [
      { do: 'pass', until: day('12:30:30') },
      // A second before half past: the look a minute later comes before the due of 11:00, which is owed then (B5).
      { do: 'set', to: day('10:59:29') },
      { do: 'pass', until: day('14:10:30') },
    ],
  },
  {
    id: 'retry',
    title: 'A callback fails once, to be retried after 5 min',
    demands: 'A failed run is repeated after its delay. (Retries are a feature of ours.)',
    timeZone: NEW_YORK,
    start: day('09:59:30'),
    tasks: [task('each hour', '0 * * * *', { fails: 1 })],
    steps: [{ do: 'pass', until: day('11:10:30') }],
  },
  {
    id: 'stop',
    title: 'Stopped while a task runs',
    demands: 'stop() returns when nothing runs any more, and nothing starts meanwhile.',
    timeZone: NEW_YORK,
    start: day('09:59:30'),
    tasks: [task('each hour', '0 * * * *', { takesMs: [10 * MINUTE_MS] })],
    steps: [{ do: 'pass', until: day('10:03:30') }],
  },
];
