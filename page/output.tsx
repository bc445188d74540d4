/** What the program of a task has written, by run, the newest first. */
import type { JSX } from 'preact';
import type { Output, OutputLine } from './api.ts';
import { count, duration, exact } from './format.ts';
import { Card, Reason } from './task-parts.tsx';
import { useAnswer } from './use-answer.ts';

export function OutputCard({
  name,
  zone,
}: {
  readonly name: string;
  readonly zone: string;
}): JSX.Element | null {
  const { answer } = useAnswer<Output>('output', { name });
  if (answer === undefined || answer.runs.length === 0) return null;
  return (
    <Card title="Output">
      <ul class="runs">
        {answer.runs.map((run, place) => (
          <li key={run.runId}>
            <details open={place === 0}>
              <summary>
                <time dateTime={new Date(run.startedAt).toISOString()}>{exact(run.startedAt, zone)}</time>{' '}
                <span class="faint">
                  <Reason reason={run.reason} />
                  {run.endedAt === null
                    ? ', it runs or was cut off'
                    : `, ended after ${duration(run.endedAt - run.startedAt)}`}
                  {run.message === null ? '' : `: ${run.message}`}
                </span>
              </summary>
              <pre class="output" tabIndex={0}>
                {run.lines.length === 0
                  ? 'It wrote nothing.'
                  : run.lines.map((line, each) => <Line key={each} line={line} />)}
              </pre>
            </details>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const Line = ({ line }: { readonly line: OutputLine }): JSX.Element =>
  'leftOut' in line ? (
    <i>
      … {count(line.leftOut)} lines left out …{'\n'}
    </i>
  ) : (
    <span class={line.stream}>
      {line.line}
      {'\n'}
    </span>
  );
