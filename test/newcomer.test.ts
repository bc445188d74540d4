/** The walk of a newcomer, through a repository that is as small as can be. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { walk } from '../scripts/newcomer.ts';
import type { Outcome } from './outcome.ts';
import { isRoot } from './unprivileged.ts';

const README = `A clone: \`npm ci\` takes 560 MB.

\`\`\`sh
npm ci && npm start     # Ctrl-C stops it
npm ci && npm test      # runs the tests
\`\`\`
`;
/** Stays until Ctrl-C. */
const START = `
process.on('SIGINT', () => process.exit(0));
console.log('Ctrl-C stops it');
setInterval(() => {}, 1000);
`;
/** Tells in which folder it was, how its permissions are, and who it is. */
const TEST = `
const { statSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');
console.log('mode', (statSync(dirname(process.cwd())).mode & 0o777).toString(8), 'home', process.env.HOME.startsWith(dirname(process.cwd())));
console.log('user', process.getuid() === statSync('.').uid, process.argv.slice(2).join(' '));
process.exit(3);
`;

const folder = mkdtempSync(join(tmpdir(), 'obbligato-newcomer-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A repository with these files. */
function repository(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(folder, 'repository-'));
  const scripts = { start: 'node start.js', test: 'node test.js' };
  const manifest = { name: 'small', version: '1.0.0', scripts };
  const all = {
    'README.md': README,
    'package.json': JSON.stringify({ ...manifest, dependencies: { part: 'file:part' } }),
    'package-lock.json': JSON.stringify({
      ...{ name: 'small', version: '1.0.0', lockfileVersion: 3, requires: true },
      packages: {
        '': { name: 'small', version: '1.0.0', dependencies: { part: 'file:part' } },
        'node_modules/part': { resolved: 'part', link: true },
        part: { version: '1.0.0' },
      },
    }),
    'part/package.json': '{ "name": "part", "version": "1.0.0" }',
    '.npmrc': 'offline=true\naudit=false\nupdate-notifier=false\n',
    'start.js': START,
    'test.js': '',
    ...files,
  };
  mkdirSync(join(root, 'part'));
  for (const [name, text] of Object.entries(all)) writeFileSync(join(root, name), text);
  const git = (...words: string[]): Buffer => execFileSync('git', words, { cwd: root });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=one', '-c', 'user.email=one@example.com', 'commit', '--quiet', '-m', 'all');
  return root;
}

const said: string[] = [];
const walked = (files: Readonly<Record<string, string>>, tests = '', asAnother = false): Promise<Outcome> =>
  walk({
    from: repository(files),
    asAnother,
    tests,
    signal: new AbortController().signal,
    say: (line) => said.push(line),
  });

describe('a newcomer', { concurrency: true }, () => {
  test('types both commands as they stand there, and hears how long they take and how large they are', async () => {
    const { violations, figures } = await walked({});
    assert.deepEqual(violations, []);
    assert.deepEqual(Object.keys(figures), ['npm start', 'npm test', 'installed', 'downloaded']);
    assert.match(String(figures.installed), /^\d+ MB$/);
    assert.ok(said.includes('$ npm ci && npm start') && said.includes('$ npm ci && npm test'));
  });

  test('is in a private folder with a home of its own; what fails there is told', async () => {
    const { violations } = await walked({ 'test.js': TEST }, 'one.test.ts');
    assert.equal(violations.length, 1);
    assert.match(violations[0], /^npm ci && npm test -- one\.test\.ts: exit code 3\n/);
    assert.match(violations[0], /mode 700 home true\n *user true one\.test\.ts/);
  });

  test('can be another user', { skip: isRoot ? false : 'only root can try that' }, async () => {
    const { violations } = await walked(
      { 'test.js': `${TEST.replace('exit(3)', 'exit(process.getuid())')}` },
      '',
      true,
    );
    assert.match(violations.join('\n'), /exit code 254\n[\s\S]*mode 700 home true\n *user true/);
  });

  test('sees a start that ends by itself, and an install that is larger than promised', async () => {
    const { violations } = await walked({
      'README.md': README.replace('560', '0'),
      'start.js': 'console.log("nothing to do")',
    });
    assert.equal(violations.length, 2);
    assert.match(violations[0], /^npm ci && npm start: exit code 0\n[\s\S]*nothing to do/);
    assert.match(violations[1], /^npm ci takes 1 MB; the README says 0$/);
  });
});
