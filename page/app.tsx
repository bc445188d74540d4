/** The frame: what the store is, whether changes are heard of, where one can go, and the view. */
import type { JSX, TargetedSubmitEvent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { post } from './api.ts';
import { count, exact } from './format.ts';
import { InstancesView } from './instances.tsx';
import { LoadView } from './load.tsx';
import { Lost } from './lost.tsx';
import { announcement, link, loadSite, place, remember, site, theme, zoneChoice } from './model.ts';
import { MonitorView } from './monitor.tsx';
import { Trouble } from './parts.tsx';
import { PlanView } from './plan.tsx';
import { Requests } from './requests.tsx';
import { Task } from './task.tsx';
import { Tasks } from './tasks.tsx';
import { TimelineView } from './timeline.tsx';
import { messageOf } from './use-answer.ts';

const VIEWS: Readonly<Record<string, () => JSX.Element | null>> = {
  tasks: Tasks,
  timeline: TimelineView,
  load: LoadView,
  monitor: MonitorView,
  plan: PlanView,
  instances: InstancesView,
  task: Task,
};

export function App(): JSX.Element {
  useEffect(() => {
    document.documentElement.dataset.theme = theme.value;
    document.documentElement.dataset.link = link.value;
    document.title = titleOf();
  });
  const View = VIEWS[place.value.view] ?? Tasks;
  return (
    <>
      <a class="skip" href="#view" onClick={skip}>
        Skip to the content
      </a>
      <Top />
      <main id="view" tabIndex={-1}>
        <Troubles />
        <Requests />
        {link.value === 'locked' ? <Login /> : site.value === undefined ? null : <View />}
      </main>
      <output class="said" aria-live="polite">
        {announcement.value}
      </output>
      <Lost />
    </>
  );
}

/** What is wrong first, since a tab shows little; then where one is, so that tabs and bookmarks differ. */
function titleOf(): string {
  const { view, name } = place.value;
  const failing = site.value?.counts.failing ?? 0;
  const wrong = link.value === 'lost' ? '(not connected) ' : failing > 0 ? `(${failing} failing) ` : '';
  const known = Object.hasOwn(VIEWS, view) ? view : 'tasks';
  const where = known === 'task' ? name : `${known[0].toUpperCase()}${known.slice(1)}`;
  return `${wrong}${[where, site.value?.title, 'Obbligato'].filter(Boolean).join(' · ')}`;
}

/** The hash is the place, so the link must not change it. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('view')?.focus();
}

function Top(): JSX.Element {
  const state = site.value;
  return (
    <header class="top">
      <h1>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" />
          <path d="M7 20h5l3-9 4 13 3-8h3" />
        </svg>
        <span>{state?.title ?? 'Obbligato'}</span>
      </h1>
      <nav aria-label="Views">
        <Tab view="tasks" text="Tasks" />
        <Tab view="timeline" text="Timeline" />
        <Tab view="load" text="Load" />
        {state?.instances == null ? null : <Tab view="instances" text="Instances" />}
        {state?.verdict ? <Tab view="monitor" text="Monitor" /> : null}
        {state?.hasPlan === true ? <Tab view="plan" text="Plan" /> : null}
      </nav>
      <div class="facts">
        <Owner />
        <span class={`link ${link.value}`}>
          <i aria-hidden="true" />
          {link.value === 'live' ? 'live' : link.value === 'lost' ? 'not connected' : link.value}
        </span>
        <Choices />
      </div>
    </header>
  );
}

const Choices = (): JSX.Element => (
  <>
    <Choice
      label="Times"
      value={zoneChoice.value}
      options={[
        ['viewer', 'my time'],
        ['task', "task's time"],
      ]}
      choose={(value) => {
        zoneChoice.value = value === 'task' ? 'task' : 'viewer';
        remember('zone', value);
      }}
    />
    <Choice
      label="Theme"
      value={theme.value}
      options={[
        ['auto', 'auto'],
        ['light', 'light'],
        ['dark', 'dark'],
      ]}
      choose={(value) => {
        theme.value = value === 'light' || value === 'dark' ? value : 'auto';
        remember('theme', value);
      }}
    />
  </>
);

function Tab({ view, text }: { readonly view: string; readonly text: string }): JSX.Element {
  const isHere = place.value.view === view || (view === 'tasks' && place.value.view === 'task');
  return (
    <a href={`#/${view}`} aria-current={isHere ? 'page' : undefined}>
      {text}
    </a>
  );
}

const UNKNOWN = { owner: 'unknown', ownedBy: null, instances: null } as const;

function Owner(): JSX.Element | null {
  const state = site.value;
  if (state === undefined) return null;
  if (state.isPartial && state.trouble === null)
    return <span class="owner">reading: {count(state.counts.all)} tasks so far</span>;
  const { location, timeZone } = state;
  // Who ran it when the connection was lost says nothing of now.
  const { owner, ownedBy, instances } = link.value === 'lost' ? UNKNOWN : state;
  if (instances !== null && instances > 1)
    return (
      <a class="owner held" href="#/instances" title={location}>
        {instances} schedulers run
      </a>
    );
  const words = { held: 'scheduler runs', free: 'no scheduler runs', unknown: 'scheduler unknown' }[owner];
  const since = ownedBy === null ? '' : `, on ${ownedBy.host} since ${exact(ownedBy.since)}`;
  return (
    <span class={`owner ${owner}`} title={`${location}${since}, expressions in ${timeZone}`}>
      {words}
      {ownedBy === null ? null : <small> pid {ownedBy.pid}</small>}
    </span>
  );
}

interface Chosen {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  choose(value: string): void;
}

const Choice = ({ label, value, options, choose }: Chosen): JSX.Element => (
  <select aria-label={label} value={value} onChange={(event) => choose(event.currentTarget.value)}>
    {options.map(([each, text]) => (
      <option key={each} value={each}>
        {text}
      </option>
    ))}
  </select>
);

function Troubles(): JSX.Element | null {
  const state = site.value;
  if (state === undefined) return null;
  return (
    <>
      {state.trouble === null ? null : <Trouble text={state.trouble} />}
      {state.timeZoneFrom !== 'host' || state.isPartial || state.counts.all === 0 ? null : (
        <p class="faint note">
          Expressions are read in {state.timeZone}, the zone of this page's host: no scheduler has written its
          own into the store yet. If that is another one, what is owed here may be wrong.
        </p>
      )}
      {state.damaged.length === 0 ? null : (
        <Trouble
          text={`${state.damaged.length} damaged records: run "obbligato repair". ${state.damaged[0].task}: ${state.damaged[0].reason}`}
        />
      )}
    </>
  );
}

function Login(): JSX.Element {
  const [wrong, setWrong] = useState('');
  const enter = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get('token') ?? '');
    try {
      await post('login', { token });
      link.value = 'connecting';
      await loadSite();
    } catch (error) {
      setWrong(messageOf(error));
    }
  };
  return (
    <form class="login card" onSubmit={enter}>
      <h2>This dashboard is locked</h2>
      <label>
        Token
        <input type="password" name="token" autoComplete="current-password" required />
      </label>
      <button type="submit" class="main">
        Open
      </button>
      <p role="alert">{wrong}</p>
    </form>
  );
}
