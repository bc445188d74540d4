/** Plays a scheduler through a scenario, a process for each of its lives, and has the trace judged. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTrace } from 'obbligato';
import { checkTrace, type Verdict, type Violation } from 'obbligato/theory';
import type { Life } from './life.ts';
import { aboutOf, keepTrace, tracePath } from './recorded.ts';
import type { Scenario } from './scenarios.ts';
import type { Scheduler } from './schedulers.ts';
import { Servers } from './servers.ts';

export interface Broken {
  readonly axiom: string;
  readonly count: number;
  /** The first time: one sentence, and the few events that prove it. */
  readonly because: string;
  readonly events: Violation['events'];
}

export interface Judgement {
  readonly scheduler: string;
  readonly scenario: string;
  readonly conformant: boolean;
  /** How many runs began. */
  readonly starts: number;
  /** The axioms that the scheduler broke. */
  readonly broken: readonly Broken[];
  /** What the trace breaks besides, that is not the scheduler's to keep: after an overlap, ends that belong to no run in sight. */
  readonly besides: readonly string[];
  /** Why there is nothing to judge: it cannot be set up for the scenario, or it was not run. */
  readonly unjudged?: { readonly why: 'cannot' | 'not run'; readonly words: string };
}

/** Some eighty processes load the same few modules: they share what was compiled, where Node does by default. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'node-compile-cache');

/** Plays all lives; answers the file of the trace. */
async function play(
  scheduler: Scheduler,
  scenario: Scenario,
  folder: string,
  serverUrl: string | undefined,
): Promise<string> {
  const traceFile = join(folder, 'trace.jsonl');
  const TZ = scheduler.zoneFrom === 'host' ? scenario.timeZone : 'UTC';
  for (let number = 0; ; number++) {
    const life: Life = {
      scheduler: scheduler.name,
      scenario: scenario.id,
      number,
      traceFile,
      folder,
      ...(serverUrl !== undefined && { serverUrl }),
    };
    const child = fork(join(import.meta.dirname, 'life.ts'), {
      env: { NODE_COMPILE_CACHE, ...process.env, TZ },
    });
    child.send(life);
    const [code, signal] = await once(child, 'exit');
    if (code === 0) return traceFile;
    if (signal !== 'SIGKILL') throw new Error(`${scheduler.name} did not live through "${scenario.id}"`);
  }
}

/**
 * A scheduler that needs a server is played if there are servers, and then its trace is kept; else the trace that was kept is judged. All
 * others are played every time.
 */
export async function judge(
  scheduler: Scheduler,
  scenario: Scenario,
  servers: Servers | undefined,
): Promise<Judgement> {
  const { name, server, cannot } = scheduler;
  const words = cannot?.[scenario.id];
  if (words !== undefined) return unjudged(scheduler, scenario, 'cannot', words);
  const folder = mkdtempSync(join(tmpdir(), 'judge-others-'));
  try {
    if (server === undefined)
      return await judgeTrace(scheduler, scenario, await play(scheduler, scenario, folder, undefined));
    const missing = servers === undefined ? aboutOf(name).notRun : Servers.missing(server);
    if (missing !== undefined) return unjudged(scheduler, scenario, 'not run', missing);
    if (servers !== undefined)
      keepTrace(name, scenario.id, await play(scheduler, scenario, folder, await servers.place(server)));
    const kept = tracePath(name, scenario.id);
    if (!existsSync(kept)) return unjudged(scheduler, scenario, 'not run', 'no trace was recorded');
    return await judgeTrace(scheduler, scenario, kept);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const unjudged = (
  { name }: Scheduler,
  { id }: Scenario,
  why: 'cannot' | 'not run',
  words: string,
): Judgement => ({
  scheduler: name,
  scenario: id,
  conformant: false,
  starts: 0,
  broken: [],
  besides: [],
  unjudged: { why, words },
});

async function judgeTrace(scheduler: Scheduler, scenario: Scenario, traceFile: string): Promise<Judgement> {
  let starts = 0;
  const counted = async function* () {
    for await (const entry of readTrace(traceFile)) {
      if (entry.record?.event === 'RunStart') starts++;
      yield entry;
    }
  };
  // The theorems add what is said most plainly: Q2, that a task does not overlap itself.
  const verdict = await checkTrace(counted(), { theory: ['scheduler', 'environment', 'theorems'] });
  return { scheduler: scheduler.name, scenario: scenario.id, starts, ...summary(verdict) };
}

function summary({ conformant, axioms }: Verdict): Pick<Judgement, 'conformant' | 'broken' | 'besides'> {
  const broken: Broken[] = [];
  const besides: string[] = [];
  for (const [axiom, { violations, count }] of Object.entries(axioms)) {
    const [first] = violations;
    if (first === undefined) continue;
    if (first.blame === 'environment') besides.push(axiom);
    else broken.push({ axiom, count, because: first.because, events: first.events });
  }
  return { conformant, broken, besides };
}
