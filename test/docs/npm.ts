/** What pages ask of npm, against package.json: what they name must be there, and take the arguments that they give it. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { orderOf, UsageError } from '../../scripts/campaigns/order.ts';
import { namesOf } from '../../scripts/campaigns/plan.ts';
import { CAMPAIGNS } from '../../scripts/campaigns/table.ts';
import { root } from './pages.ts';

const { scripts, devDependencies, peerDependencies, version } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const packages = new Set(['obbligato', ...Object.keys(devDependencies), ...Object.keys(peerDependencies)]);

/** Its name without a version; of a packed file, this one's. */
const packageOf = (word: string): string =>
  word.endsWith(`obbligato-${version}.tgz`) ? 'obbligato' : word.replace(/(?<=.)@.*$/, '');

/** Says what is wrong with `npm <words>`, or nothing. */
export async function complaintAbout(words: readonly string[]): Promise<string | undefined> {
  const [verb, ...rest] = words;
  if (verb === 'ci') return existsSync(join(root, 'package-lock.json')) ? undefined : 'there is no lock file';
  if (['init', 'pack', 'pkg', 'audit'].includes(verb)) return undefined;
  if (verb === 'install' || verb === 'i' || verb === 'add')
    return rest
      .filter((word) => !word.startsWith('-') && !packages.has(packageOf(word)))
      .map((name) => `this project knows no package ${name}`)[0];
  if (verb === 'test' || verb === 'start') return verb in scripts ? undefined : `no script ${verb}`;
  if (verb !== 'run') return `"npm ${verb}" is not known to this test`;
  const [script, separator, ...args] = rest.filter((word) => word !== '--silent');
  if (!(script in scripts)) return `no script ${script}`;
  if (separator === undefined) return undefined;
  return separator === '--' ? refusal(script, args) : `arguments of a script stand behind --`;
}

/** Scripts that are silent for long, need a file, build first, or commit and tag: how their arguments look. */
const SHAPES: Readonly<Record<string, RegExp>> = {
  release: /^\d+\.\d+\.\d+$/,
  'docs:site': /^--serve$/,
  'example:judge': /^[a-z][a-z-]*( [a-z][a-z-]*)*$/,
};

/** A script that can say what it would do: what to add for that. */
const ONLY_SAYS: Readonly<Record<string, readonly string[]>> = { bench: ['--list'] };

const known = new Map<string, Promise<string | undefined>>();

/** A script that takes long is started with its arguments; what gets to its first word has understood them, and is ended. */
async function refusal(script: string, args: readonly string[]): Promise<string | undefined> {
  if (script in SHAPES)
    return SHAPES[script].test(args.join(' ')) ? undefined : `it does not take ${args.join(' ')}`;
  if (script === 'campaign') return refusedCampaign(args);
  const name = [script, ...args].join(' ');
  const answer = known.get(name) ?? tryOut(script, args);
  known.set(name, answer);
  return answer;
}

function refusedCampaign(args: readonly string[]): string | undefined {
  try {
    const { chosen = [], words } = orderOf(CAMPAIGNS, args);
    for (const campaign of chosen) namesOf(campaign, words);
    return undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.message;
  }
}

function tryOut(script: string, args: readonly string[]): Promise<string | undefined> {
  const [program, ...words]: string[] = scripts[script].split(' ');
  if (program !== 'node') return Promise.resolve(`it is not known how to try "${scripts[script]}"`);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...words, ...args, ...(ONLY_SAYS[script] ?? [])], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    let isTold = false;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
        isTold ||= said.includes('\n');
        if (isTold && !/^Usage|^error:|Error/m.test(said)) child.kill('SIGKILL');
      });
    child.once('close', (code) =>
      resolve(isTold && (code === 0 || code === null) ? undefined : `it exits with ${code}: ${said}`),
    );
  });
}
