/**
 * `npm run sbom`: the list of the package's parts at run time, as CycloneDX on standard output. npm calls the package after the folder that it lies in;
 * the list has its real name.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const words =
  'sbom --package-lock-only --loglevel=error --sbom-format cyclonedx --sbom-type library --omit dev --omit optional --omit peer';
const list = JSON.parse(execFileSync('npm', words.split(' '), { cwd: root, encoding: 'utf8' }));
list.metadata.component.name = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name;
console.log(JSON.stringify(list, null, 2));
