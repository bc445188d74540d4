/** One task: what it does now, when it starts, what holds for it, and its runs with what they threw. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Run, Runs, TaskDetails } from './api.ts';
import { Controls } from './controls.tsx';
import { duration, exact } from './format.ts';
import { place, site } from './model.ts';
import { OutputCard } from './output.tsx';
import {
  Distance,
  isLong,
  Last,
  Late,
  Moment,
  Next,
  OutcomeText,
  Since,
  StatePill,
  Trend,
  Trouble,
  Two,
} from './parts.tsx';
import { Card, Reason } from './task-parts.tsx';
import { useAnswer } from './use-answer.ts';

export function Task(): JSX.Element {
  const { name } = place.value;
  const { answer, error } = useAnswer<TaskDetails>('task', { name });
  if (answer === undefined || answer.name !== name)
    return (
      <>
        <Back />
        {error === undefined ? <p class="nothing">…</p> : <Trouble text={error} />}
      </>
    );
  return (
    <article class="task">
      <header>
        <Back />
        <h2>{answer.name}</h2>
        <StatePill of={answer} />
        <Controls row={answer} />
        {answer.description === null ? null : <p class="described">{answer.description}</p>}
      </header>
      <Facts details={answer} />
      <div class="columns">
        <div>
          <Schedule details={answer} />
          <History details={answer} />
          {site.value?.hasOutput === true ? <OutputCard name={name} zone={answer.timeZone} /> : null}
        </div>
        <Starts details={answer} />
      </div>
    </article>
  );
}

const Back = (): JSX.Element => (
  <a class="back" href="#/tasks">
    ← All tasks
  </a>
);

interface Shown {
  readonly details: TaskDetails;
}

const Facts = ({ details }: Shown): JSX.Element => (
  <div class="cards">
    <Card title="Next start">
      <Next row={details} />
    </Card>
    <Card title="Last run">
      <Last row={details} />
    </Card>
    <Card title="Lateness">
      <Two
        first={<Late row={details} />}
        second={
          details.lateMs === null
            ? ''
            : `${duration(details.lateMs)} from its first unserved due to its start`
        }
      />
    </Card>
    <Card title="Durations">
      <Durations trend={details.trend} />
    </Card>
  </div>
);

/** The trend with its scale. */
const Durations = ({ trend }: Pick<TaskDetails, 'trend'>): JSX.Element => (
  <Two first={<Trend trend={trend} places={trend.length} />} second={scaleOf(trend)} />
);

function scaleOf(trend: TaskDetails['trend']): string {
  if (trend.length === 0) return '';
  const known = trend.filter(([, outcome]) => outcome !== 'cut off').map(([ms]) => ms);
  const runs = trend.length === 1 ? 'one run' : `the last ${trend.length} runs`;
  return `${runs}, ${known.length === 0 ? 'cut off' : `at most ${duration(Math.max(...known))}`}`;
}

const Schedule = ({ details: { cron, timeZone, sentence, policy, firstSeenAt } }: Shown): JSX.Element => (
  <Card title="Schedule">
    <p>
      <code>{cron}</code> <span class="faint">{timeZone}</span>
    </p>
    <p>{sentence}</p>
    <dl>
      {policy.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div>
        <dt>First seen</dt>
        <dd>
          <Moment at={firstSeenAt} zone={timeZone} />
        </dd>
      </div>
    </dl>
  </Card>
);

function Starts({ details }: Shown): JSX.Element {
  const { starts, changes, timeZone, pausedAt } = details;
  const all = [
    ...starts.map((at) => ({ at, text: undefined })),
    ...changes.map(({ at, text }) => ({ at, text })),
  ].sort((a, b) => a.at - b.at || (a.text === undefined ? 1 : -1));
  return (
    <Card title={pausedAt === null ? 'Next starts' : 'Next starts, if it were not paused'}>
      {starts.length === 0 ? <p class="faint">It is never due.</p> : null}
      <ol class="starts">
        {all.map(({ at, text }) =>
          text === undefined ? (
            <li key={`start ${at}`}>
              <time dateTime={new Date(at).toISOString()}>{exact(at, timeZone)}</time>
              <Distance at={at} />
            </li>
          ) : (
            <li key={`change ${at}`} class="change">
              {text}
            </li>
          ),
        )}
      </ol>
    </Card>
  );
}

const MORE = 25;

function History({ details }: Shown): JSX.Element {
  const { name, timeZone: zone } = details;
  const [limit, setLimit] = useState(MORE);
  const [outcome, setOutcome] = useState('all');
  const { answer, error } = useAnswer<Runs>('history', { name, limit, outcome });
  return (
    <Card title="Runs">
      <label class="small">
        Show{' '}
        <select value={outcome} onChange={(event) => setOutcome(event.currentTarget.value)}>
          {['all', 'success', 'failure', 'gave up', 'timed out', 'cancelled', 'cut off', 'interrupted'].map(
            (each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ),
          )}
        </select>
      </label>
      {error === undefined ? null : <Trouble text={error} />}
      {answer?.isKept === false ? <p class="faint">This store keeps no history.</p> : null}
      {answer?.isKept === true && answer.runs.length === 0 && details.state !== 'running' ? (
        <p class="faint">There are none.</p>
      ) : null}
      <ul class="runs">
        {outcome === 'all' && details.state === 'running' ? <Current details={details} /> : null}
        {answer?.runs.map((run) => (
          <RunItem key={run.runId} run={run} zone={zone} />
        ))}
      </ul>
      {answer?.hasMore === true && limit < 200 ? (
        <button type="button" onClick={() => setLimit(Math.min(200, limit + MORE))}>
          More
        </button>
      ) : null}
    </Card>
  );
}

/** The run that goes on is the first of all: since when, for how long, and how long the one before took. */
function Current({ details }: Shown): JSX.Element | null {
  const { runningSince, timeZone, attempt, lastDurationMs, owedSince } = details;
  if (runningSince === null) return null;
  return (
    <li class="current">
      <div class="run">
        <span class="outcome">running</span>
        <time dateTime={new Date(runningSince).toISOString()}>{exact(runningSince, timeZone)}</time>
        <span class={isLong(details) ? 'num late' : 'num'}>
          <Since at={runningSince} />
        </span>
        <span class="faint">
          {[
            attempt !== null && attempt > 1 ? `attempt ${attempt}` : '',
            lastDurationMs === null ? '' : `${duration(lastDurationMs)} the last time`,
            owedSince === null ? '' : `due again since ${exact(owedSince, timeZone)}`,
          ]
            .filter((text) => text !== '')
            .join(', ')}
        </span>
      </div>
    </li>
  );
}

function RunItem({ run, zone }: { readonly run: Run; readonly zone: string }): JSX.Element {
  const { error, calledAt, endedAt, attempt, reason, scheduledFor } = run;
  const late = calledAt - scheduledFor;
  return (
    <li>
      <div class="run">
        <OutcomeText outcome={run.outcome} />
        <time dateTime={new Date(calledAt).toISOString()}>{exact(calledAt, zone)}</time>
        <span class="num">{run.outcome === 'cut off' ? '' : duration(endedAt - calledAt)}</span>
        <span class="faint">
          <Reason reason={reason} />
          {attempt > 1 ? `, attempt ${attempt}` : ''}
          {reason === 'due' && late > 60_000 ? `, ${duration(late)} late` : ''}
        </span>
      </div>
      {error === null ? null : (
        <details>
          <summary>
            {error.name}: {error.message}
          </summary>
          <pre tabIndex={0}>{error.text}</pre>
        </details>
      )}
    </li>
  );
}
