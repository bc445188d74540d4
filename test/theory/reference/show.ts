/** Formulas as people write them, for the generated tables of the docs and for messages of tests. */
import { IE, IEs, RE, SS } from '../../../src/theory/logic/atoms.ts';
import { type Formula, True } from '../../../src/theory/logic/formula.ts';
import {
  Active,
  ActiveR,
  BootDuePending,
  DuePending,
  DueUnserved,
  Entitled,
  FirstComing,
  FirstQuiescentSince,
  ManualPending,
  MountainDue,
  Obligation,
  ObligationR,
  Orphaned,
  OrphanedPending,
  Paused,
  Pending,
  Reason,
  Registered,
  RegisteredR,
  RegisteredRx,
  Renewal,
  RetryPending,
  RSucc,
  Running,
  Served,
  TooOld,
  Unserved,
} from '../../../src/theory/logic/macros.ts';

/** The names that formulas are shown with. */
export const macroNames: ReadonlyMap<Formula, string> = new Map([
  [RE, 'RE_x'],
  [IEs, 'IEs'],
  [IE, 'IE'],
  [FirstQuiescentSince(SS), 'FirstQuiescentSince(SS)'],
  [MountainDue, 'MountainDue_x'],
  [RegisteredR, 'Registered_R'],
  [RegisteredRx, 'Registered_{R,x}'],
  [Registered, 'Registered_x'],
  [FirstComing, 'FirstComing_x'],
  [ActiveR, 'Active_R'],
  [Active, 'Active'],
  [Running, 'Running_x'],
  [Orphaned, 'Orphaned_x'],
  [RSucc, 'RSucc_x'],
  [Served, 'Served_x'],
  [DueUnserved, 'DueUnserved_x'],
  [DuePending, 'DuePending_x'],
  [RetryPending, 'RetryPending_x'],
  [OrphanedPending, 'OrphanedPending_x'],
  [BootDuePending, 'BootDuePending_x'],
  [Unserved, 'Unserved_x'],
  [ManualPending, 'ManualPending_x'],
  [Paused, 'Paused_x'],
  [TooOld, 'TooOld_x'],
  [Reason, 'Reason_x'],
  [Pending, 'Pending_x'],
  [ObligationR, 'Obligation_{R,x}'],
  [Obligation, 'Obligation_x'],
  [Entitled, 'Entitled_x'],
  [Renewal, 'Renewal_x'],
]);

const symbols = { and: '∧', or: '∨', S: 'S', U: 'U', W: 'W' } as const;

/** As it is written on paper; `names` gives macros their names back. */
export function show(formula: Formula, names: ReadonlyMap<Formula, string> = new Map()): string {
  const name = names.get(formula);
  if (name !== undefined) return name;
  switch (formula.op) {
    case 'true':
      return '⊤';
    case 'atom':
      return formula.name;
    case 'not':
      return formula.of === True ? '⊥' : `¬${show(formula.of, names)}`;
    case 'someList':
      return `∃R. ${show(formula.of, names)}`;
    case 'Y':
    case 'X':
    case 'F':
    case 'G':
      return `${formula.op} ${show(formula.of, names)}`;
    case 'then':
      return show(formula.of, names);
    case 'Fcomp':
      return `F_comp^lin(R, τ) ${show(formula.of, names)}`;
    case 'or':
      // An implication is kept as ¬a ∨ b, and shown as people write it.
      if (formula.left.op === 'not' && formula.left.of !== True)
        return `(${show(formula.left.of, names)} → ${show(formula.right, names)})`;
      return `(${show(formula.left, names)} ∨ ${show(formula.right, names)})`;
    default:
      return `(${show(formula.left, names)} ${symbols[formula.op]} ${show(formula.right, names)})`;
  }
}
