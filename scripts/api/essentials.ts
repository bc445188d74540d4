/** What most programs need, in the order in which one meets it. The page of it is docs/reference.md; everything else is behind it. */
export const essentials: readonly (readonly [topic: string, names: readonly string[]])[] = [
  ['A scheduler', ['createScheduler', 'Scheduler', 'SchedulerOptions']],
  [
    'Tasks',
    [
      'Registration',
      'task',
      'TaskOptions',
      'RetryPolicy',
      'cron',
      'lastDayOfMonth',
      'nthWeekday',
      'everyNthWeek',
    ],
  ],
  ['Callbacks', ['Callback', 'RunContext', 'withTimeout', 'command', 'CommandOptions']],
  ['Durations', ['seconds', 'minutes', 'hours', 'days', 'Duration']],
  ['A configuration file', ['defineConfig', 'Config']],
  ['Stores', ['sqlite', 'memory']],
  ['Looking inside', ['inspect', 'TaskRecord', 'history', 'HistoryQuery', 'PastRun']],
  ['Run now, pause, cancel', ['control', 'Control']],
  ['Events and logs', ['SchedulerEvent', 'EventDetails', 'Logger']],
];
