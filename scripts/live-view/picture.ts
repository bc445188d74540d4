/**
 * Frames of a terminal as one animated SVG. A line that stays the same for several frames is there once, and is shown in all of them:
 * the picture is as small as what changes. Text is text, placed run by run, so that columns stand under each other in any font.
 */
import type { Run } from '../../test/cli/pty.ts';

/** A screen: the runs of each line. */
export type Frame = readonly (readonly Run[])[];

const CELL = 8.4;
const LINE = 19;
const PAD = 16;
const SECONDS_A_FRAME = 1;

/** Dark, with a border, so that it stands on a white page and on a black one. By the number of the palette. */
const COLOURS: Readonly<Record<number, string>> = { 1: '#ff7b72', 2: '#7ee787', 3: '#e3b341' };
const STYLE = `text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #e6edf3; white-space: pre; }
.b { font-weight: 700; } .d { fill: #9198a1; }
${Object.entries(COLOURS)
  .map(([number, colour]) => `.c${number} { fill: ${colour}; }`)
  .join(' ')}`;

interface PictureOptions {
  readonly columns: number;
  readonly title: string;
}

export function pictureOf(frames: readonly Frame[], { columns, title }: PictureOptions): string {
  const rows = Math.max(...frames.map((frame) => frame.length));
  const [width, height] = [Math.ceil(columns * CELL + 2 * PAD), rows * LINE + 2 * PAD];
  const { lines, moments } = linesOf(frames);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${markup(title)}</title>`,
    `<style>${STYLE}\n${stylesOf([...moments.values()])}\n</style>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#0d1117" stroke="#3d444d"/>`,
    ...lines,
    '</svg>',
  ].join('\n')}\n`;
}

/** When a line is seen: in the picture that stands still, and in the one that moves. */
interface Moment {
  readonly name: string;
  readonly still: string;
  readonly moving: string;
}

const stylesOf = (moments: readonly Moment[]): string =>
  [
    ...moments.map(({ still }) => still),
    '@media (prefers-reduced-motion: no-preference) {',
    ...moments.map(({ moving }) => moving),
    '}',
  ].join('\n');

/** Each different line of each row, with when it is seen; who wants no motion sees the frame with the most text. */
function linesOf(frames: readonly Frame[]): { lines: string[]; moments: Map<string, Moment> } {
  const seen = new Map<string, boolean[]>();
  for (const [index, frame] of frames.entries()) {
    for (const [row, runs] of frame.entries()) {
      const drawn = drawnLine(runs, row);
      if (drawn === '') continue;
      const shownIn = seen.get(drawn) ?? frames.map(() => false);
      shownIn[index] = true;
      seen.set(drawn, shownIn);
    }
  }
  const poster = fullestOf(frames);
  const moments = new Map<string, Moment>();
  const lines = [...seen].map(([drawn, shownIn]) => {
    if (shownIn.every(Boolean)) return drawn;
    const pattern = shownIn.map((isShown) => (isShown ? 1 : 0)).join('');
    const moment = moments.get(pattern) ?? momentOf(`m${moments.size}`, shownIn, shownIn[poster]);
    moments.set(pattern, moment);
    return `<g class="${moment.name}">${drawn}</g>`;
  });
  return { lines, moments };
}

function momentOf(name: string, shownIn: readonly boolean[], isPoster: boolean): Moment {
  const word = (isShown: boolean): string => (isShown ? 'visible' : 'hidden');
  const steps = shownIn.flatMap((isShown, index) =>
    index > 0 && shownIn[index - 1] === isShown
      ? []
      : [`${Number(((index / shownIn.length) * 100).toFixed(2))}%{visibility:${word(isShown)}}`],
  );
  const seconds = shownIn.length * SECONDS_A_FRAME;
  return {
    name,
    still: `.${name}{visibility:${word(isPoster)}}`,
    moving: `.${name}{animation:${name} ${seconds}s step-end infinite}@keyframes ${name}{${steps.join('')}}`,
  };
}

const fullestOf = (frames: readonly Frame[]): number => {
  const sizes = frames.map((frame) => frame.flat().reduce((sum, { text }) => sum + text.trim().length, 0));
  return sizes.indexOf(Math.max(...sizes));
};

function drawnLine(runs: readonly Run[], row: number): string {
  const words = runs.flatMap(wordsOf);
  return words.length === 0 ? '' : `<text y="${PAD + row * LINE + 14}">${words.join('')}</text>`;
}

/** The parts of a run between gaps of two blanks and more, each at its own column. */
function wordsOf({ column, text, colour, isBold, isDim }: Run): string[] {
  const classes = [
    ...(isBold ? ['b'] : []),
    ...(isDim ? ['d'] : []),
    ...(colour === undefined ? [] : [`c${colour}`]),
  ];
  const look = classes.length === 0 ? '' : ` class="${classes.join(' ')}"`;
  return [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: word, index }) => {
    const x = Number((PAD + (column + index) * CELL).toFixed(1));
    const length = Number(([...word].length * CELL).toFixed(1));
    return `<tspan x="${x}" textLength="${length}"${look}>${markup(word)}</tspan>`;
  });
}

const markup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
