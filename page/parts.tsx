/** Small parts that several views show: states, outcomes, times, trends. */
import type { ComponentChildren, JSX } from 'preact';
import type { Outcome, State, TaskRow } from './api.ts';
import { distance, duration, exact, moment, whole } from './format.ts';
import { now, site } from './model.ts';

/** Never by colour alone: each state has its word, and a shape. What runs goes on when its task is paused. */
export const StatePill = ({ of: { state, pausedAt } }: { readonly of: Stated }): JSX.Element => (
  <span class={`pill ${slug(state)}`}>
    <i aria-hidden="true" />
    {state === 'running' && pausedAt !== null ? 'running, paused' : state}
  </span>
);

interface Stated {
  readonly state: State;
  readonly pausedAt: number | null;
}

export const slug = (word: string): string => word.replace(' ', '-');

const SIGNS: Readonly<Record<Outcome, string>> = {
  success: '✓',
  failure: '✗',
  'gave up': '✗',
  'timed out': '◷',
  cancelled: '⊘',
  'cut off': '⚡',
  interrupted: '↺',
};

export const OutcomeText = ({ outcome }: { readonly outcome: Outcome }): JSX.Element => (
  <span class={`outcome ${slug(outcome)}`}>
    <span aria-hidden="true">{SIGNS[outcome]} </span>
    {outcome}
  </span>
);

/** A time as people say it, with the exact one at hand. */
export const Moment = ({ at, zone }: { readonly at: number; readonly zone?: string }): JSX.Element => (
  <time dateTime={new Date(at).toISOString()} title={exact(at, zone)}>
    {moment(at, zone)}
  </time>
);

/** Counts up or down by the second. */
export const Distance = ({ at }: { readonly at: number }): JSX.Element => (
  <span class="num">{distance(at)}</span>
);
export const Since = ({ at }: { readonly at: number }): JSX.Element => (
  <span class="num">{whole(Math.max(0, now.value - at))}</span>
);

const BAR = 4;

/** The last runs: as high as they were long, coloured by their outcomes. In a list the newest of all tasks are below each other. */
export function Trend({
  trend,
  places = 24,
}: {
  readonly trend: TaskRow['trend'];
  readonly places?: number;
}): JSX.Element {
  if (trend.length === 0) return <span class="faint">no runs yet</span>;
  const longest = Math.max(1, ...trend.map(([ms]) => ms));
  const bad = trend.filter(([, outcome]) => outcome !== 'success' && outcome !== 'interrupted').length;
  const label = `${trend.length} ${trend.length === 1 ? 'run' : 'runs'}, ${bad} not successful, the longest ${duration(Math.max(...trend.map(([ms]) => ms)))}`;
  return (
    <svg class="trend" width={places * BAR} viewBox={`0 0 ${places * BAR} 24`} role="img" aria-label={label}>
      <title>{label}</title>
      {trend.map(([ms, outcome], place) => {
        const height = 3 + (21 * ms) / longest;
        const x = (places - trend.length + place) * BAR;
        return (
          <rect
            key={String(place)}
            class={slug(outcome)}
            x={x}
            y={24 - height}
            width={BAR - 1}
            height={height}
            rx="1"
          />
        );
      })}
    </svg>
  );
}

/** What comes next for a task. */
export function Next({ row }: { readonly row: TaskRow }): JSX.Element {
  const { state, next, timeZone, runningSince, owedSince, pausedAt, lastDurationMs } = row;
  const at = next === null ? '' : <Moment key="at" at={next} zone={timeZone} />;
  if (state === 'running' && runningSince !== null)
    return (
      <Two
        first={['running for ', <Since key="since" at={runningSince} />]}
        second={[
          isLong(row) && lastDurationMs !== null ? `${duration(lastDurationMs)} the last time, ` : '',
          then(row, at),
        ]}
      />
    );
  if ((state === 'cut off' || state === 'interrupted') && runningSince !== null)
    return (
      <Two
        first={site.value?.owner === 'free' ? 'with the next scheduler' : 'again, at once'}
        second={['started ', <Moment key="at" at={runningSince} zone={timeZone} />]}
      />
    );
  if (state === 'owed' && owedSince !== null)
    return <Two first={['owed for ', <Since key="since" at={owedSince} />]} second={at} />;
  if (state === 'paused' && pausedAt !== null)
    return <Two first="not by itself" second={['paused ', <Distance key="since" at={pausedAt} />]} />;
  if (next === null) return <span class="faint">never</span>;
  return <Two first={<Distance at={next} />} second={[row.retryAt === next ? 'retry ' : '', at]} />;
}

/** What takes many times as long as it did the last time may hang. */
const LONG = 3;
const LONG_FROM_MS = 60_000;

export const isLong = ({ runningSince, lastDurationMs }: TaskRow): boolean =>
  runningSince !== null &&
  lastDurationMs !== null &&
  now.value - runningSince > Math.max(LONG * lastDurationMs, LONG_FROM_MS);

/** What follows the run that goes on. An instant that has passed is not when it starts. */
function then({ next, whileRunning, pausedAt }: TaskRow, at: ComponentChildren): ComponentChildren {
  if (pausedAt !== null) return 'then not by itself';
  if (next === null) return '';
  if (next > now.value) return ['then ', at];
  return whileRunning === 'skip' ? [at, ' is skipped'] : ['then at once (due ', at, ')'];
}

/** A start is written before it is called, which takes some milliseconds. */
const PROMPT_MS = 1000;

/** How late it started; of what has not started, how late it is by now. */
export function Late({ row: { lateMs: ms, state, owedSince } }: { readonly row: TaskRow }): JSX.Element {
  if (owedSince !== null && state !== 'running')
    return (
      <span class="num late">
        <Since at={owedSince} /> late
      </span>
    );
  if (ms === null) return <span class="faint">not yet</span>;
  if (ms <= PROMPT_MS) return <span class="faint">on time</span>;
  return <span class="num late">{duration(ms)} late</span>;
}

/** How it went last. */
export function Last({ row }: { readonly row: TaskRow }): JSX.Element {
  const { lastOutcome, lastStartAt, lastEndAt, failures, interruptions, lastDurationMs } = row;
  if (lastOutcome === 'cut off' && lastStartAt !== null)
    return (
      <Two
        first={<OutcomeText outcome="cut off" />}
        second={['started ', <Distance key="at" at={lastStartAt} />, ', its end is not known']}
      />
    );
  if (lastOutcome === null || lastEndAt === null)
    return <Two first={<span class="faint">not yet</span>} second="" />;
  const outcome = failures > 0 && lastOutcome === 'success' ? 'failure' : lastOutcome;
  const inARow = outcome === 'interrupted' ? interruptions : failures;
  return (
    <Two
      first={
        <>
          <OutcomeText outcome={outcome} />
          {inARow > 1 ? <span class="num">, {inARow} in a row,</span> : null} <Distance at={lastEndAt} />
        </>
      }
      second={
        failures > 0 ? (
          <Failing row={row} />
        ) : lastDurationMs === null ? (
          ''
        ) : (
          `took ${duration(lastDurationMs)}`
        )
      }
    />
  );
}

const Failing = ({ row: { failingSince, lastError } }: { readonly row: TaskRow }): JSX.Element => (
  <>
    {failingSince === null ? null : (
      <>
        failing for <Since at={failingSince} />
      </>
    )}
    {lastError === null ? null : `: ${lastError.message || lastError.name}`}
  </>
);

export const Two = ({
  first,
  second,
}: {
  readonly first: ComponentChildren;
  readonly second: ComponentChildren;
}): JSX.Element => (
  <span class="two">
    <span>{first}</span>
    <small>{second || '\u00a0'}</small>
  </span>
);

export const Trouble = ({ text }: { readonly text: string }): JSX.Element => (
  <p class="trouble" role="alert">
    {text}
  </p>
);
