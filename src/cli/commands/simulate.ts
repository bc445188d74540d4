/** `obbligato simulate`: the scheduler of this version against thousands of simulated worlds. */
import { availableParallelism } from 'node:os';
import type { Arguments, Command, Io } from '../args/command.ts';
import { amountOf, countOf, isGiven, textOf } from '../args/values.ts';
import { CliError, FAILED, FORCED, OK } from '../errors.ts';
import { Shutdown } from '../run/shutdown.ts';
import { type CampaignOptions, MOST_SEEDS, playCampaign, shrunk, type Tally } from '../simulate/campaign.ts';
import { type Kind, whole } from '../simulate/kinds.ts';
import type { Failure } from '../simulate/seeds.ts';
import {
  failureText,
  foundText,
  type ShownFailure,
  scenarioText,
  tallyDocument,
  tallyText,
} from '../simulate/tally-text.ts';
import { Reader } from '../terminal/output.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { counted, json, printable } from '../terminal/text.ts';

const HELP = `
Plays the scheduler, the code that runs your tasks, against simulated worlds: a clock, a disk and an environment that crash it, stop it, set
its clock, change its list, spoil its store, and callbacks that fail and hang. Everything in a world is decided by its seed. Each is
judged by a model of the scheduler's one rule and by the theory, and played twice, to show that nothing but the seed decides.

It uses all cores, and touches nothing of yours. As soon as a world fails, it prints the seed and how to see it again, for up to a hundred
worlds. In the end it prints what broke first, the scenario cut down to what is needed for it, and a test.

Options
  --seeds <n>        how many worlds (10000)
  --seed <n>         the first one (1)
  --cluster          worlds with several instances over one database: clocks that are off, processes that pause and die, a network that
                     loses, delays and repeats; judged by the rules of a cluster and by the theory on the merged traces
  --minutes <m>      end after this time, whatever is left
  --json             one JSON document

Ctrl-C ends it after the worlds that are being played, and says what was done; a second one leaves at once. While a scenario
is cut down, it stays as it is.

Exit codes
  0    nothing is wrong with the worlds that were played
  1    a world has a violation: a bug of the scheduler, or of the simulator; please report it. Or the time was up before one was played
  130  left at a second Ctrl-C

Examples
  obbligato simulate
  obbligato simulate --seeds 100000 --minutes 20
  obbligato simulate --seeds 1 --seed 4711
  obbligato simulate --cluster --seeds 1000
  obbligato simulate --seeds 200 --json | jq '.faults.crashes'
`;

/** A seed has at most nine digits. */
const LARGEST = 999_999_999;

export const simulateCommand: Command = {
  name: 'simulate',
  summary: 'Play the scheduler against thousands of simulated worlds',
  help: HELP,
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    cluster: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  positionals: [],
  async run(io, args) {
    const seeds = countOf(args, { option: 'seeds', fallback: 10_000, min: 1, max: LARGEST });
    const firstSeed = countOf(args, { option: 'seed', fallback: 1, min: 0, max: LARGEST });
    const limitMs = limitOf(args);
    const kind: Kind = isGiven(args, 'cluster') ? 'cluster' : 'one scheduler';
    const progress = createProgress(io, seeds, 'worlds');
    const stopping = stoppingOf(io, progress);
    const reader = new Reader(io.stdout);
    const asking = setInterval(() => reader.ask(), ASK_EVERY_MS);
    const tally = await play(io, progress, { kind, firstSeed, seeds, limitMs, stopping });
    clearInterval(asking);
    const { firstFailure } = tally;
    const isText = !isGiven(args, 'json');
    if (isText) io.stdout.write(reader.lineBreak() + tallyText(io, tally, firstSeed));
    if (isText && firstFailure !== undefined) io.stdout.write(failureText(io, kind, firstFailure));
    const failure = firstFailure === undefined ? undefined : await cutDown(io, kind, firstFailure, stopping);
    if (!isText) io.stdout.write(json(tallyDocument(tally, firstSeed, failure)));
    else if (failure !== undefined) io.stdout.write(scenarioText(io, failure));
    // With zero worlds played we know nothing, so the command fails; a user who interrupts it knows what was done.
    const isUnknown = tally.worlds === 0 && tally.outcome === 'the time was up';
    return failure === undefined && !isUnknown ? OK : FAILED;
  },
};

/** How often it checks that something still reads the output. */
const ASK_EVERY_MS = 1000;

/** Three weeks, for which a timer can be set. A campaign that may take longer has no limit. */
const MOST_MINUTES = 30_240;

function limitOf(args: Arguments): number {
  const written = textOf(args, 'minutes');
  if (written === undefined) return Number.POSITIVE_INFINITY;
  const minutes = amountOf(args, { option: 'minutes', fallback: 1 });
  if (minutes > 0) return minutes > MOST_MINUTES ? Number.POSITIVE_INFINITY : minutes * 60_000;
  throw new CliError(
    'usage',
    `--minutes takes a number above 0, such as --minutes 1.5; got "${printable(written)}"`,
  );
}

/** Aborted at Ctrl-C or SIGTERM; a second Ctrl-C leaves. */
function stoppingOf(io: Io, progress: Progress): AbortSignal {
  const stopping = new AbortController();
  const shutdown = new Shutdown({
    stop() {
      progress.end();
      io.stderr.write('Ending with what is being played; Ctrl-C again leaves at once\n');
      stopping.abort();
    },
    leave: () => process.exit(FORCED),
  });
  shutdown.listen();
  return stopping.signal;
}

type Plan = Pick<CampaignOptions, 'kind' | 'firstSeed' | 'seeds' | 'limitMs' | 'stopping'>;

async function play(io: Io, progress: Progress, plan: Plan): Promise<Tally> {
  const { kind, firstSeed, seeds, stopping } = plan;
  const threads = availableParallelism();
  io.stderr.write(
    `${counted(seeds, 'world')} from seed ${firstSeed} on ${counted(threads, 'thread')}; Ctrl-C ends it\n`,
  );
  let failures = 0;
  const played = (failure: Failure | undefined): void => {
    if (failure !== undefined) {
      progress.failed();
      progress.end();
      if (++failures <= MOST_SEEDS) io.stderr.write(foundText(io, kind, failure));
      if (failures === MOST_SEEDS)
        io.stderr.write(`${MOST_SEEDS} worlds have failed; further ones are counted\n`);
    }
    if (!stopping.aborted) progress.advance();
  };
  try {
    return await playCampaign({ ...plan, threads, played });
  } finally {
    progress.end();
  }
}

/** That means playing hundreds of worlds, so it says what it does. */
async function cutDown(io: Io, kind: Kind, failure: Failure, stopping: AbortSignal): Promise<ShownFailure> {
  const { seed, violation } = failure;
  io.stderr.write(`Cutting down the scenario of seed ${seed}\n`);
  const smaller = await shrunk(kind, failure, stopping);
  const shown = smaller ?? whole(kind, seed, violation.rule);
  return { ...failure, kind, shown, isCutDown: smaller !== undefined };
}
