/** The instances of a cluster. Leases run down by the second, so they are asked for again and again while they are shown. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Instances } from './api.ts';
import { get } from './api.ts';
import { count, duration } from './format.ts';
import { Distance, Trouble } from './parts.tsx';
import { type Asked, messageOf } from './use-answer.ts';

const EVERY_MS = 2000;

/** Asked for every two seconds while the page is seen. */
function useInstances(): Asked<Instances> {
  const [asked, setAsked] = useState<Asked<Instances>>({ answer: undefined, error: undefined });
  useEffect(() => {
    const left = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        setAsked({ answer: await get<Instances>('instances', {}, left.signal), error: undefined });
      } catch (error) {
        if (!left.signal.aborted) setAsked(({ answer }) => ({ answer, error: messageOf(error) }));
      }
    };
    void ask();
    const timer = setInterval(() => {
      if (!document.hidden) void ask();
    }, EVERY_MS);
    return () => {
      clearInterval(timer);
      left.abort();
    };
  }, []);
  return asked;
}

export function InstancesView(): JSX.Element | null {
  const { answer, error } = useInstances();
  if (error !== undefined) return <Trouble text={error} />;
  if (answer === undefined) return null;
  return (
    <>
      <h2 class="unseen">Instances</h2>
      <p class="lead">
        {answer.count === 1 ? 'One instance shares' : `${count(answer.count)} instances share`} this store.
      </p>
      <section class="card wide" aria-label="All instances" tabIndex={0}>
        <table class="instances">
          <thead>
            <tr>
              {COLUMNS.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{answer.instances.map(Row)}</tbody>
        </table>
      </section>
      <p class="faint small">
        An instance that is not heard of until its lease is over is taken for dead, and the others start its
        runs again. The clock of a host is known where this page is served from.
      </p>
    </>
  );
}

const COLUMNS = ['Instance', 'Host', 'Process', 'Joined', 'Lease left', 'Clock of its host', 'Running'];

const Row = ({
  id,
  host,
  pid,
  since,
  leaseLeftMs,
  aheadMs,
  running,
}: Instances['instances'][number]): JSX.Element => (
  <tr key={id}>
    <th scope="row">
      <code>{id}</code>
    </th>
    <td data-title="Host">{host}</td>
    <td data-title="Process" class="num">
      {pid}
    </td>
    <td data-title="Joined">
      <Distance at={since} />
    </td>
    <td data-title="Lease left" class="num">
      {duration(leaseLeftMs)}
    </td>
    <td data-title="Clock of its host">{clockText(aheadMs)}</td>
    <td data-title="Running" class="num">
      {count(running)}
    </td>
  </tr>
);

/** `aheadMs` is by how much the store's clock is ahead. */
function clockText(aheadMs: number | null): string {
  if (aheadMs === null) return 'not known here';
  if (Math.abs(aheadMs) < 100) return 'as the store\u2019s';
  return `${duration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'behind' : 'ahead of'} the store\u2019s`;
}
