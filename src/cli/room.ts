/** How much room there is for text. */
import type { Output } from './args/command.ts';

/**
 * How many columns a line may take. A pipe has no end: nothing is cut there, since a program may read it. A terminal that does not know
 * its size says 0.
 */
export const roomOf = ({ isTTY, columns }: Output): number =>
  isTTY === true ? Math.max(columns || 80, 20) : Number.POSITIVE_INFINITY;

/** The widest a paragraph should be, even where there is more room, or none to measure. */
export const textRoomOf = (output: Output): number => Math.min(roomOf(output), 100);
