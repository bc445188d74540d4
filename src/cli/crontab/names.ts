/** A readable name for a task, from the command that it runs: `backup` for `cd /srv && nice -n 10 ./bin/backup.sh --all`. */

/** Commands that prepare something; the work comes behind them. */
const PREPARING = /^(cd|test|\[|\[\[|export|set|source|\.|umask|sleep|echo|true|:|mkdir)$/;
/** Programs that run another one, which is what the task is about. */
const WRAPPING =
  /^(nice|ionice|nohup|timeout|flock|sudo|env|exec|chronic|cronic|time|setsid|run-one|systemd-cat|chrt|command)$/;
const INTERPRETER = /^(php|python|node|ruby|perl|bash|sh|dash|zsh|tsx|deno|bun|java)[\d.]*$/;
/** Programs that do many things: what they are asked to do belongs to the name. */
const MANY_SIDED =
  /^(artisan|manage|npm|npx|pnpm|yarn|rake|rails|docker|docker-compose|kubectl|git|systemctl|aws|gcloud|wp|bundle|make|run-parts|curl|wget|console|drush|apt|apt-get)$/;
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

/** The commands of a line, apart at `&&`, `||`, `;` and `|`, but not within quotes. */
function segmentsOf(line: string): string[] {
  const segments = [''];
  for (const [piece] of line.matchAll(/"[^"]*"|'[^']*'|&&|\|\||[;|]|[^"'&;|]+|./gs)) {
    if (/^(&&|\|\||[;|])$/.test(piece)) segments.push('');
    else segments.push((segments.pop() ?? '') + piece);
  }
  return segments;
}

/** Words as a shell would see them, nearly: quotes hold together, redirections and assignments in front are left out. */
function wordsOf(segment: string): string[] {
  const words = [...segment.matchAll(/"([^"]*)"|'([^']*)'|[^\s"']+/g)].map(
    ([word, double, single]) => double ?? single ?? word,
  );
  const plain = words.filter((word) => !/^\d*[<>]/.test(word) && !/^[({]$/.test(word));
  const first = plain.findIndex((word) => !/^\w+=/.test(word));
  return first === -1 ? [] : plain.slice(first).map((word) => word.replace(/^[({]+/, ''));
}

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
  const index = words.findIndex((word) => !word.startsWith('-'));
  if (index === -1) return interpreter;
  const option = words[index - 1];
  if (option === '-c' || option === '-e' || option === '-lc') return nameOf(words[index]);
  const script = baseName(words[index]);
  return withSubcommand(script, words.slice(index + 1));
}

function withSubcommand(program: string, rest: readonly string[]): string {
  if (!MANY_SIDED.test(program)) return program;
  const detail = rest.find((word) => !word.startsWith('-'));
  return detail === undefined
    ? program
    : `${program}-${detail.includes('://') ? detail.replace(/^.*:\/\//, '') : baseName(detail)}`;
}

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
