/** Threads that run the file which starts them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const program = join(import.meta.dirname, 'fixtures/own-thread.ts');
const said = (word: string): string =>
  execFileSync(process.execPath, ['--no-warnings', program, word], { encoding: 'utf8' });

describe('a thread that runs its own file', () => {
  test('is given its options, and none of the flags of the process', () => {
    assert.equal(said('word'), 'started with word, flags: \n');
  });

  test('is not started again and again by a bundle, which says what to do', () => {
    assert.equal(
      said('bundled'),
      'Error: the store was bundled into the program: keep "obbligato" external, its thread runs its own file\n',
    );
  });
});
