/** Builds the site into a folder. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vitepress';

export interface BuildOptions {
  /** The folder that the pages are written to. It is emptied first. */
  readonly out: string;
  /** The path below which the site will be served. */
  readonly base?: string;
}

export async function buildSite({ out, base = '/' }: BuildOptions): Promise<void> {
  // VitePress would keep its half-made pages next to its configuration, where two builds at once would take each other's. They
  // must lie where Node finds the packages that they import.
  const cache = join(import.meta.dirname, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const half = mkdtempSync(join(cache, 'site-'));
  try {
    await build(import.meta.dirname, {
      outDir: resolve(out),
      emptyOutDir: true,
      base,
      onAfterConfigResolve: (config) => {
        config.tempDir = half;
      },
    });
    // Files that pages give to take along: alert rules, a dashboard for Grafana.
    cpSync(join(import.meta.dirname, '../docs/telemetry'), join(resolve(out), 'telemetry'), {
      recursive: true,
    });
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}
