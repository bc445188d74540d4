/** From a block of `sh` or `console` to the commands in it, each with what it must print and how it must end. */
import type { Block } from './pages.ts';

export interface CommandLine {
  readonly page: string;
  readonly line: number;
  readonly text: string;
  /** 0, unless the line says `# exits with 2`. */
  readonly exitCode: number;
  /** What stands below it; undefined where a block shows no output. */
  readonly output: string | undefined;
}

const exitCodeOf = (text: string): number => Number(/# exits with (\d+)/.exec(text)?.[1] ?? 0);

/** The lines that one command takes: more than one after a backslash, or up to the end of a here-document. */
function lengthOf(lines: readonly string[], first: number): number {
  const here = /<<-?\s*(['"]?)(\w+)\1/.exec(lines[first]);
  let last = first;
  if (here) while (last < lines.length - 1 && lines[last] !== here[2]) last++;
  else while (last < lines.length - 1 && lines[last].endsWith('\\')) last++;
  return last - first + 1;
}

const isNothing = (line: string): boolean => /^\s*(#.*)?$/.test(line);

/** Every line of a block of `sh` is a command, but for comments. */
function ofShell({ page, line, text }: Block): CommandLine[] {
  const lines = text.trimEnd().split('\n');
  const found: CommandLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const length = lengthOf(lines, at);
    const command = lines.slice(at, at + length).join('\n');
    if (!isNothing(lines[at]))
      found.push({
        page,
        line: line + at,
        text: command,
        exitCode: exitCodeOf(command),
        output: undefined,
      });
    at += length;
  }
  return found;
}

/** In a block of `console` a command stands behind `$`, and what it printed below, up to the next. */
function ofTranscript({ page, line, text }: Block): CommandLine[] {
  const lines = text.trimEnd().split('\n');
  if (!lines[0].startsWith('$ ')) throw new Error(`${page}:${line}: a transcript begins with a command`);
  const starts = lines.flatMap((each, at) => (each.startsWith('$ ') ? [at] : []));
  return starts.map((start, index) => {
    const command = lines[start].slice(2);
    const output = lines.slice(start + 1, starts[index + 1]).join('\n');
    return {
      page,
      line: line + start,
      text: command,
      exitCode: exitCodeOf(command),
      output: output.trimEnd(),
    };
  });
}

export const commandsOf = (block: Block): CommandLine[] =>
  block.language === 'sh' ? ofShell(block) : ofTranscript(block);

/**
 * Whether a command printed what the page shows. `(and so on)` in a line of its own stands for any lines. Where numbers vary from
 * run to run (`varies`), times and figures are taken for equal, and so is the width of columns. Commands break their lines by the length of real
 * paths, so where the folder of the tests has a long one (`breaks`), a line break is as good as a blank.
 */
export function showsWhatIsPrinted(
  shown: string,
  printed: string,
  varies: boolean,
  breaks: 'as shown' | 'anywhere' = 'as shown',
): boolean {
  const [wanted, got] = [shown, printed.trimEnd()]
    .map((text) => (varies ? withoutFigures(text) : text))
    .map((text) => (breaks === 'anywhere' ? inWords(text) : text));
  const escaped = wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/^ *\\\(and so on\\\)$/gm, '[\\s\\S]*')}$`).test(got);
}

/** A word per line, and `(and so on)` in one. */
const inWords = (text: string): string =>
  text.replace(/\s+/g, '\n').replaceAll('(and\nso\non)', '(and so on)');

const withoutFigures = (text: string): string =>
  text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{8}T\d{6}Z/g, '<instant>')
    .replace(/\b\d\d:\d\d(:\d\d)?\b/g, '<time>')
    .replace(/\d[\d,.]*( (d|h|min|s|ms)\b( \d+ (d|h|min|s|ms)\b)*)?/g, (figure) =>
      /[a-z]/.test(figure) ? '<duration>' : '<figure>',
    )
    .replace(/(in|for) <duration>|<duration> ago|\bnow\b/g, '<when>')
    .replace(/ {2,}/g, '  ');
