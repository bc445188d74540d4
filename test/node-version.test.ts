import assert from 'node:assert/strict';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { test } from 'node:test';
import { VERSIONS } from '../scripts/other-node.ts';

const root = dirname(import.meta.dirname);
const { devDependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));

// Without its install script the `node` package leaves no binary, and npm scripts fall through to whatever
// Node is on the PATH without a word. Then every other test would speak of the wrong runtime.
test('the suite runs on a Node that the project pins, not on the machine’s own', () => {
  const home = dirname(dirname(realpathSync(process.execPath)));
  assert.ok(
    !relative(`${root}/node_modules`, home).startsWith('..'),
    `tests run on ${process.execPath}; run them with "npm test", after "npm ci" with install scripts allowed`,
  );
  assert.ok(
    [devDependencies.node, ...Object.values(VERSIONS)].includes(process.versions.node),
    `Node ${process.versions.node} is none of those that the project pins`,
  );
});
