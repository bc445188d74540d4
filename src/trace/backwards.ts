/** A file's lines from the last to the first, read only as far as they are asked for. */
import { fstatSync, readSync } from 'node:fs';

export interface LineFromBehind {
  readonly text: string;
  /** Where it begins in the file. */
  readonly start: number;
  /** `open` is a last line without a newline: cut off, or by a program that writes none. */
  readonly end: 'newline' | 'open';
}

const PIECE_BYTES = 64 * 1024;

export function* linesBackwards(fd: number): Generator<LineFromBehind, void> {
  const size = fstatSync(fd).size;
  let end: LineFromBehind['end'] = 'open';
  /** The line in hand, its last piece first. */
  let pieces: Buffer[] = [];
  const line = (start: number): LineFromBehind => {
    const text = Buffer.concat(pieces.reverse()).toString();
    pieces = [];
    return { text, start, end };
  };
  for (let position = size; position > 0; ) {
    const piece = readBefore(fd, position);
    position -= piece.length;
    let to = piece.length;
    while (to > 0) {
      const newline = piece.lastIndexOf(0x0a, to - 1);
      pieces.push(piece.subarray(newline + 1, to));
      if (newline === -1) break;
      const found = line(position + newline + 1);
      if (found.text !== '') yield found;
      end = 'newline';
      to = newline;
    }
  }
  const first = line(0);
  if (first.text !== '') yield first;
}

/** The bytes before a position, as many as a piece has, or fewer at the beginning of the file. */
function readBefore(fd: number, position: number): Buffer {
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, position));
  for (let filled = 0; filled < piece.length; ) {
    const count = readSync(fd, piece, filled, piece.length - filled, position - piece.length + filled);
    if (count === 0) throw new Error('the file became shorter while it was read');
    filled += count;
  }
  return piece;
}
