/** `npm run bench`: every benchmark, or those that are named. `npm run bench -- --help` explains it. */
import { installFolder } from '../scripts/folder.ts';
import { benchmarks, documents } from './benchmarks.ts';
import { benchCommand } from './runner/command.ts';

process.exitCode = await benchCommand(process.argv.slice(2), benchmarks, documents, () =>
  installFolder('bench'),
);
