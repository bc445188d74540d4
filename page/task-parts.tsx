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

const REASONS: Readonly<Record<Run['reason'], string>> = {
  due: 'its schedule said so',
  retry: 'the run before failed',
  orphaned: 'the run before was cut off',
  manual: 'somebody asked for it',
};

/** Why a run started, in the word of the command line and of the library; what the word means is at hand. */
export const Reason = ({ reason }: Pick<Run, 'reason'>): JSX.Element => (
  <span title={REASONS[reason]}>{reason}</span>
);
