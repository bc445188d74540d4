/** A time axis, and the marks that all charts share: now, and changes of the clock. Places are parts of a thousand, so that a chart of any width is right. */
import type { JSX } from 'preact';
import type { Change } from './api.ts';
import { tick, ticksOf } from './format.ts';
import { isNarrow, site } from './model.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Of a chart that is a thousand wide. */
export const xOf = (at: number, { from, to }: Span): number => ((at - from) / (to - from)) * 1000;

/** As many as can be read. */
const mostTicks = (): number => (isNarrow.value ? 4 : 8);

export function Axis({
  span,
  at,
  changes = [],
}: {
  readonly span: Span;
  readonly at: number;
  readonly changes?: readonly Change[];
}): JSX.Element {
  const { step, at: places } = ticksOf(span.from, span.to, mostTicks());
  const room = isNarrow.value ? 160 : 55;
  const nowAt = at > span.from && at < span.to ? xOf(at, span) : Number.POSITIVE_INFINITY;
  /** A label needs room up to the next thing that is written. Its line is drawn all the same. */
  const hasRoom = (x: number): boolean => x + room <= 1000 && Math.abs(x - nowAt) >= room;
  const left = (instant: number): { left: string } => ({ left: `${xOf(instant, span) / 10}%` });
  return (
    <div class="axis" aria-hidden="true">
      {places.map((each) => (
        <span key={each} style={left(each)}>
          {hasRoom(xOf(each, span)) ? tick(each, step, site.value?.timeZone) : ''}
        </span>
      ))}
      {changes.map((change) => (
        <b key={change.at} class="change" style={left(change.at)} title={change.text}>
          ⏲
        </b>
      ))}
      {at > span.from && at < span.to ? (
        <b class="now" style={left(at)}>
          now
        </b>
      ) : null}
    </div>
  );
}

/** Lines behind what is drawn. */
export function Grid({
  span,
  at,
  changes = [],
  height,
}: {
  readonly span: Span;
  readonly at: number;
  readonly changes?: readonly Change[];
  readonly height: number;
}): JSX.Element {
  const line = (instant: number): string => `M${xOf(instant, span).toFixed(1)} 0V${height}`;
  return (
    <>
      <path class="grid" d={ticksOf(span.from, span.to, mostTicks()).at.map(line).join('')} />
      <path class="grid change" d={changes.map(({ at: each }) => line(each)).join('')} />
      {at > span.from && at < span.to ? <path class="grid now" d={line(at)} /> : null}
    </>
  );
}
