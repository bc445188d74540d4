/** The judgements as a page to look at: a table whose cells lead to what is broken, and to the part of the trace that proves it. */
import { axioms } from 'obbligato/theory';
import type { Broken, Judgement } from './judge.ts';
import { aboutOf } from './recorded.ts';
import { cell, clock, counted, excuse, isWell, standing, title } from './report.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { schedulers } from './schedulers.ts';

const headingOf = (scenario: string, scheduler: string): string => `${scenario}: ${scheduler}`;

/** The anchor that a forge makes of a heading. */
const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(':', '').replaceAll(' ', '-');

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function overview(judgements: readonly Judgement[]): string[] {
  const rows = scenarios.map(({ id }) => [
    `[${id}](#${id})`,
    ...schedulers.map(({ name }) => {
      const found = judgements.find((one) => one.scheduler === name && one.scenario === id);
      if (found === undefined) return '';
      const text = cell(found);
      if (found.unjudged !== undefined) return `[${text}](#${id})`;
      return found.broken.length === 0 ? text : `[${text}](#${anchorOf(headingOf(id, name))})`;
    }),
  ]);
  const head = ['scenario', ...schedulers.map(title)];
  return [head, head.map(() => '---'), ...rows].map(row);
}

function proof({ axiom, count, because, events }: Broken, { timeZone }: Scenario): string[] {
  const name = axioms.find(({ id }) => id === axiom)?.name ?? axiom;
  const times = count === 1 ? 'once' : `${count} times, the first`;
  return [
    `**${axiom} ${name}**, ${times}: ${because}.`,
    '',
    row(['line', 'when', 'what']),
    row(['---', '---', '---']),
    ...events.map(({ at, line, event, task }) =>
      row([
        line === undefined ? 'derived' : String(line),
        at === undefined ? '' : clock(at, timeZone),
        task === undefined ? event : `${event} "${task}"`,
      ]),
    ),
    '',
  ];
}

function brokenBy(judgement: Judgement, scenario: Scenario): string[] {
  const { scheduler, broken, besides } = judgement;
  const wake = `In its wake the ends do not match the starts either: ${besides.join(', ')}.`;
  const said = standing(scheduler, scenario.id);
  return [
    `### ${headingOf(scenario.id, scheduler)}`,
    '',
    `${counted(judgement)}: ${said}${said.endsWith('.') ? '' : '.'}`,
    '',
    ...broken.flatMap((one) => proof(one, scenario)),
    ...(besides.length > 0 ? [wake, ''] : []),
  ];
}

function section(scenario: Scenario, judgements: readonly Judgement[]): string[] {
  const own = judgements.filter((one) => one.scenario === scenario.id);
  const well = own.filter(isWell).map(counted);
  const excuses = own.flatMap((one) => excuse(one) ?? []);
  return [
    `## ${scenario.id}`,
    '',
    `${scenario.title} (${scenario.timeZone}). ${scenario.demands}`,
    '',
    ...(well.length > 0 ? [`Nothing broken: ${well.join(', ')}.`, ''] : []),
    ...excuses.flatMap((words) => [words, '']),
    ...traces(own),
    ...own.filter(({ broken }) => broken.length > 0).flatMap((one) => brokenBy(one, scenario)),
  ];
}

/** With what each trace was made that was recorded earlier. */
export const recordings = (): string[] =>
  schedulers.flatMap((scheduler) => {
    if (scheduler.server === undefined) return [];
    const { date, node, version, server, notRun } = aboutOf(scheduler.name);
    return notRun === undefined
      ? `${scheduler.name} ${version} on ${server}: recorded on ${date} with Node ${node}`
      : `${scheduler.name}: not run (${notRun})`;
  });

/** Where the whole traces are. */
function traces(own: readonly Judgement[]): string[] {
  const links = own
    .filter(({ scheduler, unjudged }) => isRecorded(scheduler) && unjudged === undefined)
    .map(
      ({ scheduler, scenario }) =>
        `[${scheduler}](../examples/judge-others/recorded/${scheduler}/${scenario}.jsonl)`,
    );
  return links.length === 0 ? [] : [`The traces that were recorded: ${links.join(', ')}.`, ''];
}

const isRecorded = (name: string): boolean =>
  schedulers.some((one) => one.name === name && one.server !== undefined);

/** Everything but the head of the page. */
export const page = (judgements: readonly Judgement[]): string =>
  [...overview(judgements), '', ...scenarios.flatMap((scenario) => section(scenario, judgements))]
    .join('\n')
    .trimEnd();
