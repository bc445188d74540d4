/** What scenes are made of. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './stage.ts';

/** Puts the scene into a place; what it answers ends whatever still runs there. */
export type Scene = (place: Place) => Promise<(() => void) | undefined>;

export const NOTHING = '() => {}';

export function writeConfig(folder: string, list: readonly (readonly [string, string, string?])[]): void {
  mkdirSync(folder, { recursive: true });
  const lines = list.map(
    ([name, cron, callback = NOTHING]) => `    ['${name}', '${cron}', ${callback}, minutes(5)],\n`,
  );
  writeFileSync(
    join(folder, 'obbligato.config.ts'),
    `import { defineConfig, minutes } from 'obbligato';\n\nexport default defineConfig({\n  timeZone: 'Europe/Stockholm',\n  tasks: [\n${lines.join('')}  ],\n});\n`,
  );
}
