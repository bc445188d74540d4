/** Parts that the cards of a task share. */
import type { ComponentChildren, JSX } from 'preact';
import type { Run } from './api.ts';

export const Card = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <section class="card">
    <h3>{title}</h3>
    {children}
  </section>
);

export const REASONS: Readonly<Record<Run['reason'], string>> = {
  due: 'due',
  retry: 'retry',
  orphaned: 'again after a crash',
  manual: 'asked for',
};
