/** Words that people bring along from other tools: other names of our commands, and words to which the answer is a sentence. */

/** Other names of commands, and of options that a command has. */
export const COMMAND_ALIASES: Readonly<Record<string, string>> = {
  new: 'init',
  setup: 'init',
  example: 'demo',
  start: 'run',
  serve: 'run',
  up: 'run',
  ls: 'list',
  tasks: 'list',
  jobs: 'list',
  ps: 'status',
  top: 'status',
  show: 'status',
  runs: 'history',
  log: 'logs',
  output: 'logs',
  tail: 'logs',
  'run-now': 'trigger',
  fire: 'trigger',
  exec: 'trigger',
  execute: 'trigger',
  disable: 'pause',
  suspend: 'pause',
  hold: 'pause',
  enable: 'resume',
  unpause: 'resume',
  continue: 'resume',
  abort: 'cancel',
  kill: 'cancel',
  describe: 'explain',
  diff: 'plan',
  'dry-run': 'plan',
  healthcheck: 'health',
  ping: 'health',
  validate: 'doctor',
  ui: 'dashboard',
  web: 'dashboard',
  page: 'dashboard',
};

export const OPTION_ALIASES: Readonly<Record<string, string>> = {
  timezone: 'tz',
  'time-zone': 'tz',
  timeZone: 'tz',
  zone: 'tz',
};

const FOLLOW =
  'what tasks write is in the output of "obbligato run" as it comes, and "obbligato status --watch" follows their states';

const PICTURE = 'the Load and Plan views of "obbligato dashboard" are the picture of what starts when';

/** What to do instead of an option that a command does not have. */
export const OPTION_ANSWERS: Readonly<Record<string, string>> = {
  f: FOLLOW,
  follow: FOLLOW,
  svg: PICTURE,
  html: PICTURE,
};

const EDIT =
  'tasks are in obbligato.config.ts: edit it, and "obbligato run --watch" takes it over as it runs, or a SIGHUP to it does (kill -HUP <pid>)';

/** What to do instead of a command that does not exist. */
export const ANSWERS: Readonly<Record<string, string>> = {
  stop: 'Ctrl-C ends "obbligato run", and so does "kill <pid>"; it waits for what runs',
  down: 'Ctrl-C ends "obbligato run", and so does "kill <pid>"; it waits for what runs',
  restart:
    'end "obbligato run" with Ctrl-C or "kill <pid>", and start it again; what is owed is started then',
  reload:
    '"obbligato run --watch" loads the configuration again when its file changes; without it, send a SIGHUP to its process: kill -HUP <pid>',
  retry:
    '"obbligato trigger <task>" starts failed work again at once; otherwise it is tried again by the policy of the task',
  add: EDIT,
  create: EDIT,
  edit: EDIT,
  delete: `${EDIT}; "obbligato forget <task>" removes what the store knows of one task`,
  remove: `${EDIT}; "obbligato forget <task>" removes what the store knows of one task`,
  rm: `${EDIT}; "obbligato forget <task>" removes what the store knows of one task`,
  crontab: '"obbligato import crontab" makes a configuration of a crontab',
  backup:
    'copy the store with SQLite, while a scheduler runs on it too: sqlite3 obbligato.db "VACUUM INTO \'copy.db\'"',
};
