/** What `npm pack` makes, installed into an empty folder as a stranger would. It needs no network. */
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);
export const root = join(import.meta.dirname, '../..');
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

export interface Packed {
  readonly tarball: string;
  /** The paths of the files in the tarball. */
  readonly paths: readonly string[];
}

/** The folder is the stranger's. The tarball lies there too. */
export async function packInto(folder: string): Promise<Packed> {
  const { stdout } = await run('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', folder], {
    cwd: root,
  });
  const [{ filename, files }]: [{ filename: string; files: { path: string }[] }] = JSON.parse(
    stdout.slice(stdout.indexOf('[')),
  );
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
  );
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`], { cwd: folder });
  // An optional peer: who uses the door that needs it has it.
  const peer = join('node_modules', '@opentelemetry', 'api');
  cpSync(join(root, peer), join(folder, peer), { recursive: true });
  return {
    tarball: join(folder, filename),
    paths: files.map(({ path }) => path),
  };
}
