/** What operators have asked for and no scheduler has done: without one it waits, and who asked should see that. */
import type { JSX } from 'preact';
import { count, distance } from './format.ts';
import { now, site } from './model.ts';

/** A scheduler looks for requests every two seconds. What is younger is on its way. */
const PROMPT_MS = 5000;
const NAMED = 3;

export function Requests(): JSX.Element | null {
  const { requests = [], owner } = site.value ?? {};
  const waiting = requests.filter(({ askedAt }) => owner === 'free' || askedAt < now.value - PROMPT_MS);
  if (waiting.length === 0) return null;
  const [number, verb] =
    waiting.length === 1 ? ['1 request', 'waits'] : [`${count(waiting.length)} requests`, 'wait'];
  const named = waiting
    .slice(0, NAMED)
    .map(({ kind, task, askedAt }) => `${kind} ${task} (asked ${distance(askedAt)})`);
  const more = waiting.length - named.length;
  return (
    <p class="asked" role="status">
      {`${number} ${verb} for ${owner === 'free' ? 'the next scheduler' : 'an answer'}: `}
      {named.join(', ')}
      {more > 0 ? `, and ${count(more)} more` : ''}
    </p>
  );
}
