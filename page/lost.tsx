/**
 * What is said while the server does not answer. It is laid over the lower edge, so that nothing moves when it comes and goes; the style sheet dims
 * what is shown meanwhile, and the clock of the page stands still.
 */
import type { JSX } from 'preact';
import { moment } from './format.ts';
import { link, now, site } from './model.ts';

/** The element is always there: readers of screens tell of a text that changes in it. */
export const Lost = (): JSX.Element => (
  <div class="banner" role="status">
    {link.value === 'lost' ? textOf() : ''}
  </div>
);

const textOf = (): string =>
  site.value === undefined
    ? 'The server does not answer. The page asks again every two seconds.'
    : `Not connected since ${moment(now.value)}. This is what was known then.`;
