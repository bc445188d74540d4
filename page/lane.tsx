/** One task as a lane: a few paths, however many runs it has. What is under the pointer is found by its place. */
import type { JSX, TargetedPointerEvent } from 'preact';
import type { Bar, Lane, Outcome, Timeline } from './api.ts';
import { Grid, type Span, xOf } from './axis.tsx';
import { duration, exact, moment } from './format.ts';
import { isNarrow, now, taskLink } from './model.ts';
import { StatePill, slug } from './parts.tsx';

const HEIGHT = 30;

interface LaneProps {
  readonly lane: Lane;
  readonly span: Span;
  readonly changes: Timeline['changes'];
  point(text: string): void;
}

export function LaneRow({ lane, span, changes, point }: LaneProps): JSX.Element {
  const pointed = (event: TargetedPointerEvent<SVGSVGElement>): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    point(under(lane, span, span.from + ((event.clientX - left) / width) * (span.to - span.from)));
  };
  return (
    <div class="lane">
      <span class="who">
        <a href={taskLink(lane.name)}>{lane.name}</a>
        <StatePill of={lane} />
      </span>
      <svg
        viewBox={`0 0 1000 ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary(lane)}
        onPointerMove={pointed}
        onPointerLeave={() => point('')}
      >
        <Grid span={span} at={now.value} changes={changes} height={HEIGHT} />
        <Ahead lane={lane} span={span} />
        {[...barsBy(lane, span)].map(([outcome, path]) => (
          <path key={outcome} class={`bar ${slug(outcome)}`} d={path} />
        ))}
        <path class="open-end" d={openEnds(lane, span)} />
        <Shared lane={lane} span={span} />
      </svg>
    </div>
  );
}

type Drawn = readonly [from: number, to: number, outcome: Outcome | 'running', attempt: number];

/** Parts of a thousand: what can be seen at all, and what keeps two runs apart. On a narrow screen a part is less of a pixel. */
const least = (): number => (isNarrow.value ? 7.5 : 2.5);
const gap = (): number => (isNarrow.value ? 3 : 1);
/** Where there is no room for a gap, so much of it is the bar's. */
const LEAST_SHARE = 0.6;

/** Bars as one path for each outcome; a retry is lower than a first attempt. A bar leaves a gap before the next one, so that each run is seen. */
function barsBy(lane: Lane, span: Span): Map<Outcome | 'running', string> {
  const paths = new Map<Outcome | 'running', string>();
  const drawn = drawnIn(lane);
  for (const [place, [from, to, outcome, attempt]] of drawn.entries()) {
    const x = xOf(from, span);
    const next = place + 1 < drawn.length ? xOf(drawn[place + 1][0], span) : Number.POSITIVE_INFINITY;
    const room = Math.max(next - x - gap(), LEAST_SHARE * (next - x), 0);
    const width = Math.min(Math.max(least(), xOf(to, span) - x), room);
    const top = attempt > 1 ? 13 : 6;
    const d = `M${x.toFixed(2)} ${top}h${width.toFixed(2)}V25h-${width.toFixed(2)}z`;
    paths.set(outcome, (paths.get(outcome) ?? '') + d);
  }
  return paths;
}

/** The runs that are over, then the one that goes on. When a run was cut off nobody knows, so it has a beginning only. */
function drawnIn({ bars, runningSince, state }: Lane): readonly Drawn[] {
  const over = bars.map(([from, to, outcome, , attempt]): Drawn => [from, to, outcome, attempt]);
  // What a stop has interrupted is over, and among the bars.
  if (runningSince === null || state === 'interrupted') return over;
  return [
    ...over,
    state === 'cut off'
      ? [runningSince, runningSince, 'cut off', 1]
      : [runningSince, Math.max(runningSince, now.value), 'running', 1],
  ];
}

const OPEN_END = 14;

/** The open end of each run that was cut off, as far as there is room for it. */
function openEnds(lane: Lane, span: Span): string {
  const drawn = drawnIn(lane);
  return drawn
    .map(([from, , outcome], place) => {
      const x = xOf(from, span) + least();
      const next =
        place + 1 < drawn.length ? xOf(drawn[place + 1][0], span) - gap() : Number.POSITIVE_INFINITY;
      const end = Math.min(x + OPEN_END, next);
      return outcome === 'cut off' && end > x ? `M${x.toFixed(2)} 15.5H${end.toFixed(2)}` : '';
    })
    .join('');
}

/** What is coming: each start in outline, or a band where they are too many to be shown apart. */
function Ahead({ lane, span }: { readonly lane: Lane; readonly span: Span }): JSX.Element {
  const { dues, isDense, retryAt } = lane;
  const from = xOf(Math.max(span.from, now.value), span);
  return (
    <>
      {isDense && from < 1000 ? <rect class="dense" x={from} y="9" width={1000 - from} height="13" /> : null}
      <path class="due" d={dues.map((due) => `M${xOf(due, span).toFixed(2)} 8v15`).join('')} />
      {retryAt === null ? null : <path class="retry-mark" d={`M${xOf(retryAt, span).toFixed(2)} 4v22`} />}
    </>
  );
}

/** Due instants without a run of their own, joined to the run that served them. */
function Shared({ lane, span }: { readonly lane: Lane; readonly span: Span }): JSX.Element {
  const mark = ([due, served]: Lane['shared'][number]): string =>
    `M${xOf(due, span).toFixed(2)} 2v7${served === null ? '' : `M${xOf(due, span).toFixed(2)} 2H${xOf(served, span).toFixed(2)}v4`}`;
  return (
    <>
      <path
        class="shared"
        d={lane.shared
          .filter(([, served]) => served !== null)
          .map(mark)
          .join('')}
      />
      <path
        class="owed-mark"
        d={lane.shared
          .filter(([, served]) => served === null)
          .map(mark)
          .join('')}
      />
    </>
  );
}

function summary({ name, bars, shared, dues, isDense, next }: Lane): string {
  const runs = bars.reduce((sum, [, , , each]) => sum + each, 0);
  const bad = bars.filter(([, , outcome]) => outcome !== 'success' && outcome !== 'interrupted').length;
  const ahead = isDense ? 'many starts ahead' : `${dues.length} starts ahead`;
  const missed = shared.length === 0 ? '' : `, ${shared.length} due instants without a run of their own`;
  return `${name}: ${runs} runs, ${bad} not successful${missed}, ${ahead}${next === null ? '' : `, next ${moment(next)}`}`;
}

/** What is nearest to an instant, in words. */
function under(lane: Lane, span: Span, at: number): string {
  const near = (span.to - span.from) / 100;
  const distanceTo = ([from, to]: Bar): number => Math.max(from - at, at - to, 0);
  const bar = lane.bars.toSorted((a, b) => distanceTo(a) - distanceTo(b))[0];
  if (bar !== undefined && distanceTo(bar) < near) {
    const [from, to, outcome, runs, attempt] = bar;
    const one =
      outcome === 'cut off' ? 'cut off, its end is not known' : `${outcome}, ${duration(to - from)}`;
    const what = runs > 1 ? `${runs} runs, the worst: ${outcome}` : one;
    return `${exact(from, lane.timeZone)}: ${what}${attempt > 1 && runs === 1 ? `, attempt ${attempt}` : ''}`;
  }
  const shared = lane.shared.find(([due]) => Math.abs(due - at) < near);
  if (shared !== undefined)
    return `${exact(shared[0], lane.timeZone)}: due, ${shared[1] === null ? 'and still owed' : `served by the run of ${moment(shared[1], lane.timeZone)}`}`;
  const due = lane.dues.find((each) => Math.abs(each - at) < near);
  return due === undefined ? exact(at, lane.timeZone) : `${exact(due, lane.timeZone)}: due`;
}
