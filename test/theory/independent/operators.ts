/** Temporal logic on finite traces: a formula is its truth at each position. */

export type Truths = readonly boolean[];

export const not = (a: Truths): Truths => a.map((value) => !value);
export const and = (a: Truths, b: Truths): Truths => a.map((value, i) => value && b[i]);
export const or = (a: Truths, b: Truths): Truths => a.map((value, i) => value || b[i]);

/** `Y a`: at the position before. */
export const before = (a: Truths): Truths => a.map((_, i) => i > 0 && a[i - 1]);

/** `a S b`: b was true at some position up to here, and a at every position after that one. */
function since(a: Truths, b: Truths): Truths {
  const result: boolean[] = [];
  for (let i = 0; i < a.length; i++) result.push(b[i] || (a[i] && i > 0 && result[i - 1]));
  return result;
}

/** Set once, and not cleared since; where both come together it is cleared. */
export const hold = (set: Truths, clear: Truths): Truths => and(since(not(clear), set), not(clear));

/** Set once, and not cleared since; where both come together it is set. */
export const holdPlus = (set: Truths, clear: Truths): Truths => or(hold(set, clear), set);
