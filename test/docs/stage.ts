/**
 * Where the commands of a page run: a folder of its own that has what pages suppose, with this project's command line behind
 * `obbligato` and `npx obbligato`. What a page calls `/srv/jobs` is the working directory, and its other absolute paths lie beside it,
 * so that no command touches the machine.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './pages.ts';

const main = join(root, 'src/cli/main.ts');

export interface Stage {
  /** The folder of all, to be removed at the end. */
  readonly folder: string;
  /** A new place with nothing in it but empty folders. */
  place(): Place;
}

export interface Place {
  /** What stands for `/` in the commands. */
  readonly root: string;
  /** What stands for `/srv/jobs`: where the commands begin. */
  readonly jobs: string;
  readonly env: NodeJS.ProcessEnv;
  /** What npm was asked for here, line by line. */
  npmCalls(): string[];
}

/** The programs that pages call and that must not be the machine's own. */
function programs(hello: string): Readonly<Record<string, string>> {
  const node = quoted(process.execPath);
  return {
    obbligato: `exec ${node} ${quoted(main)} "$@"`,
    npx: 'exec "$@"',
    node: `exec ${node} "$@"`,
    // It is not ours to test, takes minutes and needs a network: what it is asked for is written down, and checked against package.json.
    npm: `printf '%s\\n' "$*" >> "$NPM_CALLS"
case "$1" in
  start) exec ${node} ${quoted(main)} run ${quoted(hello)} ;;
  init) printf '{ "type": "module" }\\n' > package.json ;;
esac`,
    // Not every machine has it. It is a reader of JSON Lines that goes on until they end, also at Ctrl-C.
    jq: `trap '' INT
exec ${node} -e 'process.on("SIGINT", () => {}); require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => console.log(JSON.stringify(JSON.parse(line))))'`,
  };
}

/** A word for a shell, whatever is in it. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Ctrl-C waits for what runs, and the test need not wait twenty seconds to see that. */
export const quick = (code: string): string => code.replaceAll('sleep(20_000)', 'sleep(20)');

export function createStage(): Stage {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'obbligato-docs-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const hello = join(folder, 'hello');
  mkdirSync(hello);
  for (const file of readdirSync(join(root, 'examples/hello')).filter((name) => name.endsWith('.ts')))
    writeFileSync(join(hello, file), quick(readFileSync(join(root, 'examples/hello', file), 'utf8')));
  for (const [name, script] of Object.entries(programs(hello))) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  linkPackages(folder);
  let count = 0;
  const place = (): Place => {
    const top = join(folder, 'places', String(++count));
    const jobs = join(top, 'srv/jobs');
    for (const each of [
      jobs,
      join(top, 'var/lib/jobs'),
      join(top, 'etc'),
      join(top, 'tmp'),
      join(top, 'home/.config/fish/completions'),
    ])
      mkdirSync(each, { recursive: true });
    const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, FORCE_COLOR: _force, ...rest } = process.env;
    const calls = join(top, 'npm-calls');
    const PATH = `${bin}:${dirname(process.execPath)}:${rest.PATH}`;
    return {
      root: top,
      jobs,
      env: {
        ...rest,
        PATH,
        HOME: join(top, 'home'),
        TZ: 'UTC',
        NPM_CALLS: calls,
        // The sources are stripped of their types once, not for each command.
        NODE_COMPILE_CACHE: join(folder, 'cache'),
      },
      npmCalls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : []),
    };
  };
  return { folder, place };
}

/** Every package that is installed here, and this one itself, which is resolved as a stranger would, to its sources. */
function linkPackages(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  const self = join(folder, 'self');
  mkdirSync(self);
  symlinkSync(join(root, 'src'), join(self, 'src'));
  // Node strips no types below node_modules, and looks at where a link leads: outside.
  symlinkSync(self, join(modules, 'obbligato'));
  const { exports: doors } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const sources = Object.entries<string | { default: string }>(doors).flatMap(([door, target]) =>
    typeof target === 'string'
      ? []
      : [[door, target.default.replace('/dist/', '/src/').replace(/\.js$/, '.ts')]],
  );
  writeFileSync(
    join(self, 'package.json'),
    JSON.stringify({ name: 'obbligato', type: 'module', exports: Object.fromEntries(sources) }),
  );
}

export const removeStage = ({ folder }: Stage): void => rmSync(folder, { recursive: true, force: true });
