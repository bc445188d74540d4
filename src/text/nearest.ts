/** How far two words are apart, and which word was probably meant. */

/** How many letters must be put in, left out, changed, or swapped with their neighbour to make one word of the other. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let cost = Math.min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1));
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwapped) cost = Math.min(cost, beforeLast[column - 2] + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length];
}

/** The word that was probably meant; undefined if none is near. A beginning of exactly one of them is near enough. */
export function nearest(written: string, words: readonly string[]): string | undefined {
  const beginnings = words.filter((word) => written.length > 1 && word.startsWith(written));
  if (beginnings.length === 1) return beginnings[0];
  const lower = written.toLowerCase();
  const [best] = words
    .map((word) => ({ word, away: editDistance(lower, word.toLowerCase()) }))
    .sort((a, b) => a.away - b.away);
  return best !== undefined && best.away <= Math.max(1, Math.floor(best.word.length / 3))
    ? best.word
    : undefined;
}
