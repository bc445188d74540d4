/**
 * `npm run way`: how many files and functions of `src` are on the way of one `initialize`, one due minute and one request of an operator.
 * Only the main thread is counted.
 *
 *     npm run way                 a table
 *     npm run way -- --files      and the functions of each file
 *     npm run way -- --json       the same as JSON
 */
import { parseArgs } from 'node:util';
import { waysOnFile, waysOnPostgres } from './way/scenes.ts';

const { values } = parseArgs({ options: { files: { type: 'boolean' }, json: { type: 'boolean' } } });
const ways = [...(await waysOnFile()), ...(await waysOnPostgres())].map(({ name, called }) => ({
  name,
  files: called.size,
  functions: [...called.values()].flat().length,
  called: Object.fromEntries(called),
}));

if (values.json) console.log(JSON.stringify(ways, undefined, 2));
else
  for (const { name, files, functions, called } of ways) {
    console.log(
      `${name.padEnd(26)} ${String(files).padStart(4)} files ${String(functions).padStart(5)} functions`,
    );
    if (values.files)
      for (const [file, names] of Object.entries(called)) console.log(`  ${file}: ${names.join(', ')}`);
  }
