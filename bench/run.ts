/** `npm run bench` runs every benchmark; `npm run bench -- cron` only those whose file name contains "cron". */
import { globSync } from 'node:fs';
import { machine } from './harness.ts';

const wanted = process.argv.slice(2);
const files = globSync('*.bench.ts', { cwd: import.meta.dirname })
  .filter((file) => wanted.length === 0 || wanted.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) {
  console.error(
    `No benchmark is called ${wanted.join(' or ')}. There are: ${globSync('*.bench.ts', {
      cwd: import.meta.dirname,
    })
      .sort()
      .join(', ')}`,
  );
  process.exitCode = 2;
} else {
  console.log(`npm run bench${wanted.length > 0 ? ` -- ${wanted.join(' ')}` : ''}\n${machine()}`);
  for (const file of files) await import(`./${file}`);
}
