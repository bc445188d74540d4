/** A verdict for people: the conclusion first, then every axiom in one line, then what broke, in sentences and with its proof. */
import { axioms } from '../../theory/axioms/index.ts';
import type { AxiomVerdict, Verdict, Violation } from '../../theory/verdict/verdict.ts';
import type { Zone } from '../../time/zone.ts';
import type { Io } from '../command.ts';
import { roomOf, textRoomOf } from '../room.ts';
import { type Style, styleFor } from '../style.ts';
import { table } from '../table.ts';
import { counted, printable, wrap } from '../text.ts';
import { duration, timestamp } from '../when.ts';
import type { Judged } from './judge-trace.ts';
import type { PlacedEvidence } from './places.ts';

/** So many violations of one axiom are told; the rest is seldom news. */
const TOLD = 5;

const HOLES =
  'What is malformed was left out, and what it would have told is missing: mend the recorder first, the scheduler may be blamed for that.';

const middle = (event: string): string =>
  `The trace begins in the middle, with ${event}: what was owed before it is missing, and the scheduler may be blamed for that.`;

export function verdictText(io: Io, title: string, { verdict, zone, beginsWith }: Judged): string {
  const style = styleFor(io.stdout, io.env);
  const { records, tasks, crashes, problems } = verdict.counts;
  const counts = [
    counted(records, 'record'),
    counted(tasks, 'task'),
    ...(crashes > 0 ? [crashes === 1 ? '1 crash' : `${crashes.toLocaleString('en')} crashes`] : []),
    ...(problems > 0 ? [counted(problems, 'malformed line')] : []),
  ];
  const doubts = [
    ...(problems > 0 ? [HOLES] : []),
    ...(beginsWith === undefined ? [] : [middle(beginsWith)]),
  ];
  return [
    `${style.bold(printable(title))}: ${counts.join(', ')}  ${style.dim(zone.name)}`,
    paintedConclusion(verdict, style),
    '',
    ...axiomLines(verdict, style, roomOf(io.stdout)),
    ...Object.values(verdict.axioms).flatMap((axiom) => violationLines(io, style, axiom, zone)),
    '',
    ...(verdict.blame === 'scheduler'
      ? doubts.flatMap((doubt) => [wrap(doubt, textRoomOf(io.stdout)), ''])
      : []),
    wrap(certificateOf(verdict), textRoomOf(io.stdout)),
    '',
  ].join('\n');
}

/** The verdict in a few words. */
export function conclusionOf(verdict: Verdict): string {
  switch (verdict.blame) {
    case 'none':
      return 'conformant';
    case 'environment':
      return `conformant; the environment is at fault${byAxiom(verdict)}`;
    case 'scheduler':
      return `not conformant: the scheduler is at fault${byAxiom(verdict)}`;
    case 'outside':
      return `not conformant: something happened outside the model${byAxiom(verdict)}`;
  }
}

function paintedConclusion(verdict: Verdict, { green, red, yellow, symbols }: Style): string {
  const words = conclusionOf(verdict);
  if (!verdict.conformant) return red(`${symbols.failed} ${words}`);
  return verdict.blame === 'none' ? green(`${symbols.ok} ${words}`) : yellow(`${symbols.late} ${words}`);
}

/** ": S1 (3 times), L1"; nothing where no axiom is violated. */
function byAxiom({ axioms: verdicts }: Verdict): string {
  const broken = Object.entries(verdicts).filter(([, { status }]) => status === 'violated');
  const named = broken.map(([id, { count }]) =>
    count > 1 ? `${id} (${count.toLocaleString('en')} times)` : id,
  );
  return named.length === 0 ? '' : `: ${named.join(', ')}`;
}

const nameOf = (id: string): string => axioms.find((axiom) => axiom.id === id)?.name ?? '';

function axiomLines({ axioms: verdicts }: Verdict, style: Style, room: number): string[] {
  const { green, red, dim } = style;
  const paint = { holds: green, violated: red, undecided: dim, vacuous: dim };
  const rows = Object.entries(verdicts).map(([id, { status, notes }]) => [
    id,
    nameOf(id),
    paint[status](status),
    dim(printable(notes.join('; '))),
  ]);
  return table(rows, room - 2).map((line) => `  ${line}`);
}

function violationLines(io: Io, style: Style, { violations, count }: AxiomVerdict, zone: Zone): string[] {
  const told = violations.slice(0, TOLD).flatMap((violation) => tellViolation(io, style, violation, zone));
  if (count <= TOLD) return told;
  const { axiom } = violations[0];
  const rest = `and ${(count - TOLD).toLocaleString('en')} more of ${axiom}; --json tells the first ${violations.length}`;
  return [...told, `  ${style.dim(rest)}`];
}

function tellViolation(io: Io, style: Style, violation: Violation, zone: Zone): string[] {
  const { axiom, task, at, blame, events } = violation;
  const whose = task === undefined ? '' : `, task "${printable(task)}"`;
  const faulty = blame === 'outside' ? 'outside the model' : `the fault of the ${blame}`;
  const when = at === undefined ? '' : `, at ${timestamp(at, zone)}`;
  const room = textRoomOf(io.stdout);
  return [
    '',
    `${style.red(axiom)} ${nameOf(axiom)}${whose}${when}: ${faulty}`,
    wrap(sentenceOf(violation, zone), room, '  '),
    ...table(
      events.map((event) => evidenceRow(event, zone, style)),
      roomOf(io.stdout) - 4,
    ).map((line) => `    ${line}`),
  ];
}

function evidenceRow({ file, line, at, event, task }: PlacedEvidence, zone: Zone, { dim }: Style): string[] {
  const inFile = file === undefined ? '' : `${printable(file)}, `;
  const where = line === undefined || line === 0 ? 'derived' : `${inFile}line ${line}`;
  const when = at === undefined ? '' : timestamp(at, zone);
  return [dim(where), when, event, task === undefined ? '' : printable(task)];
}

/** As `toISOString` writes them: years of more or less than four digits have six and a sign. */
const INSTANT = /(?:[+-]\d{6}|\b\d{4})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** What broke, with its instants as the clocks of the trace's zone showed them. */
export const sentenceOf = ({ because }: Violation, zone: Zone): string =>
  printable(because.replace(INSTANT, (text) => localized(text, zone)));

/** A sentence quotes names, and a name may look like an instant that a `Date` cannot show, here or in this zone. */
function localized(text: string, zone: Zone): string {
  const at = Date.parse(text);
  return Math.abs(at) < 8.64e15 - 2 * 86_400_000 ? timestamp(at, zone) : text;
}

/** What is certified: the smallest lag that would do. */
function certificateOf({ fitted, witnesses }: Verdict): string {
  const { a, b, lagMs } = witnesses;
  const given = [
    `a lag of ${duration(lagMs)}`,
    ...(a > 0 ? [`a = ${a}`] : []),
    ...(b > 0 ? [`b = ${b}`] : []),
  ];
  return `L1–L3 were judged by ${given.join(', ')}; on this trace a lag of ${duration(fitted.lagMs)} would do.`;
}
