import type { Erratum } from './erratum.ts';
import { initialize, minute, own } from './happenings.ts';

const start = (task: string) => [own('RS', '12:00:02', task)];

/** Two tasks come first in a minute in which both are due. They cannot start at one position (EA3), and after it nothing is owed. */
export const twoTasks: Erratum = {
  title: 'T1 two tasks that are due when they first come: both must start, only one may',
  prefix: [minute('12:00', 'A'), ...initialize('12:00:01', 'x|A', 'y|A')],
  moves: { x: start('x|A'), y: start('y|A') },
  length: 3,
  way: ['x', 'y'],
};

/** One is enough, as the search found: whatever comes between the initialization and the start takes the right to it away. */
export const oneTask: Erratum = {
  title: 'T1 one task, and a minute that begins before it has started',
  prefix: [minute('12:00', 'A'), ...initialize('12:00:59', 'x|A'), minute('12:01')],
  moves: { x: start('x|A') },
  length: 2,
  way: ['x'],
};
