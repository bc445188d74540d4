/**
 * Figures in pages are written by runs, never by hand. In a page a block stands between two comments, `bench: <name>` and `/bench`. It
 * holds the table and the chart of the results that are stored under that name; `bench: <name> table` holds the table alone.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wrap } from '../../src/cli/terminal/text.ts';
import { environmentLine, type ScenarioResult } from './result.ts';
import { markdownTable } from './tables.ts';

const TEXT_COLUMNS = 138;
const BLOCK = /(<!-- bench: ([\w-]+)( table)? -->\n)[\s\S]*?(<!-- \/bench -->)/g;

/** The page with each block as the stored results have it. `toResults` leads from the page's folder to that of the results. */
export function withFigures(page: string, folder: string, toResults: string): string {
  return page.replace(
    BLOCK,
    (_, opening: string, name: string, table: string | undefined, closing: string) => {
      const result = storedResult(folder, name);
      const text =
        result === undefined ? 'Not measured yet.' : blockOf(result, table !== undefined, toResults);
      return `${opening}\n${text}\n\n${closing}`;
    },
  );
}

export function storedResult(folder: string, name: string): ScenarioResult | undefined {
  const file = join(folder, `${name}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function blockOf(result: ScenarioResult, isTableOnly: boolean, toResults: string): string {
  const { name, title, about, runs, environment } = result;
  const medians =
    runs === 1 ? 'One run' : `Medians of ${runs} runs, with the smallest and the largest in brackets`;
  const machine = `${medians}. ${environmentLine(environment)}.`;
  const chart = `![${title}: the figures of the table, on logarithmic axes](${toResults}/${name}.svg)`;
  return (
    isTableOnly
      ? [markdownTable(result), machine]
      : [inSentences(about), chart, markdownTable(result), machine]
  ).join('\n\n');
}

/** How it is measured, a sentence per line: one paragraph of it would be long. */
const inSentences = (about: string): string =>
  about
    .split(/(?<=[.;]) (?=[A-Z])/)
    .map((sentence) => `- ${wrap(sentence, TEXT_COLUMNS - 2).replaceAll('\n', '\n  ')}`)
    .join('\n');
