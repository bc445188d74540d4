/** What the marks of a timeline mean, each drawn as it is drawn there. */
import type { JSX } from 'preact';
import { slug } from './parts.tsx';

const BAR = 'M0 0h12V12h-12z';

/** Each of one or two paths, with their classes. */
const MARKS: readonly (readonly [
  text: string,
  ...paths: readonly (readonly [shape: string, d: string])[],
])[] = [
  ['success', ['bar success', BAR]],
  ['failure, gave up, timed out', ['bar failure', BAR]],
  ['cancelled, interrupted', ['bar cancelled', BAR]],
  ['running', ['bar running', BAR]],
  ['cut off, end unknown', [`bar ${slug('cut off')}`, 'M0 0h3V12h-3z'], ['open-end', 'M4 6h10']],
  ['second and later attempts', ['bar success', 'M0 5h12V12h-12z']],
  ['to come', ['due', 'M3 0v12M9 0v12']],
  ['retry to come', ['retry-mark', 'M6 0v12']],
  ['due, served by a later run', ['shared', 'M2 10V3H10V10']],
  ['owed', ['owed-mark', 'M6 0v12']],
  ['change of the clock', ['grid change', 'M6 0v12']],
];

export const Legend = (): JSX.Element => (
  <ul class="legend" aria-label="Marks">
    {MARKS.map(([text, ...paths]) => (
      <Mark key={text} text={text} paths={paths} />
    ))}
  </ul>
);

export const Mark = ({
  text,
  paths,
}: {
  readonly text: string;
  readonly paths: readonly (readonly [shape: string, d: string])[];
}): JSX.Element => (
  <li>
    <svg viewBox="0 0 12 12" aria-hidden="true">
      {paths.map(([shape, d]) => (
        <path key={d} class={shape} d={d} />
      ))}
    </svg>
    {text}
  </li>
);
