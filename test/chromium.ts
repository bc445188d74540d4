/**
 * The program of the Chromium that `npm ci` brings along, unpacked. Several test files need it at the same time, and the first ones on a new
 * machine find nothing: each then unpacks into a folder of its own, and the first that is done gives its folder the name that all look for.
 * A folder gets its name in one step, so nobody starts a program that is still being written.
 */
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import packageFile from '../package.json' with { type: 'json' };

const VERSION = packageFile.devDependencies['@sparticuz/chromium'];

export async function chromiumProgram(): Promise<string> {
  const shared = join(tmpdir(), `obbligato-chromium-${VERSION}-${userInfo().uid}`);
  if (!existsSync(shared)) await unpackInto(shared);
  return join(shared, 'chromium');
}

async function unpackInto(shared: string): Promise<void> {
  const own = mkdtempSync(`${shared}-`);
  const before = process.env.TMPDIR;
  process.env.TMPDIR = own; // it unpacks where temporary files go
  try {
    await chromium.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  try {
    renameSync(own, shared);
  } catch {
    rmSync(own, { recursive: true, force: true }); // another one was faster
  }
}
