/**
 * `node scripts/release/ready.ts v1.2.3`: whether the tag, package.json, the lock file and the changelog speak of the same version, and npm can
 * attest where it comes from. `--notes` prints the notes of that version. Exits with 1 and the reasons if something does not fit.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { notesOf } from './changelog.ts';

/** What speaks against a release of this tag from this folder. */
export function objections(tag: string, folder: string): string[] {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const manifest = JSON.parse(read('package.json'));
  const lock = JSON.parse(read('package-lock.json'));
  const notes = notesOf(read('CHANGELOG.md'), manifest.version);
  return [
    ...(tag === `v${manifest.version}`
      ? []
      : [`the tag is ${tag}, and package.json has version ${manifest.version}`]),
    ...(lock.version === manifest.version
      ? []
      : [`package-lock.json has version ${lock.version}: run npm install`]),
    ...(notes ? [] : [`CHANGELOG.md has no notes for ${manifest.version}: run npm run release`]),
    ...(manifest.repository === undefined
      ? [
          'package.json has no "repository", and npm attests no provenance without it: write its address there',
        ]
      : []),
  ];
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  const [tag = '', option] = process.argv.slice(2);
  const found = objections(tag, root);
  for (const each of found) console.error(`not ready: ${each}`);
  process.exitCode = found.length === 0 ? 0 : 1;
  if (option === '--notes' && found.length === 0)
    console.log(notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), tag.slice(1)));
}
