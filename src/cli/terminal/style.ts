/** What an output can show: colours and symbols, where they can be seen and the user wants them, and how many columns there are. */
import { styleText } from 'node:util';
import type { Io, Output } from '../args/command.ts';

type Paint = (text: string) => string;

export interface Colours {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
}

export interface Style extends Colours {
  /** Marks a line. It is no colour, so it is there without colours too. */
  readonly inverse: Paint;
  readonly symbols: Symbols;
}

export interface Symbols {
  readonly running: string;
  readonly waiting: string;
  readonly ok: string;
  readonly failed: string;
  readonly retry: string;
  readonly late: string;
  readonly paused: string;
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
  paused: '‖',
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
  paused: '=',
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
    inverse: (text) => styleText('inverse', text, { validateStream: false }),
    // The console of Linux has few characters, and a terminal that is called dumb may be dumb.
    symbols: env.TERM === 'linux' || env.TERM === 'dumb' ? plain : fine,
  };
}

/**
 * How many columns a line may take. A pipe has no end: nothing is cut there, since a program may read it. A terminal that does not know
 * its size says 0.
 */
export const roomOf = ({ isTTY, columns }: Output): number =>
  isTTY === true ? Math.max(columns || 80, 20) : Number.POSITIVE_INFINITY;

/** The widest a paragraph should be, even where there is more room, or none to measure. */
export const textRoomOf = (output: Output): number => Math.min(roomOf(output), 100);
