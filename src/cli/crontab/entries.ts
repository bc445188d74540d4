/**
 * A crontab, line by line, as Vixie cron and its descendants read it: comments, variables, and jobs, in which an unescaped `%` ends
 * the command and begins its standard input.
 */

import { codePoint } from '../../errors.ts';

export interface Job {
  readonly kind: 'job';
  readonly line: number;
  /** Five fields with one blank between each, or a macro. */
  readonly time: string;
  /** Only a system crontab has one. */
  readonly user: string | undefined;
  readonly command: string;
  readonly stdin: string | undefined;
}

export type Entry =
  | Job
  | { readonly kind: 'blank'; readonly line: number }
  | { readonly kind: 'comment'; readonly line: number; readonly text: string }
  | { readonly kind: 'variable'; readonly line: number; readonly name: string; readonly value: string }
  | { readonly kind: 'unreadable'; readonly line: number; readonly text: string; readonly reason: string };

/** A system crontab (`/etc/crontab`, `/etc/cron.d/*`) has the user between time and command. */
export type Form = 'user' | 'system';

export function readCrontab(text: string, form: Form): Entry[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  if (lines[lines.length - 1] === '') lines.pop();
  return lines.map((content, index) => readLine(content, index + 1, form));
}

function readLine(content: string, line: number, form: Form): Entry {
  const text = content.trim();
  if (text === '') return { kind: 'blank', line };
  if (text.startsWith('#')) return { kind: 'comment', line, text: text.replace(/^#+ ?/, '') };
  return readVariable(content, line) ?? readJob(text, line, form);
}

/** `NAME = value`, either of them in quotes, which keep blanks at the ends. Nothing is expanded in a crontab. */
function readVariable(content: string, line: number): Entry | undefined {
  const found = /^\s*(?:"([^"]*)"|'([^']*)'|([^\s=]+))\s*=\s*(.*?)\s*$/.exec(content);
  if (found === null) return undefined;
  const [, double, single, bare, written] = found;
  const quoted = /^(["'])(.*)\1$/.exec(written);
  return { kind: 'variable', line, name: double ?? single ?? bare, value: quoted?.[2] ?? written };
}

/** Characters that look like the end of a line, and are none for cron. */
const ODD_BREAKS = /[\r\v\f\u0085\u2028\u2029]/;

function readJob(text: string, line: number, form: Form): Entry {
  const unreadable = (reason: string): Entry => ({ kind: 'unreadable', line, text, reason });
  const [odd] = ODD_BREAKS.exec(text) ?? [];
  if (odd !== undefined)
    return unreadable(
      `it has ${codePoint(odd)} in it, which breaks no line for cron: end the line there, or take it out`,
    );
  // A minus in front keeps some crons from logging the job.
  const job = text.replace(/^-(?=[\d*@])/, '');
  const timed = /^(@\S+|(?:\S+\s+){4}\S+)(?:\s+(.*))?$/.exec(job);
  if (timed === null) return unreadable('it has fewer than five fields and a command');
  const [, written, rest = ''] = timed;
  const time = written.split(/\s+/).join(' ');
  const [, user, afterUser] =
    form === 'system' ? (/^(\S+)(?:\s+(.*))?$/.exec(rest) ?? []) : [rest, undefined, rest];
  if (form === 'system' && user === undefined) return unreadable('it has no user and no command');
  if (afterUser === undefined || afterUser === '') return unreadable('it has no command');
  const { command, stdin } = splitAtPercent(afterUser);
  if (command.trim() === '') return unreadable('it has no command');
  return { kind: 'job', line, time, user, command, stdin };
}

/** The command up to the first `%` that no backslash escapes, and its standard input behind it, the way cron itself does it. */
export function splitAtPercent(text: string): {
  readonly command: string;
  readonly stdin: string | undefined;
} {
  let command = '';
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '%') return { command, stdin: inputOf(text.slice(index + 1)) };
    if (character === '\\' && index + 1 < text.length) {
      const next = text[++index];
      command += next === '%' ? '%' : `\\${next}`;
    } else command += character;
  }
  return { command, stdin: undefined };
}

/** Every further `%` is a line break, `\%` is a `%`, and the last line is ended. */
function inputOf(text: string): string | undefined {
  const input = text.replace(/\\%|%/g, (found) => (found === '%' ? '\n' : '%'));
  if (input === '') return undefined;
  return input.endsWith('\n') ? input : `${input}\n`;
}
