/**
 * A readable name for a task, from the command that it runs: `backup` for `cd /srv && nice -n 10 ./bin/backup.sh --all`.
 *
 * Names are in every log line, trace and status, and a command may hold a password or a token. So a name is made of the program and what
 * it is asked to do, or the host that it talks to; never of an option's value, the rest of an address, an assignment, or a piece of code.
 */

/** Commands that prepare something; the work comes behind them. */
const PREPARING = /^(cd|test|\[|\[\[|export|set|source|\.|umask|sleep|echo|true|:|mkdir)$/;
/** Programs that run another one, which is what the task is about. */
const WRAPPING =
  /^(nice|ionice|nohup|timeout|flock|sudo|env|exec|chronic|cronic|time|setsid|run-one|systemd-cat|chrt|command)$/;
const SHELL = /^(bash|sh|dash|zsh)$/;
const INTERPRETER = /^(php|python|node|ruby|perl|bash|sh|dash|zsh|tsx|deno|bun|java)[\d.]*$/;
/** Programs that do many things: what they are asked to do belongs to the name. */
const MANY_SIDED =
  /^(artisan|manage|npm|npx|pnpm|yarn|rake|rails|docker|docker-compose|kubectl|git|systemctl|aws|gcloud|wp|bundle|make|run-parts|console|drush|apt|apt-get)$/;
/** Programs that talk to a host. */
const REMOTE = /^(curl|wget)$/;
/** Options of wrappers whose value is a word of its own: `nice -n 10`, `sudo -u app`. */
const WITH_VALUE = /^-(n|u|c|g|w|k|s|t|p)$/;

const MAX_LENGTH = 40;

/** A name for a command; 'task' if nothing better can be found. */
export function nameOf(command: string): string {
  const segments = segmentsOf(command).map(wordsOf);
  const working = segments.find(([first]) => first !== undefined && !PREPARING.test(first)) ?? segments[0];
  return slug(programOf(working)) || 'task';
}

/** Names in order, each different from the others: `backup`, `backup-2`. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  /** For each name that was wanted more than once, the number to try next: all below it are taken. */
  readonly #next = new Map<string, number>();

  take(wanted: string): string {
    let name = wanted;
    let count = this.#next.get(wanted) ?? 2;
    while (this.#taken.has(name)) name = `${wanted}-${count++}`;
    this.#next.set(wanted, count);
    this.#taken.add(name);
    return name;
  }
}

/** A piece of a word: an escaped character, a text in quotes, or characters without a meaning of their own. */
const PIECE = String.raw`\\.|"(?:\\.|[^"\\])*"|'[^']*'`;

/** The commands of a line, apart at `&&`, `||`, `;` and `|`, but not within quotes. */
function segmentsOf(line: string): string[] {
  const segments = [''];
  for (const [piece] of line.matchAll(new RegExp(`${PIECE}|&&|\\|\\||[;|]|[^\\\\"'&;|]+|.`, 'gs'))) {
    if (/^(&&|\|\||[;|])$/.test(piece)) segments.push('');
    else segments.push((segments.pop() ?? '') + piece);
  }
  return segments;
}

/** Words as a shell would see them, nearly: quotes hold together, redirections and assignments in front are left out. */
function wordsOf(segment: string): string[] {
  const words = [...segment.matchAll(new RegExp(`(?:${PIECE}|[^\\s\\\\"'])+`, 'gs'))].map(([word]) =>
    unquoted(word),
  );
  const plain = words.filter((word) => !/^\d*[<>]/.test(word) && !/^[({]$/.test(word));
  const first = plain.findIndex((word) => !/^\w+=/.test(word));
  return first === -1 ? [] : plain.slice(first).map((word) => word.replace(/^[({]+/, ''));
}

const unquoted = (word: string): string =>
  word.replace(new RegExp(PIECE, 'gs'), (piece) =>
    piece.startsWith('\\') ? piece.slice(1) : piece.slice(1, -1),
  );

function programOf(words: readonly string[]): string {
  const [first, ...rest] = words;
  if (first === undefined) return '';
  const program = baseName(first);
  if (WRAPPING.test(program)) {
    const inner = behindOptions(program, rest);
    return inner.length > 0 ? programOf(inner) : program;
  }
  if (INTERPRETER.test(program)) return scriptOf(program, rest);
  return withSubcommand(program, rest);
}

/** What a wrapper runs: its options, their values, and a lock file or a time limit are passed over. */
function behindOptions(wrapper: string, words: readonly string[]): readonly string[] {
  let index = 0;
  while (index < words.length && words[index].startsWith('-'))
    index += WITH_VALUE.test(words[index]) && !(wrapper === 'flock' && words[index] === '-n') ? 2 : 1;
  if (wrapper === 'flock' || wrapper === 'timeout') index++;
  while (wrapper === 'env' && /^\w+=/.test(words[index] ?? '')) index++;
  // `flock file -c "command"` has the command in one word.
  if (words[index] === '-c') return wordsOf(words[index + 1] ?? '');
  return words.slice(index);
}

function scriptOf(interpreter: string, words: readonly string[]): string {
  // A word behind a long option may be the value of that option, unless the word looks like a script.
  const isScript = (word: string, index: number): boolean =>
    !word.startsWith('-') && (/\.[a-z]\w{0,3}$/i.test(word) || !/^--[^=]+$/.test(words[index - 1] ?? ''));
  const first = words.findIndex((word) => !word.startsWith('-'));
  const isSure = first === -1 || isScript(words[first], first);
  const index = isSure ? first : words.findIndex((word) => /^[^-].*\.[a-z]\w{0,3}$/i.test(word));
  if (index === -1) return interpreter;
  const option = words[index - 1];
  if (SHELL.test(interpreter) && (option === '-c' || option === '-lc')) return nameOf(words[index]);
  if (option === '-c' || option === '-e') return interpreter;
  const script = baseName(words[index]);
  return withSubcommand(script, words.slice(index + 1));
}

/** The program with what it is asked to do. A word behind an option may be the option's value, but for `run-parts`, whose options have none. */
function withSubcommand(program: string, rest: readonly string[]): string {
  if (REMOTE.test(program))
    return joined(
      program,
      rest.map(hostOf).find((host) => host !== undefined),
    );
  if (!MANY_SIDED.test(program)) return program;
  const isValue = (index: number): boolean =>
    program !== 'run-parts' && /^-[^=]*$/.test(rest[index - 1] ?? '');
  const detail = rest.find((word, index) => !word.startsWith('-') && !isValue(index));
  return joined(program, detail === undefined ? undefined : (hostOf(detail) ?? baseName(detail)));
}

const joined = (program: string, detail: string | undefined): string =>
  detail === undefined ? program : `${program}-${detail}`;

/** The host of an address, without user, password, port, path and query. */
const hostOf = (word: string): string | undefined =>
  /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#]*@)?([\p{L}\p{N}.-]+)/iu.exec(word)?.[1];

const baseName = (path: string): string =>
  (path.split('/').filter(Boolean).at(-1) ?? path).replace(
    /\.(sh|py|php|js|mjs|cjs|ts|mts|rb|pl|jar|exe)$/i,
    '',
  );

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, '');
