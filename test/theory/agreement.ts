/**
 * Holds the monitor's evaluator against the definitions: random axioms, random traces, every task, every position. A pair is
 * one axiom on one trace.
 */
import { bits } from '../../src/theory/logic/atoms.ts';
import type { Automaton } from '../../src/theory/logic/automaton.ts';
import { compileTheory } from '../../src/theory/logic/compiled.ts';
import { type Formula, someList } from '../../src/theory/logic/formula.ts';
import { type Monitorable, monitorable } from '../../src/theory/logic/monitorable.ts';
import { initialize } from '../../src/theory/tasks/initializations.ts';
import { passed, resume, skipped } from '../../src/theory/tasks/policies.ts';
import type { TaskFindings } from '../../src/theory/tasks/slices.ts';
import { Tasks } from '../../src/theory/tasks/tasks.ts';
import { axiom, divides, divisionSchedule, MINUTE_MS, names, randomOf, trace } from './random.ts';
import { NaiveEvaluator } from './reference/naive.ts';
import type { Position } from './reference/position.ts';
import { show } from './reference/show.ts';

export interface Disagreement {
  readonly formula: string;
  readonly task: string;
  readonly position: number;
  readonly fast: boolean;
  readonly naive: boolean | undefined;
  readonly trace: readonly Position[];
}

interface Said {
  /** Whether a part of an axiom breaks, or is open, for a task at a position. */
  readonly breaks: (part: number, position: number, task: string) => boolean;
  /** Whether a part of an axiom has been put to the test by a task, up to a position. */
  readonly isTested: (part: number, position: number, task: string) => boolean;
}

/** What the monitor says: for each position, each task, each part of each axiom, whether it breaks or is open there. */
function fast(parts: readonly Monitorable[], automaton: Automaton, positions: readonly Position[]): Said {
  const broken = new Set<string>();
  let position = 0;
  const tasks = new Tasks(automaton, {
    ...noFindings,
    broken(mask, _edge, { task }) {
      for (let bit = 0; bit < 31; bit++) if (mask & (1 << bit)) broken.add(`${bit} ${position} ${task.name}`);
    },
  });
  const open = new Set<string>();
  const tested = new Map<string, number>();
  const safety = parts.filter((part) => part.kind === 'safety');
  const responses = parts.filter((part) => part.kind === 'response');
  tasks.reader.begin(minuteStart(positions[0]?.at ?? 0));
  // A name that was never heard of is a stranger, and reads as one.
  for (const name of names) tasks.task(name);
  for (const current of positions) {
    step(tasks, current);
    for (const name of names) {
      const { openAt, seen } = tasks.slices.of(tasks.task(name).past);
      tested.set(`${position} ${name}`, seen);
      openAt?.forEach((at, i) => {
        if (!Number.isNaN(at)) open.add(`${i} ${position} ${name}`);
      });
    }
    position++;
  }
  const bits = [...safety, ...responses];
  return {
    breaks(index, at, task) {
      const part = parts[index];
      return part.kind === 'safety'
        ? broken.has(`${safety.indexOf(part)} ${at} ${task}`)
        : open.has(`${responses.indexOf(part)} ${at} ${task}`);
    },
    isTested: (index, at, task) =>
      ((tested.get(`${at} ${task}`) ?? 0) & (1 << bits.indexOf(parts[index]))) !== 0,
  };
}

/** A listener that does not listen. */
export const noFindings: TaskFindings = {
  broken() {},
  ended() {},
  delayed() {},
  owed: () => [],
};

const minuteStart = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;

function step(tasks: Tasks, position: Position): void {
  const { at } = position;
  switch (position.event) {
    case 'REs':
    case 'REf': {
      const task = tasks.task(position.task);
      tasks.own(task, bits[position.event] | (position.serves ? bits.Passed : 0), at);
      if (position.serves) for (const past of task.pasts) passed(past, at);
      break;
    }
    case 'RS':
    case 'RetryDue':
    case 'Requested':
    case 'Pause':
      if (position.event === 'RS') tasks.started(tasks.task(position.task), at);
      else tasks.own(tasks.task(position.task), bits[position.event], at);
      break;
    case 'Resume':
      resume(tasks, tasks.task(position.task), position.catchUp, at);
      break;
    case 'DueSkipped':
      skipped(tasks, tasks.task(position.task), () => position.rightful, at);
      break;
    case 'Stale': {
      const group = [...tasks.groups].find(({ schedule }) => schedule?.key === position.schedule);
      if (group === undefined) tasks.slices.begin();
      else tasks.stale(group, at);
      break;
    }
    case 'Minute': {
      const due = [...tasks.groups].filter(
        ({ schedule }) => schedule !== undefined && divides(schedule.key, at / MINUTE_MS),
      );
      tasks.due(due, at);
      break;
    }
    case 'IEs':
      initialize(
        tasks,
        {
          list: position.registrations.map(({ name, schedule, reset }) => ({
            name,
            schedule: divisionSchedule(schedule),
            retryDelayMs: 0,
            policy: reset ? { onOverride: 'reset' } : undefined,
          })),
          isLive: position.live,
          plannedAt: at,
        },
        at,
      );
      break;
    case 'other':
      tasks.slices.begin();
      break;
    default:
      tasks.everyone(bits[position.event], at);
  }
}

/** Compares some axioms on some traces; returns how many pairs were compared, or the first disagreement. */
export function compare(
  seed: number,
  { axioms, traces }: { axioms: number; traces: number },
): number | Disagreement {
  const random = randomOf(seed);
  const formulas: Formula[] = Array.from({ length: axioms }, () => axiom(random));
  return compareOn(formulas, () => trace(random, 3 + Math.floor(random() * 8)), traces);
}

/** Compares given axioms on some traces, one trace after the other. */
type Comparison = (
  formulas: readonly Formula[],
  nextTrace: () => readonly Position[],
  traces: number,
) => number | Disagreement;

type First = (
  parts: readonly Monitorable[],
  automaton: Automaton,
  positions: readonly Position[],
) => Disagreement | undefined;

const comparisonBy =
  (first: First): Comparison =>
  (formulas, nextTrace, traces) => {
    const parts = formulas.flatMap((formula) => monitorable(formula));
    const automaton = compileTheory(parts);
    for (let i = 0; i < traces; i++) {
      const disagreement = first(parts, automaton, nextTrace());
      if (disagreement !== undefined) return disagreement;
    }
    return formulas.length * traces;
  };

/** What is broken, and which demands are open. */
export const compareOn = comparisonBy(firstDisagreement);

function firstDisagreement(
  parts: readonly Monitorable[],
  automaton: Automaton,
  positions: readonly Position[],
): Disagreement | undefined {
  const monitor = fast(parts, automaton, positions);
  for (const task of names) {
    const naive = new NaiveEvaluator(positions, { task });
    for (let position = 0; position < positions.length; position++) {
      for (const [index, part] of parts.entries()) {
        // A demand may be about a list: open is then, for some list.
        const formula = part.kind === 'safety' ? part.broken : part.open;
        const said = naive.at(part.kind === 'safety' ? formula : someList(formula), position);
        const seen = monitor.breaks(index, position, task);
        if (seen !== said)
          return { formula: show(formula), task, position, fast: seen, naive: said, trace: positions };
      }
    }
  }
  return undefined;
}

/**
 * Compares what each task has put to the test on some traces: a part whose premise has held for it at some position. This is for
 * axioms whose premises only become true where something happens to the task: the monitor does not show every position to every task.
 */
export const compareTested = comparisonBy(firstUntested);

function firstUntested(
  parts: readonly Monitorable[],
  automaton: Automaton,
  positions: readonly Position[],
): Disagreement | undefined {
  const monitor = fast(parts, automaton, positions);
  for (const task of names) {
    const naive = new NaiveEvaluator(positions, { task });
    for (const [index, { when }] of parts.entries()) {
      let said = false;
      for (let position = 0; position < positions.length; position++) {
        said ||= naive.at(someList(when), position) === true;
        const seen = monitor.isTested(index, position, task);
        if (seen !== said)
          return { formula: show(when), task, position, fast: seen, naive: said, trace: positions };
      }
    }
  }
  return undefined;
}

/** A disagreement as a person reads it. */
export function inWords({ formula, task, position, fast, naive, trace }: Disagreement): string {
  const line = (at: Position, index: number): string => {
    const { event, at: time, ...rest } = at;
    const more = JSON.stringify(rest, (_, value) => (value instanceof Set ? [...value] : value));
    return `${index === position ? '→' : ' '} ${index} ${time / 1000} s ${event} ${more}`;
  };
  return `The monitor says ${fast} and the definitions say ${naive}, for task ${task} at position ${position}, of\n  ${formula}\n${trace.map(line).join('\n')}`;
}
