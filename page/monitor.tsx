/** What the oracle has found while the scheduler runs: which axiom, which task, whose fault. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Verdict } from './api.ts';
import { AXIOMS } from './axioms.ts';
import { count, exact } from './format.ts';
import { loadSite, site, taskLink } from './model.ts';
import { Moment } from './parts.tsx';
import { Card } from './task-parts.tsx';

const BLAMES = {
  none: 'Nothing is violated.',
  environment: 'Something is violated, and the environment is to blame, not the scheduler.',
  scheduler: 'The scheduler is at fault.',
  outside: 'Something happened that the theory has no word for.',
} as const;

const EVERY_MS = 2000;

export function MonitorView(): JSX.Element | null {
  // A verdict may change while nothing in the store does, so nothing tells of it.
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void loadSite();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const verdict = site.value?.verdict;
  if (!verdict) return null;
  return (
    <>
      <h2 class="unseen">Monitor</h2>
      <p class={`lead ${verdict.blame === 'none' ? 'outcome' : 'outcome failure'}`}>
        {BLAMES[verdict.blame]}
      </p>
      {verdict.count === 0 ? null : (
        <Card title="Violations">
          <p class="faint">
            {verdict.count === 1 ? 'One violation was' : `${count(verdict.count)} violations were`} found.
          </p>
          <ul class="runs proofs">{verdict.violations.map(Item)}</ul>
        </Card>
      )}
      <Axioms verdict={verdict} />
    </>
  );
}

/** Every axiom with its status, as "obbligato check" lists them. */
const Axioms = ({ verdict }: { readonly verdict: Verdict }): JSX.Element => (
  <Card title="Axioms">
    <p class="faint">{count(verdict.held)} axioms were put to the test and hold.</p>
    <ul class="axioms">
      {verdict.axioms.map(({ id, status, note }) => (
        <li key={id}>
          <b class="num">{id}</b>
          <span>{AXIOMS[id] ?? ''}</span>
          <span class={STATUSES[status] ?? 'faint'}>{status}</span>
          <small>{note}</small>
        </li>
      ))}
    </ul>
  </Card>
);

const STATUSES: Readonly<Record<string, string>> = { holds: 'outcome', violated: 'outcome failure' };

type Violation = Verdict['violations'][number];

const Item = ({ axiom, task, at, blame, because, events }: Violation): JSX.Element => (
  <li key={`${axiom} ${task} ${at} ${because}`}>
    <b>{axiom}</b> {task === null ? null : <a href={taskLink(task)}>{task}</a>}{' '}
    {at === null ? null : <Moment at={at} />} <span class="faint">({blame})</span>
    <p>{because}</p>
    {events.length === 0 ? null : (
      <details>
        <summary>The events that prove it</summary>
        <ol class="names">
          {events.map((proof, place) => (
            <li key={String(place)}>
              <code>{proof.event}</code> {proof.task}{' '}
              {proof.at === null ? null : <time class="num">{exact(proof.at)}</time>}
            </li>
          ))}
        </ol>
      </details>
    )}
  </li>
);
