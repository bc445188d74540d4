/** A forecast as a page: the picture, and all that it shows as text and tables, for those who cannot see it or want to search in it. */
import { localText } from '../words.ts';
import type { Forecast } from './forecast.ts';
import { busiestOf, collisionsOf } from './load.ts';
import { markup, pictureOf } from './picture.ts';
import { surprisesOf } from './surprises.ts';
import { collisionLine, surpriseLines, timesText } from './text.ts';

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 960px; margin: 2rem auto; padding: 0 1rem; background: Canvas; color: CanvasText; }
  figure { margin: 1rem 0; overflow-x: auto; }
  svg { max-width: 100%; height: auto; min-width: 640px; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); vertical-align: top; }
  td.number { text-align: right; font-variant-numeric: tabular-nums; }
  code { font: .9em ui-monospace, monospace; }`;

export function pageOf(forecast: Forecast): string {
  const { zone, days, groups } = forecast;
  const title = `What starts when: ${days} days, ${zone.name}`;
  const busiest = busiestOf(forecast, 20).map(({ minutes, times, tasks, fewest, most }) => [
    fewest === most ? String(most) : `${fewest} to ${most}`,
    timesText(minutes, 6),
    String(times),
    markup(tasks.join(', ')),
  ]);
  const tasks = groups.flatMap(({ cron, dues, tasks: names }) =>
    names.map((name) => [
      markup(name),
      `<code>${markup(cron)}</code>`,
      String(dues.length),
      dues.length === 0 ? 'not in these days' : markup(localText(zone, dues[0])),
    ]),
  );
  const parts = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${markup(title)}</title>`,
    `<style>${STYLE}\n</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${markup(title)}</h1>`,
    `<figure>${pictureOf(forecast)}</figure>`,
    '<h2>Busiest minutes</h2>',
    busiest.length === 0
      ? '<p>No two tasks start in the same minute.</p>'
      : tableOf(['Tasks', 'At', 'Times', 'Which'], busiest),
    '<h2>Always at the same time</h2>',
    listOf(collisionsOf(forecast).map(collisionLine), 'No task always starts together with another.'),
    '<h2>Clock changes</h2>',
    listOf(surpriseLines(surprisesOf(forecast), zone.name), ''),
    '<h2>Tasks</h2>',
    tableOf(['Task', 'Expression', 'Starts', 'First'], tasks),
    '</main>',
    '</body>',
    '</html>',
  ];
  return `${parts.join('\n')}\n`;
}

/** Cells are HTML already. */
function tableOf(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const cell = (text: string): string =>
    /^\d+$/.test(text) ? `<td class="number">${text}</td>` : `<td>${text}</td>`;
  const lines = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`);
  const heads = head.map((text) => `<th scope="col">${text}</th>`).join('');
  return `<table>\n<thead><tr>${heads}</tr></thead>\n<tbody>\n${lines.join('\n')}\n</tbody>\n</table>`;
}

const listOf = (lines: readonly string[], otherwise: string): string =>
  lines.length === 0
    ? `<p>${otherwise}</p>`
    : `<ul>\n${lines.map((line) => `<li>${markup(line.replace(/^- /, ''))}</li>`).join('\n')}\n</ul>`;
