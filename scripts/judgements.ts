/**
 * `npm run docs:judgements`: writes docs/judgements.md, what each other scheduler does in each scenario, and the table of docs/judging-others.md, from a run
 * of examples/judge-others/main.ts. It takes half an hour: some processes are really killed, and the schedulers that need PostgreSQL or Redis are played on
 * real ones, and their traces kept.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');
const fromSource = join(root, 'test/theory/fixtures/from-source.ts');
console.log('judging');
const { stdout } = await promisify(execFile)(
  process.execPath,
  ['--import', fromSource, 'examples/judge-others/main.ts', '--json', ...process.argv.slice(2)],
  { cwd: root, maxBuffer: 64 * 1024 * 1024 },
);
const { page, table, recordings }: { page: string; table: string; recordings: string[] } = JSON.parse(stdout);
const day = new Date().toISOString().slice(0, 10);
const when = `Judged on ${day} with Node ${process.version}. ${recordings.join('; ')}.`;
writeFileSync(
  join(root, 'docs/judgements.md'),
  `<!-- Made by \`npm run docs:judgements\`. -->

# Judged: each scheduler in each scenario

Each scheduler was played through thirteen scenarios under a simulated clock, in processes of its own, and its trace was judged by [the theory](theory.md).
${when}

**[How it is done](judging-others.md)** says how each was set up, what the scenarios are, and what is a rule of ours rather than a promise of
theirs. \`npm run example:judge -- node-schedule frozen\` prints one of them again.

**A cell leads** to what was broken. The table there is the part of the trace that proves it: the line of the record, or *derived* for a due instant.
✓ nothing is broken · ≠ its documentation has another rule · – not promised by its documentation · n/a it cannot be set up for the scenario.

${page}
`,
);
const others = join(root, 'docs/judging-others.md');
const block = /(<!-- judged -->\n)[\s\S]*?(<!-- \/judged -->)/;
writeFileSync(
  others,
  readFileSync(others, 'utf8').replace(
    block,
    (_, begin: string, end: string) => `${begin}\n${when}\n\n${table}\n\n${end}`,
  ),
);
console.log('docs/judgements.md, docs/judging-others.md');
