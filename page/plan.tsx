/** What the next deploy would change. */
import type { JSX } from 'preact';
import type { Configuration, Plan } from './api.ts';
import { count, duration } from './format.ts';
import { Trouble } from './parts.tsx';
import { Card } from './task-parts.tsx';
import { useAnswer } from './use-answer.ts';

export function PlanView(): JSX.Element | null {
  const { answer, error } = useAnswer<Plan>('plan', {});
  if (error !== undefined) return <Trouble text={error} />;
  if (answer === undefined) return null;
  const { counts, preserved } = answer;
  return (
    <>
      <h2 class="unseen">Plan of the next deploy</h2>
      <p class="lead">
        The next start would add {count(counts.added)}, change {count(counts.changed)} and forget{' '}
        {count(counts.removed)} tasks, and leave {count(preserved)} as they are.
      </p>
      <div class="cards">
        <Names title="Added" all={answer.added} />
        <Names title="Forgotten, with their state" all={answer.removed} />
        <Names title="Started at once" all={answer.starts.map(({ name, reason }) => `${name} (${reason})`)} />
      </div>
      <Changed all={answer.changed} />
    </>
  );
}

const Changed = ({ all }: { readonly all: Plan['changed'] }): JSX.Element => (
  <Card title="Changed">
    {all.length === 0 ? <p class="faint">none</p> : null}
    <ul class="names changed">
      {all.map(({ name, before, after }) => (
        <li key={name}>
          <b>{name}</b>
          {differences(before, after).map(([what, from, to]) => (
            <span key={what}>
              {what} <code>{from}</code> → <code>{to}</code>
            </span>
          ))}
        </li>
      ))}
    </ul>
  </Card>
);

type Difference = readonly [what: string, before: string, after: string];

/** Only what is another one afterwards. */
function differences(before: Configuration, after: Configuration): readonly Difference[] {
  const [from, to] = [partsOf(before), partsOf(after)];
  return [...new Set([...from.keys(), ...to.keys()])]
    .map((what): Difference => [what, from.get(what) ?? 'none', to.get(what) ?? 'none'])
    .filter(([, one, other]) => one !== other);
}

/** Everything that a task is configured by, as it is said in the code. */
function partsOf({ cron, retryDelayMs, policy }: Configuration): ReadonlyMap<string, string> {
  const said = Object.entries<unknown>(JSON.parse(policy ?? '{}'));
  return new Map([
    ['cron', cron],
    ['retry after', duration(retryDelayMs)],
    ...said.map(([what, value]): [string, string] => [
      what,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ]);
}

const Names = ({ title, all }: { readonly title: string; readonly all: readonly string[] }): JSX.Element => (
  <Card title={title}>
    {all.length === 0 ? <p class="faint">none</p> : null}
    <ul class="names">
      {all.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  </Card>
);
