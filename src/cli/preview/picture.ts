/**
 * A forecast as a picture: an SVG that needs nothing else, in light and in dark, and that says in words what it shows. Each cell is
 * a minute of the day; its colour is the most tasks that start in it, and its tooltip says so too.
 */
import { clockTime } from '../../text/words.ts';
import { counted } from '../terminal/text.ts';
import { isoDate, localMinuteAt } from '../words.ts';
import type { Forecast } from './forecast.ts';
import { busiestOf, peaksOf } from './load.ts';

const CELL = 14;
const LEFT = 44;
const TOP = 58;
const WIDTH = LEFT + 60 * CELL + 16;
const HEIGHT = TOP + 24 * CELL + 56;

/** From one task to many: each level is the least load that has its colour. */
const LEVELS = [1, 2, 3, 5, 10];

const STYLE = `
  svg { color-scheme: light dark; font: 12px system-ui, sans-serif; }
  .ground { fill: #ffffff; } .text { fill: #1f2328; } .soft { fill: #59636e; } .none { fill: #eef1f4; }
  .l0 { fill: #a8d5ba; } .l1 { fill: #5cb3a5; } .l2 { fill: #2f86a6; } .l3 { fill: #7a4fa3; } .l4 { fill: #b3123f; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; } .text { fill: #f0f6fc; } .soft { fill: #9198a1; } .none { fill: #1c232c; }
    .l0 { fill: #1f5f4a; } .l1 { fill: #2c8c80; } .l2 { fill: #4aa8d8; } .l3 { fill: #b892e8; } .l4 { fill: #ff7a9a; }
  }`;

export function pictureOf(forecast: Forecast): string {
  const { zone, from, to, tasks, starts } = forecast;
  const peaks = peaksOf(forecast);
  const day = (instant: number): string => isoDate(Math.floor(localMinuteAt(zone, instant)));
  const title = `${counted(tasks, 'task')}, ${counted(starts, 'start')}, ${day(from)} to ${day(to - 1)}, ${zone.name}`;
  const [busiest] = busiestOf(forecast, 1);
  const most =
    busiest === undefined
      ? 'No two tasks start in the same minute.'
      : `The busiest is ${clockTime(busiest.minutes[0])}, with ${counted(busiest.most, 'task')} in one minute.`;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="load-title load-text">`,
    `<title id="load-title">${markup(title)}</title>`,
    `<desc id="load-text">A map of the day: one row for each hour, one cell for each minute, coloured by the most tasks that start in it. ${markup(most)}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<text class="text" x="${LEFT}" y="22" font-size="15" font-weight="600">${markup(title)}</text>`,
    ...axes(),
    `<rect class="none" x="${LEFT}" y="${TOP}" width="${60 * CELL}" height="${24 * CELL}"/>`,
    ...cells(peaks),
    ...legend(),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

function axes(): string[] {
  const minutes = Array.from({ length: 12 }, (_, index) => index * 5).map(
    (minute) =>
      `<text class="soft" x="${LEFT + (minute + 0.5) * CELL}" y="${TOP - 8}" text-anchor="middle">:${String(minute).padStart(2, '0')}</text>`,
  );
  const hours = Array.from({ length: 24 }, (_, hour) => hour).map(
    (hour) =>
      `<text class="soft" x="${LEFT - 8}" y="${TOP + (hour + 0.8) * CELL}" text-anchor="end">${String(hour).padStart(2, '0')}</text>`,
  );
  return [...minutes, ...hours];
}

function cells(peaks: Uint32Array): string[] {
  const found: string[] = [];
  for (const [minute, load] of peaks.entries()) {
    if (load === 0) continue;
    const x = LEFT + (minute % 60) * CELL;
    const y = TOP + Math.floor(minute / 60) * CELL;
    found.push(
      `<rect class="l${levelOf(load)}" x="${x + 1}" y="${y + 1}" width="${CELL - 2}" height="${CELL - 2}" rx="2"><title>${clockTime(minute)}: ${counted(load, 'task')}</title></rect>`,
    );
  }
  return found;
}

const levelOf = (load: number): number => LEVELS.findLastIndex((least) => load >= least);

function legend(): string[] {
  const y = TOP + 24 * CELL + 20;
  return LEVELS.flatMap((least, level) => {
    const x = LEFT + level * 90;
    const next = LEVELS[level + 1];
    const label =
      next === undefined ? `${least} or more` : next === least + 1 ? `${least}` : `${least} to ${next - 1}`;
    return [
      `<rect class="l${level}" x="${x}" y="${y}" width="12" height="12" rx="2"/>`,
      `<text class="text" x="${x + 18}" y="${y + 10}">${label}</text>`,
    ];
  }).concat(
    `<text class="soft" x="${LEFT + LEVELS.length * 90 + 20}" y="${y + 10}">the most tasks that start in a minute</text>`,
  );
}

/** For text and attributes of XML and HTML; characters that neither may hold are left out. */
export function markup(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/\p{Cc}|\p{Cs}/gu, '\ufffd').replace(/[&<>"']/g, (character) => entities[character]);
}
