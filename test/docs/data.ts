/** Blocks that are neither run nor type-checked: what can be said of them without a program that reads them. */
import type { Block } from './pages.ts';

const lines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

/** One document, or JSON Lines. */
function wrongJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (whole) {
    try {
      for (const line of lines(text)) JSON.parse(line);
      return undefined;
    } catch {
      return String(whole);
    }
  }
}

const firstUnlike = (text: string, pattern: RegExp, what: string): string | undefined =>
  lines(text)
    .filter((line) => !pattern.test(line))
    .map((line) => `not ${what}: ${line}`)[0];

const INI = /^\s*([#;].*|\[[^\]]+\]|[\w.-]+\s*=.*)$/;
const CRONTAB = /^\s*(#.*|\w+\s*=.*|@\w+\s+\S.*|(\S+\s+){5}\S.*)$/;
const DOCKERFILE =
  /^(#|\s|(FROM|RUN|CMD|COPY|ADD|WORKDIR|ENV|ARG|USER|VOLUME|EXPOSE|ENTRYPOINT|STOPSIGNAL|HEALTHCHECK|LABEL|SHELL)\b)/;

/** Each language that a page may use for data, and what is wrong with such a text. */
export const data: Readonly<Record<string, (text: string) => string | undefined>> = {
  json: wrongJson,
  jsonl: wrongJson,
  ini: (text) => firstUnlike(text, INI, 'a line of an ini file'),
  crontab: (text) => firstUnlike(text, CRONTAB, 'a line of a crontab'),
  dockerfile: (text) => firstUnlike(text, DOCKERFILE, 'an instruction'),
  yaml: (text) =>
    text.includes('\t')
      ? 'YAML knows no tabs'
      : firstUnlike(text, /^\s*(#|- |-$|---$|["'\w.${}/-]+:|[|>])|^\s{2,}\S/, 'YAML'),
  // test/docs/postgres-schema.test.ts runs it.
  sql: (text) => (text.trimEnd().endsWith(';') ? undefined : 'a statement ends with a semicolon'),
  text: () => undefined,
};

export const wrongData = ({ language, text }: Block): string | undefined =>
  text.trim() === '' ? 'it is empty' : data[language]?.(text);
