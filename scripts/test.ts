/**
 * Runs the tests on the TypeScript sources: `npm test` all of them, `npm test -- <file or pattern>…` those, `npm run test:quick`
 * (`--quick`) what is done in a minute and a half, and on another version of Node (`--on node22`) what depends on the version; the
 * campaigns (worlds, kills, proofs, random formulas) do not.
 *
 * Hundreds of tests start processes of their own. What Node has compiled for one of them is kept for the next, which makes their
 * start several times faster where the version of Node can do so for TypeScript.
 */
import { spawn } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FILE_PATIENCE_MS } from '../test/patience.ts';
import { otherNode } from './other-node.ts';

const everything = ['test/**/*.test.ts'];
const versionDependent = [
  'test/*.test.ts',
  'test/{cli,command,core,cron,executor,scheduler,store,text,time,trace}/**/!(store-mutants|*-faults).test.ts',
  'test/theory/{axioms,compute,cron-fields,due,malformed,repairs,repairs-*}.test.ts',
  'test/simulation/{corpus,disk}.test.ts',
  'test/testing/clock.test.ts',
  'test/dashboard/{answers,attack,attack-access,mounting,page}.test.ts',
];

/** What takes most of the time of `npm test`, and why; `npm run test:quick` leaves it out. */
export const slow = [
  ['real kills', 'test/{crash/crash,store/kills}.test.ts'],
  ['attacks on real processes', 'test/attack/attack.test.ts'],
  [
    'planted faults',
    'test/{store/store-mutants,cli/cli-faults,scheduler/scheduler-faults,cron/cron-faults,dashboard/dashboard-faults,executor/executor-faults,simulation/mutants,theory/*mutants,executor/model/mutants}.test.ts',
  ],
  [
    'simulated worlds',
    'test/simulation/{world,world-more,many-lists,crash-points,judges,wal,cluster/faults,cluster/worlds}.test.ts',
  ],
  [
    'the store in all its kinds, with owners that die',
    'test/store/{conformance,identity,inspect,ownership,thread-death,fold,files}.test.ts',
  ],
  [
    'the oracle against its definitions',
    'test/theory/{agreement,contradictions,due,errata,growth,hand-checks,oracle-game,proof,random-lives,raw-records,reference,review,silence}.test.ts',
  ],
  ['the model checker', 'test/executor/model/*.test.ts'],
  ['random and foreign cron expressions', 'test/cron/{calendar,croner,fuzz,properties,transitions}.test.ts'],
  [
    'the page over HTTP and in a real browser',
    'test/dashboard/{browser,accessible,answers,attack,views,lost,lanes,operators,unfinished}.test.ts',
  ],
  ['instances on a real PostgreSQL', 'test/{cluster,store/postgres,way}/*.test.ts'],
  [
    'schedulers and programs in processes of their own',
    'test/{scheduler/{exit,judged,lifecycle-orders},command/leftover,trace/{watcher,processes}}.test.ts',
  ],
  ['the command of the benchmarks', 'test/bench/{bench,databases}.test.ts'],
  [
    'the documents, the package, the examples',
    'test/{docs/*,package,publishing/*,examples,newcomer}.test.ts',
  ],
  [
    'commands in many processes, or on terminals',
    'test/cli/{check,check-cluster,config,completion,completion-shells,config-loading,confirm,controls,dashboard,demo,doctor,forget,frame,health,history,hostile-text,import,import-doubts,init,list,live,live-*,logs,move,narrow,output-lost,plan,postgres,postgres-operating,reader,reload,repair,run,run-*,schema,simulate,slow-reader,status,store-taken,subject,target,unprivileged,watch}.test.ts',
  ],
] as const;

const root = join(import.meta.dirname, '..');

/** The files of the suite, or those of it that a pattern means. */
export const testFiles = (pattern = everything[0]): string[] => globSync(pattern, { cwd: root }).sort();

/** All files but the slow ones; says which those are. */
function quick(): string[] {
  const left = new Set(testFiles());
  for (const [what, pattern] of slow) {
    const found = testFiles(pattern).filter((file) => left.delete(file));
    if (found.length === 0) throw new Error(`there is no file ${pattern}`);
    console.log(`left out: ${what} (${found.length === 1 ? found[0] : `${found.length} files`})`);
  }
  return [...left];
}

function main(): void {
  const { values, positionals } = parseArgs({
    options: { on: { type: 'string' }, quick: { type: 'boolean' } },
    allowPositionals: true,
  });
  const modules = join(root, 'node_modules');
  const node = values.on === undefined ? process.execPath : otherNode(values.on, modules);
  const whole = values.on === undefined ? everything : versionDependent;
  const compiled = join(modules, '.cache', 'compiled');
  // The tests write programs of their own too, each time others: without this the folder would only grow.
  rmSync(compiled, { recursive: true, force: true });
  run(node, positionals.length > 0 ? positionals : values.quick ? quick() : whole, compiled);
}

function run(node: string, patterns: readonly string[], compiled: string): void {
  const tests = spawn(
    node,
    [
      '--test',
      '--test-concurrency=2',
      `--test-timeout=${FILE_PATIENCE_MS}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${join(import.meta.dirname, 'slowest.ts')}`,
      '--test-reporter-destination=stdout',
      ...patterns,
    ],
    { stdio: 'inherit', env: { ...process.env, NODE_COMPILE_CACHE: compiled } },
  );
  // Ctrl-C reaches the tests as well, and they are waited for, so that they can clean up.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => tests.kill('SIGTERM'));
  tests.on('error', (error) => {
    console.error(`${node} cannot be started: ${error.message}`);
    process.exitCode = 1;
  });
  tests.on('exit', (code, signal) => {
    process.exitCode = code ?? 1;
    if (signal !== null) console.error(`the tests were ended by ${signal}`);
  });
}

if (import.meta.main) main();
