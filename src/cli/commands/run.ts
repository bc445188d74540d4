/** `obbligato run`: the schedule of a configuration, until it is stopped. */
import { dirname, relative, resolve } from 'node:path';
import { taskFacts } from '../../config.ts';
import { DASHBOARD_PORT, type DashboardServer, type ServeOptions } from '../../dashboard/index.ts';
import { control, history, inspect, type PastRun, type Store, StoreMissingError } from '../../index.ts';
import type { Arguments, Command, Io, Output } from '../args/command.ts';
import { readZone } from '../args/values.ts';
import { verdictText } from '../check/verdict-text.ts';
import { loadConfig } from '../config/load.ts';
import { logFoldersOf } from '../config/log-folders.ts';
import { isForgotten, storeFrom, storeOf } from '../config/store.ts';
import { serve } from '../dashboard/serve.ts';
import { CliError } from '../errors.ts';
import { statusOf } from '../files.ts';
import type { TaskDeed } from '../live/deeds.ts';
import { LiveReporter } from '../live/live-reporter.ts';
import { JsonReporter } from '../run/json-reporter.ts';
import { LineReporter } from '../run/line-reporter.ts';
import { lasting } from '../run/log.ts';
import { MetricsServer, readAddress } from '../run/metrics-server.ts';
import { Recording } from '../run/recording.ts';
import type { Reporter, ScheduleFacts } from '../run/reporter.ts';
import { type Reloading, runSchedule } from '../run/run-schedule.ts';
import { styleFor } from '../terminal/style.ts';
import { printable } from '../terminal/text.ts';

const help = `
Runs the tasks of obbligato.config.ts (.mts, .cts, .js, .mjs, .cjs), found here or in the nearest folder above; or of the file or folder that
is given. TypeScript runs as it is. Relative paths in a configuration are meant from its own folder.

On a terminal it shows a live view: each task's state, when it starts next, how its last run went. Elsewhere it prints a line for
each event. Ctrl-C, or SIGTERM, starts nothing more and waits for what runs; a second Ctrl-C leaves at once, and what was
interrupted is started again at the next run. So is whatever a crash or kill -9 cuts off.

Options
  --store <path|memory:>  where to keep state, instead of what the configuration says (by default obbligato.db in its folder)
  --trace <file>          record a trace, for "obbligato check"; a file that is there is continued
  --watch                 load the configuration again when its file changes; what runs goes on. So does SIGHUP, where there is no terminal
  --allow-removal         let a list forget more than half of ten or more stored tasks; otherwise it is refused
  --metrics <port>        serve metrics for Prometheus at /metrics, on this machine alone; or at <host>:<port>
  --monitor               judge the schedule as it runs, and say what breaks, and whose fault it is
  --dashboard [port]      serve the page of "obbligato dashboard" while it runs, on this machine only; the port is 7070 unless given
  --control               let viewers of that page run, pause, resume and cancel tasks
  --plain                 log lines, on a terminal too
  --json                  JSON Lines: every event, and every line that tasks write
  -h, --help              this text

Exit codes
  0    stopped, with everything durable
  1    the store failed, an error in a task's code was not caught, or the reader of the output has gone
  2    the command line or the configuration is wrong; nothing was touched
  130  left at once at a second Ctrl-C

Examples
  obbligato run
  obbligato run services/billing/obbligato.config.ts
  obbligato run --store /var/lib/jobs/obbligato.db >> jobs.log
  obbligato run --trace trace.jsonl --monitor
  obbligato run --metrics 9464
  obbligato run --dashboard 8080 --control
  obbligato run --store memory: --json | jq 'select(.type == "TaskRunFailed")'
`;

export const run: Command = {
  name: 'run',
  summary: 'Run the tasks of obbligato.config.ts, with a live view on a terminal',
  help,
  options: {
    store: { type: 'string' },
    trace: { type: 'string' },
    watch: { type: 'boolean' },
    'allow-removal': { type: 'boolean' },
    metrics: { type: 'string' },
    monitor: { type: 'boolean' },
    dashboard: { type: 'string' },
    control: { type: 'boolean' },
    plain: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  positionals: [{ name: 'config' }],
  leftOut: { dashboard: { pattern: /^\d+$/, value: String(DASHBOARD_PORT) } },
  async run(io, args) {
    const { values, positionals } = args;
    // Before the configuration is loaded: a mistake on the command line comes first, and paths in it are meant from here.
    const chosen = typeof values.store === 'string' ? storeFrom(values.store, io.cwd) : undefined;
    const trace = typeof values.trace === 'string' ? traceAt(values.trace, io.cwd) : undefined;
    const address = typeof values.metrics === 'string' ? readAddress(values.metrics) : undefined;
    const loaded = await loadConfig(io.cwd, positionals[0]);
    const { path, config } = loaded;
    const store = chosen ?? storeOf(loaded);
    const facts: ScheduleFacts = {
      tasks: taskFacts(config.tasks),
      store: nearby(store.location, io.cwd),
      config: nearby(path, io.cwd),
      timeZone: readZone(config.timeZone).name,
      afterwards: isForgotten(store) ? 'forgotten' : 'kept',
      pid: process.pid,
    };
    const served = address && (await MetricsServer.listen(address, store, facts.timeZone));
    try {
      return await runAndShow(io, args, { loaded, store, facts, trace, served });
    } finally {
      served?.close();
    }
  },
};

interface Chosen {
  readonly loaded: Awaited<ReturnType<typeof loadConfig>>;
  readonly store: Store;
  readonly facts: ScheduleFacts;
  /** The file of the trace. */
  readonly trace: string | undefined;
  readonly served: MetricsServer | undefined;
}

async function runAndShow(io: Io, args: Arguments, chosen: Chosen): Promise<number> {
  const { loaded, store, facts, trace, served } = chosen;
  const { path, config } = loaded;
  const { values } = args;
  const recording = await recordingFor(io, trace, values, store);
  const { timeZone } = facts;
  const folders = logFoldersOf(loaded);
  const logs = (task: string): string | undefined => folders.get(task);
  const page = await pageFor(io, args, { store, timeZone, logs, verdict: () => recording?.verdict });
  const out = lasting(io.stdout, (loss) => reporter.notice({ type: 'OutputLost', at: io.now(), ...loss }));
  const reporter = reporterFor(out, io, values, facts, store);
  try {
    if (served !== undefined) reporter.notice({ type: 'MetricsServed', at: io.now(), url: served.url });
    if (page !== undefined) reporter.notice({ type: 'Serving', at: io.now(), url: page.url });
    const parts = { config, store, now: io.now, reporter, out, recording, onEvent: served?.onEvent };
    const code = await runSchedule({ ...parts, ...reloadingOf(io, values, path) });
    const verdict = recording?.verdict;
    if (verdict !== undefined && values.json !== true) {
      const judged = { verdict, zone: readZone(timeZone), beginsWith: undefined };
      out.write(`\n${verdictText(io, 'The monitor', judged)}`);
    }
    return code;
  } finally {
    await page?.close();
    await out.finish?.();
  }
}

/** The page, if it is wanted. */
async function pageFor(
  io: Io,
  args: Arguments,
  shown: Pick<ServeOptions, 'store' | 'timeZone' | 'logs' | 'verdict'>,
): Promise<DashboardServer | undefined> {
  if (args.values.dashboard !== undefined) return serve(io, args, { ...shown, now: io.now }, 'dashboard');
  if (args.values.control === true)
    throw new CliError('usage', '--control is for the page: give --dashboard too');
  return undefined;
}

/** When the configuration is loaded again, and what it may do then. */
const reloadingOf = (io: Io, values: Arguments['values'], path: string): Reloading => ({
  loadAgain: async () => (await loadConfig(io.cwd, path, 'again')).config,
  watched: values.watch === true ? path : undefined,
  reloadsOnHangUp: process.stdin.isTTY !== true && process.stdout.isTTY !== true,
  allowsRemoval: values['allow-removal'] === true,
});

/** The file of a trace. A file that cannot be made there is refused before anything is begun. */
function traceAt(written: string, cwd: string): string {
  if (written === '')
    throw new CliError('usage', '--trace takes the path of a file, such as --trace trace.jsonl');
  const file = resolve(cwd, written);
  if (statusOf(file)?.isDirectory() === true) {
    throw new CliError('usage', `--trace takes a file, and ${printable(file)} is a folder`);
  }
  const folder = dirname(file);
  if (statusOf(folder)?.isDirectory() !== true) {
    throw new CliError('usage', `There is no folder ${printable(folder)} for the trace`);
  }
  return file;
}

async function recordingFor(
  { now }: Io,
  file: string | undefined,
  { monitor }: Arguments['values'],
  store: Store,
): Promise<Recording | undefined> {
  if (file === undefined && monitor !== true) return undefined;
  return Recording.open({
    file,
    monitor: monitor === true ? 'wanted' : 'not wanted',
    storeHas: () => historyOf(store),
    now,
  });
}

/** A store that cannot be looked into may hold anything. */
async function historyOf(store: Store): Promise<'a history' | 'no history'> {
  if (store.inspect === undefined) return 'a history';
  try {
    const { records, damaged } = await inspect(store);
    return records.length + damaged.length > 0 ? 'a history' : 'no history';
  } catch (error) {
    return error instanceof StoreMissingError ? 'no history' : 'a history';
  }
}

/** The shorter form of a path: from the current folder, or absolute. */
function nearby(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') || !path.startsWith('/') ? path : short;
}

function reporterFor(
  out: Output,
  { env, now, stdin }: Io,
  values: Arguments['values'],
  facts: ScheduleFacts,
  store: Store,
): Reporter {
  if (values.json === true) return new JsonReporter(out);
  const style = styleFor(out, env);
  const zone = readZone(facts.timeZone);
  const isScreen = out.isTTY === true && env.TERM !== 'dumb' && values.plain !== true;
  return isScreen
    ? new LiveReporter(out, style, zone, facts, now, {
        input: stdin,
        pastOf: (task) => pastOf(store, task),
        ask: (deed) => askFor(store, deed),
      })
    : new LineReporter(out, style, zone, facts);
}

/** Only a cancel can be refused here; what is done shows as an event. */
const REFUSED_WITHIN_MS = 60_000;

async function askFor(store: Store, { kind, task }: TaskDeed): Promise<string | undefined> {
  const { state, text } = await control(store)[kind](task, {
    wait: kind === 'cancel' ? REFUSED_WITHIN_MS : 0,
  });
  return state === 'refused' ? text : undefined;
}

const MOST_RUNS = 50;

async function pastOf(store: Store, task: string): Promise<readonly PastRun[] | undefined> {
  if (store.history === undefined) return undefined;
  const runs: PastRun[] = [];
  for await (const run of history(store, { task, limit: MOST_RUNS })) runs.push(run);
  return runs;
}
