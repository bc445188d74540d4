/** The theory as it was first written, where a repair of its formulas can be taken back: the exploration refutes each. */
import { Crash, IEsOther, IEsR, RE, RS, SS } from '../../../src/theory/logic/atoms.ts';
import { and, type Formula, Hold, not, or, someList } from '../../../src/theory/logic/formula.ts';
import {
  ActiveR,
  BootDue,
  BootDuePending,
  DuePending,
  FirstComing,
  OrphanedPending,
  RegisteredRx,
  RetryPending,
  Running,
} from '../../../src/theory/logic/macros.ts';

interface Parts {
  readonly orphaned?: Formula;
  readonly bootDue?: Formula;
  readonly active?: Formula;
}

const obligation = ({
  orphaned = OrphanedPending,
  bootDue = BootDuePending,
  active = ActiveR,
}: Parts): Formula => someList(and(or(DuePending, RetryPending, orphaned, bootDue), RegisteredRx, active));

export interface Letter {
  readonly name: string;
  readonly obligation: Formula;
}

export const letters: readonly Letter[] = [
  {
    name: 'T1: boot-due is owed at a single position',
    obligation: obligation({ bootDue: and(BootDue, not(Running)) }),
  },
  {
    name: 'T4: a run that an earlier crash cut off is cut off by every later one',
    obligation: obligation({ orphaned: Hold(and(Crash, Hold(RS, RE)), or(RS, FirstComing)) }),
  },
  {
    name: 'T7: an initialization that a stop was called during becomes active',
    obligation: obligation({ active: Hold(IEsR, or(SS, Crash, IEsOther)) }),
  },
];
