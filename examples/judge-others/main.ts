/**
 * Judges other schedulers by the theory that this one ships: croner, node-cron, cron, node-schedule, a poller as many begin with, the
 * queues that know cron and need a server (pg-boss, graphile-worker, BullMQ),
 * and, as the control, Obbligato itself. Each is played through the same scenarios under a simulated clock, in processes of its own,
 * some of them really killed; the traces are judged, and whatever is broken is shown with its proof.
 *
 *     npm run example:judge                      the table, then the proofs
 *     npm run example:judge -- --json            the same for programs
 *     npm run example:judge -- croner autumn     only these schedulers and scenarios
 *     npm run example:judge -- --record          pg-boss, graphile-worker and BullMQ too are played, on real servers, and their
 *                                                traces are kept; without it the traces that were kept are judged
 *
 * It runs from the repository only: its script installs the other schedulers into this folder. It exits with 1 if Obbligato breaks anything.
 * What the others do not promise is said to be a rule of ours: see docs/judging-others.md.
 */
import { availableParallelism } from 'node:os';
import { type Judgement, judge } from './judge.ts';
import { page, recordings } from './page.ts';
import { documented } from './promises.ts';
import { aboutOf, keepAbout } from './recorded.ts';
import { details, legend, settings, table } from './report.ts';
import { scenarios } from './scenarios.ts';
import { schedulers } from './schedulers.ts';
import { Servers } from './servers.ts';

const words = process.argv.slice(2);
const chosen = <T>(all: readonly T[], nameOf: (one: T) => string): readonly T[] => {
  const named = all.filter((one) => words.includes(nameOf(one)));
  return named.length === 0 ? all : named;
};
const pairs = chosen(scenarios, ({ id }) => id).flatMap((scenario) =>
  chosen(schedulers, ({ name }) => name).map((scheduler) => ({ scheduler, scenario })),
);

/** As many at a time as the machine has cores; in the order of the pairs. */
async function judgeAll(): Promise<Judgement[]> {
  const judgements: Judgement[] = [];
  const waiting = pairs.entries();
  const lane = async (): Promise<void> => {
    for (const [place, { scheduler, scenario }] of waiting)
      judgements[place] = await judge(scheduler, scenario, servers);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return judgements;
}

/** With what the traces were made that `--record` keeps. */
async function recordAbouts(from: Servers): Promise<void> {
  for (const { name, version, server } of chosen(schedulers, (one) => one.name)) {
    if (server === undefined) continue;
    const [date, node] = [new Date().toISOString().slice(0, 10), process.version];
    const notRun = Servers.missing(server);
    keepAbout(name, {
      date,
      node,
      version,
      ...(notRun ? { notRun } : { server: await from.version(server) }),
    });
  }
}

const servers = words.includes('--record') ? new Servers() : undefined;
const judgements = await judgeAll();
if (servers !== undefined) await recordAbouts(servers).finally(() => servers.stop());
if (words.includes('--json')) {
  const versions = Object.fromEntries(schedulers.map(({ name, version }) => [name, version]));
  const recorded = Object.fromEntries(
    schedulers.flatMap(({ name, server }) => (server === undefined ? [] : [[name, aboutOf(name)]])),
  );
  const told = judgements.map((one) => ({
    ...one,
    ...(documented[one.scheduler]?.[one.scenario] ?? { standing: 'silent' }),
  }));
  console.log(
    JSON.stringify(
      {
        versions,
        recorded,
        recordings: recordings(),
        table: table(judgements),
        page: page(judgements),
        judgements: told,
      },
      undefined,
      2,
    ),
  );
} else {
  console.log(
    `${table(judgements)}\n\n${legend.join('\n')}\n\nSet up as:\n${settings()}\n\n${recordings().join('\n')}`,
  );
  for (const scenario of scenarios)
    if (judgements.some((one) => one.scenario === scenario.id))
      console.log(`\n${details(scenario, judgements)}`);
}
const control = judgements.filter(({ scheduler }) => scheduler === 'obbligato');
process.exitCode = control.every(({ conformant }) => conformant) ? 0 : 1;
