/** Colours and symbols: only where they can be seen, and never against the user's word. */
import { styleText } from 'node:util';
import type { Io, Output } from './command.ts';

type Paint = (text: string) => string;

export interface Colours {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
}

export interface Style extends Colours {
  readonly symbols: Symbols;
}

export interface Symbols {
  readonly running: string;
  readonly waiting: string;
  readonly ok: string;
  readonly failed: string;
  readonly retry: string;
  readonly late: string;
  readonly bar: string;
  readonly progress: string;
}

const fine: Symbols = {
  running: '●',
  waiting: '○',
  ok: '✓',
  failed: '✗',
  retry: '↻',
  late: '⚠',
  bar: '│',
  progress: '█',
};
const plain: Symbols = {
  running: '*',
  waiting: '.',
  ok: '+',
  failed: 'x',
  retry: '~',
  late: '!',
  bar: '|',
  progress: '#',
};

/** `FORCE_COLOR` wins over `NO_COLOR`, as in Node itself; without either, a terminal that is not "dumb" gets colours. */
function wantsColour({ isTTY }: Output, env: Io['env']): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: terminal } = env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (no !== undefined && no !== '') return false;
  return isTTY === true && terminal !== 'dumb';
}

export function styleFor(output: Output, env: Io['env']): Style {
  const isColoured = wantsColour(output, env);
  const paint = (format: Parameters<typeof styleText>[0]): Paint =>
    isColoured
      ? (text) => (text === '' ? '' : styleText(format, text, { validateStream: false }))
      : (text) => text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    // The console of Linux has few characters, and who calls a terminal dumb may mean it.
    symbols: env.TERM === 'linux' || env.TERM === 'dumb' ? plain : fine,
  };
}
