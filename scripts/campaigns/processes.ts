/**
 * Campaigns that are commands of their own: each unit is one process, and the verdict is its exit code.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type FolderName, folderNames, folderPath } from '../folder.ts';
import { type Campaign, named } from './campaign.ts';

const ROOT = dirname(dirname(import.meta.dirname));

interface Command extends Pick<Campaign, 'name' | 'what' | 'unit' | 'whole' | 'takes'> {
  /** The words behind `node` for a unit. */
  words(unit: string): readonly string[];
}

const files = (...patterns: string[]): readonly string[] => globSync(patterns, { cwd: ROOT }).sort();
const testFile = (file: string): readonly string[] => ['--test', '--test-reporter=spec', file];
/** Property tests draw from one seed in the suite, and from new ones here. */
const hasSample = (file: string): boolean =>
  /\bfrom '(\.\.?\/)+(sample|property)\.ts'/.test(readFileSync(join(ROOT, file), 'utf8'));

const FOLDERS: Readonly<Record<FolderName, Pick<Command, 'what' | 'takes'>>> = {
  package: { what: 'failures of the packed tarball in the hands of strangers', takes: 'three minutes' },
  site: { what: 'failures of the documentation site, in a real browser', takes: 'some minutes' },
  judge: { what: 'failures of the programs that judge other schedulers', takes: 'a minute' },
  bench: { what: 'wrong types in the benchmarks', takes: 'seconds' },
};

const COMMANDS: readonly Command[] = [
  {
    name: 'faults',
    what: 'planted faults that no test finds: all of them, where `npm test` plays a sample',
    unit: 'files',
    whole: (words) => named(files('test/**/{*mutants,*faults}.test.ts'))(words),
    takes: 'half an hour',
    words: testFile,
  },
  {
    name: 'suite',
    what: 'failures of the test files of which `npm test` plays a sample, played whole',
    unit: 'files',
    whole: (words) => named(files('test/**/*.test.ts').filter(hasSample))(words),
    takes: 'half an hour',
    words: testFile,
  },
  {
    name: 'anywhere',
    what: 'tests that fail in a private folder, as another user, in odd paths, zones and languages, or beside busy loops',
    unit: 'run',
    whole: named(['--long']),
    takes: 'hours',
    words: (option) => ['scripts/anywhere.ts', option],
  },
  ...folderNames.map((name) => ({
    name,
    ...FOLDERS[name],
    unit: 'folder',
    whole: named([folderPath(name)]),
    words: () => ['scripts/folder.ts', name, '--play'],
  })),
];

/** As many lines of a process that failed are shown. */
const LAST_LINES = 20;

const campaignOf = ({ words, ...about }: Command): Campaign => ({
  ...about,
  portion: 1,
  async play({ units, signal, advance }) {
    const [unit] = units;
    // Not `signal` for the process: it is to clean up, and is waited for.
    const child = spawn(process.execPath, words(unit), {
      cwd: ROOT,
      env: { ...process.env, OBBLIGATO_SAMPLE: 'all' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const end = (): void => void child.kill('SIGINT');
    signal.addEventListener('abort', end, { once: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const [code, killedBy] = await once(child, 'close');
    signal.removeEventListener('abort', end);
    signal.throwIfAborted();
    advance();
    if (code === 0) return { done: 1, figures: {}, violations: [] };
    const last = output.trimEnd().split('\n').slice(-LAST_LINES).join('\n    ');
    return { done: 1, figures: {}, violations: [`${unit} ends with ${code ?? killedBy}:\n    ${last}`] };
  },
});

export const processes: readonly Campaign[] = COMMANDS.map(campaignOf);
