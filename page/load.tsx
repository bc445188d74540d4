/** Starts per minute, or per ten for a longer span, past and coming; how late they were; and the minutes ahead in which most tasks start together. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Load } from './api.ts';
import { Axis, Grid, type Span, xOf } from './axis.tsx';
import { count, duration, exact } from './format.ts';
import { Mark } from './legend.tsx';
import { now, site } from './model.ts';
import { Trouble } from './parts.tsx';
import { Card } from './task-parts.tsx';
import { useAnswer } from './use-answer.ts';
import { useWidth } from './use-width.ts';

const MINUTE = 60_000;
const HEIGHT = 160;

/** Spans of time, in minutes: so much of the past, so much to come, and how much is one column. */
const RANGES = [
  { text: '1 hour', past: 30, coming: 30, step: 1, per: 'minute', ahead: '30 minutes' },
  { text: '3 hours', past: 60, coming: 120, step: 1, per: 'minute', ahead: '2 hours' },
  { text: '30 hours', past: 360, coming: 1440, step: 10, per: 'ten minutes', ahead: '24 hours' },
] as const;

const range = signal<(typeof RANGES)[number]>(RANGES[1]);

export function LoadView(): JSX.Element | null {
  const { past, coming, step, per, ahead } = range.value;
  const at = Math.floor(now.value / (step * MINUTE)) * step * MINUTE;
  const asked = { from: at - past * MINUTE, to: at + coming * MINUTE, step };
  const { answer, error } = useAnswer<Load>('load', asked);
  if (error !== undefined) return <Trouble text={error} />;
  if (answer === undefined) return null;
  const { from, stepMs, good } = answer;
  const span = { from, to: from + good.length * stepMs };
  return (
    <>
      <h2 class="unseen">Load</h2>
      <Ranges />
      <Card title={`Starts per ${answer.stepMs === MINUTE ? 'minute' : 'ten minutes'}`}>
        <Legend />
        <Starts load={answer} span={span} per={per} />
        <Axis span={span} at={now.value} />
        {answer.counted < answer.tasks ? (
          <p class="faint">
            What is coming is counted for {count(answer.counted)} of {count(answer.tasks)} tasks.
          </p>
        ) : null}
      </Card>
      <Card title="Longest delay of a start">
        <Delays load={answer} span={span} />
        <Axis span={span} at={now.value} />
      </Card>
      <Card title={`Fullest minutes of the next ${ahead}`}>
        <Busiest load={answer} />
      </Card>
    </>
  );
}

const Ranges = (): JSX.Element => (
  <fieldset class="zoom">
    <legend class="unseen">Span of time</legend>
    {RANGES.map((each) => (
      <button
        key={each.text}
        type="button"
        aria-pressed={range.value === each}
        onClick={() => {
          range.value = each;
        }}
      >
        {each.text}
      </button>
    ))}
  </fieldset>
);

const BAR = 'M1 0h10V12h-10z';

const Legend = (): JSX.Element => (
  <ul class="legend" aria-label="Marks">
    <Mark text="success" paths={[['bar success', BAR]]} />
    <Mark text="failed or cut off" paths={[['bar failure', BAR]]} />
    <Mark text="to come" paths={[['coming', BAR]]} />
  </ul>
);

interface Charted {
  readonly load: Load;
  readonly span: Span;
}

/** An outline around a column that is narrower than this is wider than what it encloses. */
const LEAST_OUTLINED_PX = 4;

function Starts({ load, span, per }: Charted & { readonly per: string }): JSX.Element {
  const { good, bad, coming } = load;
  const [box, width] = useWidth();
  const isThin = width > 0 && width / good.length < LEAST_OUTLINED_PX;
  const most = Math.max(1, ...good.map((each, place) => each + bad[place]), ...coming);
  const y = (value: number): number => (value / most) * (HEIGHT - 10);
  const column = (place: number, low: number, high: number): string => {
    const x = (place / good.length) * 1000 + 0.6;
    const wide = 1000 / good.length - 1.2;
    return high <= low
      ? ''
      : `M${x.toFixed(2)} ${(HEIGHT - y(low)).toFixed(2)}V${(HEIGHT - y(high)).toFixed(2)}h${wide.toFixed(2)}V${(HEIGHT - y(low)).toFixed(2)}z`;
  };
  const sum = (all: readonly number[]): number => all.reduce((total, each) => total + each, 0);
  const label = `${count(sum(good))} good and ${count(sum(bad))} failed runs, ${count(sum(coming))} starts ahead, at most ${count(most)} per ${per}`;
  return (
    <div class="chart" ref={box}>
      <span class="most num">{count(most)}</span>
      <svg viewBox={`0 0 1000 ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <Grid span={span} at={now.value} height={HEIGHT} />
        <path class="bar success" d={good.map((each, place) => column(place, 0, each)).join('')} />
        <path
          class="bar failure"
          d={bad.map((each, place) => column(place, good[place], good[place] + each)).join('')}
        />
        <path
          class={isThin ? 'coming thin' : 'coming'}
          d={coming
            .map((each, place) => column(place, good[place] + bad[place], good[place] + bad[place] + each))
            .join('')}
        />
      </svg>
    </div>
  );
}

const DELAYS = 70;

function Delays({ load, span }: Charted): JSX.Element {
  const most = Math.max(1000, ...load.delayMs);
  const points = load.delayMs.map((each, place) => {
    const x = xOf(span.from + (place + 0.5) * load.stepMs, span);
    return `M${x.toFixed(2)} ${DELAYS}V${(DELAYS - (each / most) * (DELAYS - 6)).toFixed(2)}`;
  });
  const late = load.late.reduce((total, each) => total + each, 0);
  return (
    <div class="chart low">
      <span class="most num">{duration(most)}</span>
      <svg
        viewBox={`0 0 1000 ${DELAYS}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${count(late)} starts were more than a second late`}
      >
        <Grid span={span} at={now.value} height={DELAYS} />
        <path class="delay" d={points.join('')} />
      </svg>
    </div>
  );
}

function Busiest({ load }: { readonly load: Load }): JSX.Element {
  if (load.busiest.length === 0) return <p class="faint">No two tasks start in the same minute.</p>;
  return (
    <ol class="busiest">
      {load.busiest.map(({ at, starts, tasks }) => (
        <li key={at}>
          <time dateTime={new Date(at).toISOString()}>{exact(at, site.value?.timeZone)}</time>
          <b class="num">{count(starts)} starts</b>
          <span class="faint">
            {tasks.join(', ')}
            {starts > tasks.length ? ' …' : ''}
          </span>
        </li>
      ))}
    </ol>
  );
}
