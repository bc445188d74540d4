/** What all charts are drawn with: a frame that is readable on a light and on a dark page, and axes with one step per factor of ten. */

/** A piece of a drawing. */
export type Mark = string;

const STYLE = `
    .ground { fill: #ffffff; stroke: #d1d9e0 }
    text { fill: #1f2328; font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif }
    .title { font-size: 15px; font-weight: 600 }
    .heading { font-weight: 600 }
    .dim { fill: #59636e; font-size: 11px }
    .grid { stroke: #d1d9e0 }
    .c0 { stroke: #0969da; fill: #0969da }
    .c1 { stroke: #bc4c00; fill: #bc4c00 }
    .c2 { stroke: #1a7f37; fill: #1a7f37 }
    .c3 { stroke: #8250df; fill: #8250df }
    .peer { stroke: #59636e; fill: #59636e }
    .line { fill: none; stroke-width: 2 }
    .limit { stroke-dasharray: 4 4; fill: none }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117; stroke: #3d444d }
      text { fill: #f0f6fc }
      .dim { fill: #9198a1 }
      .grid { stroke: #3d444d }
      .c0 { stroke: #58a6ff; fill: #58a6ff }
      .c1 { stroke: #f0883e; fill: #f0883e }
      .c2 { stroke: #3fb950; fill: #3fb950 }
      .c3 { stroke: #bc8cff; fill: #bc8cff }
      .peer { stroke: #9198a1; fill: #9198a1 }
      .line, .limit { fill: none }
    }`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** An element; numbers are rounded, so that the same data give the same file. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content = '',
): Mark {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? Number(value.toFixed(1)) : escaped(value)}"`,
  );
  return `<${name}${written.join('')}${content === '' ? '/>' : `>${content}</${name}>`}`;
}

export const label = (
  x: number,
  y: number,
  text: string,
  attributes: Readonly<Record<string, string | number>> = {},
): Mark => element('text', { x, y, ...attributes }, escaped(text));

export const line = (x1: number, y1: number, x2: number, y2: number, kind: string): Mark =>
  element('line', { x1, y1, x2, y2, class: kind });

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** Where and when it was measured; also read aloud to those who do not see the chart. */
  readonly caption: string;
}

export const frame = ({ width, height, title, caption }: Frame, marks: readonly Mark[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `  ${element('title', {}, escaped(title))}`,
    `  ${element('desc', {}, escaped(caption))}`,
    `  ${element('style', {}, `${STYLE}\n  `)}`,
    `  ${element('rect', { class: 'ground', x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 6 })}`,
    `  ${label(16, 26, title, { class: 'title' })}`,
    ...marks.map((mark) => `  ${mark}`),
    `  ${label(16, height - 12, caption, { class: 'dim' })}`,
    '</svg>',
    '',
  ].join('\n');

/** A logarithmic axis from a power of ten to a power of ten, which has all values between them. */
export interface LogAxis {
  readonly ticks: readonly number[];
  /** Where a value is; one that is not positive is at the beginning. */
  at(value: number): number;
}

export function logAxis(values: readonly number[], from: number, to: number): LogAxis {
  const positive = values.filter((value) => value > 0);
  const first = Math.floor(Math.log10(Math.min(...positive)) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...positive)) - 1e-9));
  return {
    ticks: Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index)),
    at: (value) => from + (value > 0 ? (Math.log10(value) - first) / (last - first) : 0) * (to - from),
  };
}
