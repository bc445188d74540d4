/** Lists that `initialize` must refuse (D3), made from a list that it would accept. */
import type { Registration, Task } from '../../scheduler/index.ts';
import type { Flaw } from '../scenario/scenario.ts';

const noop = (): void => {};

type List = ReadonlyArray<Registration | Task>;

export function flawed(list: List, flaw: Flaw): List {
  const name = 'flawed';
  switch (flaw) {
    case 'duplicate name':
      return [...list, [name, '* * * * *', noop, 0], [name, '* * * * *', noop, 0]];
    case 'bad cron':
      return [...list, [name, '*/5 * * * *', noop, 0]];
    case 'negative delay':
      return [...list, [name, '* * * * *', noop, -1]];
    case 'empty name':
      return [...list, ['', '* * * * *', noop, 0]];
    case 'bad shape':
      // The compiler would not accept this mistake.
      return [...list, [name, '* * * * *'] as unknown as Registration];
  }
}
