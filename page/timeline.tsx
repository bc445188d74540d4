/** Each task a lane: its runs as bars coloured by outcome, what is coming in outline, and due instants that had no run of their own as ticks. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Timeline } from './api.ts';
import { Axis } from './axis.tsx';
import { count, moment } from './format.ts';
import { LaneRow } from './lane.tsx';
import { Legend } from './legend.tsx';
import { now } from './model.ts';
import { Trouble } from './parts.tsx';
import { Filters, selection } from './tasks.tsx';
import { useAnswer } from './use-answer.ts';

const MINUTE = 60_000;
const ZOOMS = [
  ['30 min', 30 * MINUTE],
  ['3 h', 180 * MINUTE],
  ['12 h', 720 * MINUTE],
  ['2 days', 2880 * MINUTE],
  ['2 weeks', 20_160 * MINUTE],
  ['8 weeks', 80_640 * MINUTE],
] as const;
const LANES = 25;

const zoom = signal<number>(ZOOMS[3][1]);
/** By how much the middle is moved away from now. */
const shift = signal(0);

export function TimelineView(): JSX.Element {
  const [offset, setOffset] = useState(0);
  const [pointed, setPointed] = useState('');
  // The window moves by steps, so that it is not asked for again every second.
  const step = zoom.value / 120;
  const middle = Math.floor(now.value / step) * step + shift.value;
  const span = { from: Math.round(middle - zoom.value / 2), to: Math.round(middle + zoom.value / 2) };
  const { answer, error } = useAnswer<Timeline>('timeline', {
    ...selection.value,
    ...span,
    offset,
    limit: LANES,
  });
  const shown = answer === undefined ? span : { from: answer.from, to: answer.to };
  return (
    <>
      <h2 class="unseen">Timeline</h2>
      <Filters />
      <Zoom />
      <Legend />
      {error === undefined ? null : <Trouble text={error} />}
      <div class="lanes">
        <div class="lane head">
          <span class="pointed">{pointed || legendOf(answer)}</span>
          <Axis span={shown} at={now.value} changes={answer?.changes ?? []} />
        </div>
        {answer?.lanes.map((lane) => (
          <LaneRow key={lane.name} lane={lane} span={shown} changes={answer.changes} point={setPointed} />
        ))}
      </div>
      <Pages matching={answer?.matching ?? 0} offset={offset} go={setOffset} />
    </>
  );
}

interface PagesProps {
  readonly matching: number;
  readonly offset: number;
  go(offset: number): void;
}

function Pages({ matching, offset, go }: PagesProps): JSX.Element | null {
  if (matching <= LANES) return null;
  return (
    <div class="pages">
      <button type="button" disabled={offset === 0} onClick={() => go(Math.max(0, offset - LANES))}>
        Earlier tasks
      </button>
      <span>
        {count(offset + 1)} to {count(Math.min(offset + LANES, matching))} of {count(matching)}
      </span>
      <button type="button" disabled={offset + LANES >= matching} onClick={() => go(offset + LANES)}>
        Further tasks
      </button>
    </div>
  );
}

const legendOf = (answer: Timeline | undefined): string =>
  answer?.since === undefined || answer.since === null || answer.since <= answer.from
    ? ''
    : `Runs are shown from ${moment(answer.since)} on.`;

function Zoom(): JSX.Element {
  const move = (part: number): void => {
    shift.value += zoom.value * part;
  };
  return (
    <fieldset class="zoom">
      <legend class="unseen">Span of time</legend>
      <button type="button" aria-label="Earlier" onClick={() => move(-0.5)}>
        ←
      </button>
      {ZOOMS.map(([text, ms]) => (
        <button
          key={text}
          type="button"
          aria-pressed={zoom.value === ms}
          onClick={() => {
            zoom.value = ms;
          }}
        >
          {text}
        </button>
      ))}
      <button type="button" aria-label="Later" onClick={() => move(0.5)}>
        →
      </button>
      <button
        type="button"
        disabled={shift.value === 0}
        onClick={() => {
          shift.value = 0;
        }}
      >
        Now
      </button>
    </fieldset>
  );
}
