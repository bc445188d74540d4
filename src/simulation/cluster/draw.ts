/** The scenario of a cluster that a seed decides. */
import { drawPolicy } from '../scenario/policies.ts';
import { Random } from '../scenario/random.ts';
import { type ClusterAction, type ClusterScenario, type ClusterTask, cronOf } from './scenario.ts';

type TimedAction = ClusterScenario['events'][number];

/** The scenario of a seed: processes, network and lists; in some worlds policies, operators, and a database that crashes. */
export function drawClusterScenario(seed: number): ClusterScenario {
  const chance = new Random(seed).fork('cluster, more');
  let scenario = drawPlain(seed);
  for (const [share, add] of MORE)
    if (chance.percent(share)) scenario = { ...scenario, ...add(scenario, chance) };
  return scenario;
}

const MORE: readonly (readonly [
  share: number,
  add: (scenario: ClusterScenario, chance: Random) => Partial<ClusterScenario>,
])[] = [
  [50, policies],
  [40, requests],
  [30, outages],
];

/** Policies for most of the tasks (H). The same registration has the same ones everywhere. */
function policies({ start, long, events }: ClusterScenario, chance: Random): Partial<ClusterScenario> {
  const begins = new Date(start);
  const instead = (task: ClusterTask): ClusterTask => {
    const own = chance.fork(`${task.name} ${cronOf(task)} ${task.retryDelayMs}`);
    if (own.percent(15)) return task;
    // Whether a task ran when a list of another instance came, only the store knows: no trace can say whether it began anew (H10).
    const { onOverride: _, ...policy } = drawPolicy(own, begins);
    return { ...task, policy };
  };
  return {
    long: Math.max(long, 10),
    heeding: chance.pick([0, 50, 100]),
    events: events.map(
      ([at, action]): TimedAction =>
        action.kind === 'start' ? [at, { ...action, tasks: action.tasks.map(instead) }] : [at, action],
    ),
  };
}

/** What operators ask for (I): alone, in pairs that belong together, and several at once. */
function requests(scenario: ClusterScenario, chance: Random): Partial<ClusterScenario> {
  const { skewsMs, heeding = chance.pick([0, 50]) } = scenario;
  const listed = scenario.events.flatMap(([, action]) => (action.kind === 'start' ? action.tasks : []));
  const names = [...new Set(listed.map(({ name }) => name))];
  const added = moments(scenario, chance, chance.between(1, 6)).flatMap((at): readonly TimedAction[] => {
    const task = names.length === 0 || chance.percent(3) ? 'nobody' : chance.pick(names);
    const ask = (control: 'run' | 'pause' | 'cancel' | 'resume'): ClusterAction => ({
      kind: 'ask',
      host: chance.below(skewsMs.length),
      control,
      task,
      ...(control === 'resume' && { catchUp: chance.percent(50) }),
    });
    const later = (): number => at + chance.spread(1, 120_000);
    if (chance.percent(40)) return [[at, ask(chance.pick(['run', 'run', 'cancel', 'resume'] as const))]];
    const between: TimedAction[] = chance.percent(40) ? [[later(), ask('run')]] : [];
    return [[at, ask('pause')], ...between, [later(), ask('resume')]];
  });
  return { heeding, events: inOrder([...scenario.events, ...added]) };
}

/** The database crashes, and is back after a while. */
function outages(scenario: ClusterScenario, chance: Random): Partial<ClusterScenario> {
  const added = moments(scenario, chance, chance.between(1, 3)).map(
    (at): TimedAction => [at, { kind: 'outage', ms: chance.spread(50, 40_000) }],
  );
  return { events: inOrder([...scenario.events, ...added]) };
}

const moments = ({ events }: ClusterScenario, chance: Random, count: number): readonly number[] =>
  Array.from({ length: count }, () => chance.below((events.at(-1)?.[0] ?? 0) + 60_000));

const inOrder = (events: readonly TimedAction[]): readonly TimedAction[] =>
  events.toSorted(([one], [other]) => one - other);

const NAMES = ['t', 'u', 'v', 'w'];
const SKEWS = [0, 0, 3, -40, 900, -5000, 3_600_000, -3_600_000];
const DAY_MS = 86_400_000;

function drawPlain(seed: number): ClusterScenario {
  const random = new Random(seed).fork('cluster');
  const hosts = random.between(2, 4);
  const leaseMs = random.pick([2000, 5000, 15_000]);
  const start = Date.UTC(2027, 0, 1) + random.below(365) * DAY_MS + random.below(DAY_MS);
  return {
    seed,
    start: new Date(start).toISOString(),
    leaseMs,
    skewsMs: Array.from({ length: hosts }, () => random.pick(SKEWS)),
    latencyMs: random.pick([0, 1, 5, 20]),
    lostPerMille: random.pick([0, 0, 5, 50]),
    failing: random.pick([0, 20, 50]),
    long: random.pick([0, 10, 30]),
    events: drawEvents(random, hosts, leaseMs),
  };
}

function drawEvents(
  random: Random,
  hosts: number,
  leaseMs: number,
): readonly (readonly [number, ClusterAction])[] {
  let tasks: readonly ClusterTask[] = NAMES.slice(0, random.between(1, NAMES.length)).map((name) =>
    drawTask(random, name),
  );
  const changes = random.percent(40);
  const listOf = (): readonly ClusterTask[] => {
    if (changes && random.percent(30)) tasks = tasks.map(({ name }) => drawTask(random, name));
    return changes && random.percent(40) ? tasks.filter(() => random.percent(70)) : tasks;
  };
  const events: (readonly [number, ClusterAction])[] = Array.from({ length: hosts }, (_, host) => [
    host === 0 ? 0 : random.below(random.pick([10, 5000, 60_000])),
    { kind: 'start', host, tasks: listOf() },
  ]);
  let at = 0;
  for (let count = random.between(2, 14); count > 0; count--) {
    at += random.spread(50, 60_000);
    events.push([at, drawAction(random, random.below(hosts), leaseMs, listOf)]);
  }
  return events.toSorted(([one], [other]) => one - other);
}

const drawTask = (random: Random, name: string): ClusterTask => ({
  name,
  minutes: random.percent(70) ? '*' : Array.from({ length: 30 }, (_, index) => 2 * index + random.below(2)),
  retryDelayMs: random.pick([0, 500, 5000, 30_000, 90_000]),
});

function drawAction(
  random: Random,
  host: number,
  leaseMs: number,
  listOf: () => readonly ClusterTask[],
): ClusterAction {
  // Around the length of a lease everything is possible.
  const ms = random.percent(50) ? random.spread(100, 60_000) : leaseMs + random.between(-1000, 4000);
  switch (
    random.pick(['start', 'start', 'stop', 'crash', 'crash', 'pause', 'pause', 'cut', 'slow'] as const)
  ) {
    case 'start':
      return { kind: 'start', host, tasks: listOf() };
    case 'stop':
      return { kind: 'stop', host };
    case 'crash':
      return { kind: 'crash', host };
    case 'pause':
      return { kind: 'pause', host, ms };
    case 'cut':
      return { kind: 'cut', host, ms, lost: random.pick(['requests', 'answers'] as const) };
    case 'slow':
      return { kind: 'slow', host, ms };
  }
}
