/** The program of the Chromium that `npm ci` brings along, unpacked. */
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import packageFile from '../package.json' with { type: 'json' };
import { madeOnce } from './made-once.ts';

const VERSION = packageFile.devDependencies['@sparticuz/chromium'];

export async function chromiumProgram(): Promise<string> {
  const folder = join(tmpdir(), `obbligato-chromium-${VERSION}-${userInfo().uid}`);
  await madeOnce(folder, unpackInto);
  return join(folder, 'chromium');
}

async function unpackInto(folder: string): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder; // it unpacks where temporary files go
  try {
    await chromium.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
