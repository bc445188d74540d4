/**
 * One life of one scheduler in one scenario, in a process of its own: time is replaced, the scheduler is loaded and given its tasks,
 * and the steps are played up to a crash (then the process kills itself) or to the end. The trace is appended to a file, which
 * outlives it.
 */
import { createRecorder, type Recorder, type Work } from './recorder.ts';
import { type Scenario, type Step, scenarios, type Task } from './scenarios.ts';
import { SimulatedTime } from './time.ts';

export interface Life {
  readonly scheduler: string;
  readonly scenario: string;
  /** The first is 0; each crash ends one. */
  readonly number: number;
  readonly traceFile: string;
  readonly folder: string;
  /** The database of a scheduler that needs one. */
  readonly serverUrl?: string;
}

interface Stretch {
  /** The crash that came before, if one did. */
  readonly crashedAt: string | undefined;
  readonly start: string;
  readonly steps: readonly Step[];
  readonly isCutOff: boolean;
}

/** The steps of a scenario that belong to one life. */
function stretchOf({ start, steps }: Scenario, life: number): Stretch {
  let stretch: Stretch = { crashedAt: undefined, start, steps: [], isCutOff: false };
  let lives = 0;
  let now = start;
  for (const step of steps) {
    if (step.do === 'crash') {
      if (lives === life) return { ...stretch, isCutOff: true };
      lives++;
      stretch = { crashedAt: now, start: step.until, steps: [], isCutOff: false };
    } else {
      stretch = { ...stretch, steps: [...stretch.steps, step] };
    }
    now = step.do === 'set' ? step.to : step.until;
  }
  return stretch;
}

/** The work of a task: takes its time, fails as often as it should. */
function workOf({ takesMs, fails }: Task): Work {
  let run = 0;
  return async () => {
    const turn = run++;
    const ms = takesMs[turn];
    if (ms !== undefined) await new Promise((resolve) => setTimeout(resolve, ms));
    if (turn < fails) throw new Error('failed on purpose');
  };
}

/** What happens to the machine is on record too, or the scheduler would be blamed for it. */
async function playStep(step: Step, time: SimulatedTime, recorder: Recorder): Promise<void> {
  const from = time.now;
  const to = Date.parse(step.do === 'set' ? step.to : step.until);
  if (step.do === 'pass') await time.passUntil(to);
  if (step.do === 'freeze') time.freezeUntil(to);
  if (step.do === 'sleep') time.sleepUntil(to);
  if (step.do === 'set') time.set(to);
  if (step.do === 'freeze' || step.do === 'sleep') recorder.now({ event: 'Frozen', from, to });
  if (step.do === 'set') recorder.now({ event: 'ClockStep', from, to });
}

async function play(life: Life): Promise<void> {
  const scenario = scenarios.find(({ id }) => id === life.scenario);
  if (scenario === undefined) throw new Error(`No scenario is called ${life.scenario}`);
  const { crashedAt, start, steps, isCutOff } = stretchOf(scenario, life.number);
  const bornAt = Date.parse(start);
  const recorder = createRecorder(life.traceFile, life.number);
  const time = new SimulatedTime(bornAt);
  time.install();
  // The scheduler that is loaded now sees only simulated time.
  const { schedulers } = await import('./schedulers.ts');
  const scheduler = schedulers.find(({ name }) => name === life.scheduler);
  if (scheduler === undefined) throw new Error(`No scheduler is called ${life.scheduler}`);

  if (crashedAt !== undefined) {
    const at = Date.parse(crashedAt);
    recorder.write({ event: 'UnexpectedShutdown', at });
    recorder.write({ event: 'Frozen', at: bornAt, from: at, to: bornAt });
  }
  const { serverUrl } = life;
  if (scheduler.server !== undefined && serverUrl !== undefined) {
    const { followerOf } = await import('./server-time.ts');
    await time.followedBy(await followerOf(scheduler.server, serverUrl, time));
  }
  const stop = await scheduler.register({
    tasks: scenario.tasks.map((task) => ({ ...task, work: workOf(task) })),
    timeZone: scenario.timeZone,
    recorder,
    time,
    folder: life.folder,
    ...(serverUrl !== undefined && { serverUrl }),
  });
  for (const step of steps) await playStep(step, time, recorder);
  if (isCutOff) process.kill(process.pid, 'SIGKILL');
  const stopped = Promise.resolve(stop());
  // A scheduler that waits for running callbacks gets the time for it.
  await time.passUntil(time.now + 60 * 60_000);
  await stopped;
}

process.once('message', (life: Life) => {
  // Some leave timers behind, and the channel to the parent keeps a process alive too.
  play(life).then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
