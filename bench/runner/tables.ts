/** Results as tables: for a terminal, and for a page. */
import { table } from '../../src/cli/terminal/table.ts';
import { wrap } from '../../src/cli/terminal/text.ts';
import { type ContenderResult, environmentLine, type MeasuredFigure, type ScenarioResult } from './result.ts';
import type { Metric, Unit } from './scenario.ts';
import { multiple, shown } from './units.ts';

const TEXT_COLUMNS = 100;

/** "950 ms – 1.10 s"; nothing for a single run. */
function spread({ samples, min, max }: MeasuredFigure, unit: Unit): string {
  return samples.length === 1 ? '' : `${shown(min, unit)} – ${shown(max, unit)}`;
}

/** A peer is compared with ours, and ours with the limit. */
export function comparison({ role, figures }: ContenderResult, { key, isDetail }: Metric): string {
  const { toLimit, toOurs } = figures[key];
  if (isDetail) return '';
  if (role === 'peer' && toOurs !== undefined) return `${multiple(toOurs)} ours`;
  return role === 'ours' && toLimit !== undefined ? `${multiple(toLimit)} the limit` : '';
}

/** One part per metric, with a line per contender. */
export function textTable(result: ScenarioResult): string {
  const lines = [`${result.name}: ${result.title}`, wrap(result.about, TEXT_COLUMNS, '  ')];
  lines.push(`  ${howOften(result)}`, `  ${environmentLine(result.environment)}`);
  const rows: string[][] = [];
  for (const metric of result.metrics) {
    const { key, title, unit } = metric;
    const measured = result.contenders.filter(({ figures }) => figures[key] !== undefined);
    if (measured.length > 0) rows.push([`  ${title}`]);
    for (const contender of measured) {
      const figure = contender.figures[key];
      const cells = [shown(figure.median, unit), spread(figure, unit), comparison(contender, metric)];
      rows.push([`    ${contender.name}`, ...cells]);
    }
  }
  lines.push(...table(rows, Number.POSITIVE_INFINITY));
  for (const { name, notRun } of result.contenders)
    if (notRun !== undefined) lines.push(`  not run: ${name}: ${notRun}`);
  for (const { name, failures } of result.contenders)
    for (const failure of failures) lines.push(`  FAILED: ${name}: ${failure}`);
  for (const { says, isMet } of result.bounds) lines.push(`  ${isMet ? 'met' : 'MISSED'}: ${says}`);
  return `${lines.join('\n')}\n`;
}

function howOften({ runs, isQuick, isInterrupted, contenders, metrics }: ScenarioResult): string {
  const counts = contenders
    .filter(({ notRun }) => notRun === undefined)
    .map(({ figures }) => Math.max(0, ...metrics.map(({ key }) => figures[key]?.samples.length ?? 0)));
  const of = isInterrupted ? `${Math.min(...counts)} to ${Math.max(...counts)} of ${runs}` : runs;
  const medians = runs === 1 ? 'one run' : `medians of ${of} runs, with the smallest and the largest`;
  return `${medians}${isInterrupted ? ', INTERRUPTED' : ''}${isQuick ? ', quick' : ''}`;
}

/** The contenders are the rows if there are more of them than metrics, else the columns. */
export function markdownTable(result: ScenarioResult): string {
  const { contenders, metrics } = result;
  const nameOf = ({ name, role }: ContenderResult): string => (role === 'ours' ? `**${name}**` : name);
  const isLong = contenders.length > metrics.length;
  const rows = isLong
    ? [
        ['', ...metrics.map(({ title }) => title)],
        ...contenders.map((each) => [nameOf(each), ...metrics.map((metric) => markdownCell(each, metric))]),
      ]
    : [
        ['', ...contenders.map(nameOf)],
        ...metrics.map((metric) => [metric.title, ...contenders.map((each) => markdownCell(each, metric))]),
      ];
  const [head, ...body] = rows.map((cells) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |'));
  return [head, `|${'---|'.repeat(rows[0].length)}`, ...body].join('\n');
}

function markdownCell(contender: ContenderResult, metric: Metric): string {
  const { key, unit } = metric;
  const figure = contender.figures[key];
  if (contender.notRun !== undefined) return `not run: ${contender.notRun}`;
  if (figure === undefined) return contender.failures.length > 0 ? 'failed' : '–';
  const parts = [spread(figure, unit), comparison(contender, metric)].filter((part) => part !== '');
  return `${shown(figure.median, unit)}${parts.length === 0 ? '' : ` (${parts.join('; ')})`}`;
}
