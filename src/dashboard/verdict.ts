/** What the page shows of the verdict of a monitor. The function that answers it is the program's: it may throw, and say anything. */
import { askGuest } from '../guest.ts';
import type { DashboardOptions, MonitorVerdict } from './options.ts';

const MOST_VIOLATIONS = 50;
const MOST_EVENTS = 12;
const MOST_AXIOMS = 100;
const LONGEST_NOTE = 300;

type Violation = MonitorVerdict['axioms'][string]['violations'][number];

export function verdictFrom(verdict: DashboardOptions['verdict']): object | null {
  const given = verdict && askGuest(verdict);
  if (given === undefined) return null;
  try {
    const axioms = Object.values(given.axioms);
    const violations = axioms.flatMap((axiom) => axiom.violations).slice(0, MOST_VIOLATIONS);
    return {
      conformant: given.conformant,
      blame: given.blame,
      held: axioms.filter(({ status }) => status === 'holds').length,
      count: axioms.reduce((sum, { count }) => sum + count, 0),
      axioms: Object.entries(given.axioms)
        .slice(0, MOST_AXIOMS)
        .map(([id, { status, notes = [] }]) => ({
          id,
          status,
          note: notes.join('; ').slice(0, LONGEST_NOTE),
        })),
      violations: violations.map(shown),
    };
  } catch {
    return null;
  }
}

function shown({ axiom, task, at, blame, because, events = [] }: Violation): object {
  const evidence = events.slice(0, MOST_EVENTS);
  return {
    ...{ axiom, task: task ?? null, at: at ?? null, blame, because },
    events: evidence.map((each) => ({ event: each.event, at: each.at ?? null, task: each.task ?? null })),
  };
}
