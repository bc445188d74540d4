/**
 * A folder that several test processes need, made by the first of them. Each that finds nothing makes one of its own, and the first that is done
 * gives its folder the name that all look for. That is one step, so nobody uses a folder that is still being filled.
 */
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';

export async function madeOnce(folder: string, fill: (own: string) => void | Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  const own = mkdtempSync(`${folder}-`);
  await fill(own);
  try {
    renameSync(own, folder);
  } catch {
    rmSync(own, { recursive: true, force: true }); // another one was faster
  }
}
