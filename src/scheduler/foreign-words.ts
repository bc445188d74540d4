/** Words that people bring along from other schedulers, and what to write instead. */
import type { ForeignWords } from '../text/unknown-name.ts';

/** Properties of a task. */
export const TASK_WORDS: ForeignWords = [
  [
    'schedule pattern expression cronexpression crontime crontab rule spec when',
    "write cron, such as cron: '0 3 * * *'",
  ],
  [
    'fn func function callback cb handler handle job action execute exec ontick work perform process',
    'write run, such as run: async ({ signal }) => { … }',
  ],
  ['command script shell program', "write run: command('./backup.sh')"],
  ['tz zone crontz', "write timeZone, such as timeZone: 'Europe/Stockholm'"],
  [
    'retries maxretries retrylimit retrycount attempts maxattempts tries',
    'write retry: { delay: minutes(1), max: 5 }',
  ],
  [
    'retrydelay retryinterval retrybackoff backoff delay',
    'write retry: { delay: minutes(1), backoff: 2, maxDelay: hours(1) }',
  ],
  [
    'concurrency concurrencypolicy overlap allowoverlap nooverlap protect preventoverrun overrun singleton waitforcompletion',
    "no task overlaps itself; write whileRunning: 'remember', 'skip' or 'replace' for a due that comes while it runs",
  ],
  [
    'catchup misfire misfirethreshold startingdeadlineseconds recovermissedexecutions',
    'what was missed is started once; write startWithin: hours(1) to skip what is older',
  ],
  ['maxduration maxruntime timelimit deadline', 'write timeout: minutes(5)'],
  ['randomdelay maxrandomdelay splay spread', 'write jitter: minutes(5)'],
  [
    'immediate runimmediately runoninit runonstart runonstartup fireontick',
    'control(store).run(name) starts a task now',
  ],
  [
    'enabled disabled paused suspended suspend active scheduled',
    'control(store).pause(name) and resume(name) hold a task back and let it go on',
  ],
  ['data payload args params input', 'the callback closes over what it needs; meta is kept with the task'],
  ['id key title label', 'write name: the history of a task belongs to it'],
];

/** Properties of `retry`. */
export const RETRY_WORDS: ForeignWords = [
  ['attempts maxattempts retries maxretries limit count times tries', 'write max: how many attempts in all'],
  ['interval wait initialdelay mindelay firstdelay base mintimeout', 'write delay: minutes(1)'],
  ['factor multiplier exponential exponent', 'write backoff: 2'],
  ['cap maxinterval maxbackoff maxtimeout ceiling', 'write maxDelay: hours(1)'],
];

/** Options of `createScheduler`. */
export const OPTION_WORDS: ForeignWords = [
  ['tz zone', "write timeZone, such as timeZone: 'Europe/Stockholm'"],
  [
    'concurrency maxconcurrency maxworkers parallelism poolsize limit maxrunning',
    'write workers: 4, the most runs at once',
  ],
  [
    'database db storage persistence backend adapter file filename path connection connectionstring url',
    "write store: sqlite('jobs.db')",
  ],
  ['log logging log4js', 'write logger: console, or false for silence'],
  ['on listener listeners events onerror errorhandler', 'write onEvent: (event) => { … }'],
  ['retention keep prune cleanup', 'write history: { keepDays: 30, keepRuns: 1_000_000 }'],
  ['tasks jobs schedules', 'give the list to initialize([…])'],
];
