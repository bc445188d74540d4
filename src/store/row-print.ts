/**
 * The print of a row: 53 bits that are the same for rows that hold the same, and that differ for others, but for one pair in some thousand million million. A row
 * with a value of another kind than texts and numbers has none (NaN, which equals nothing): such a value is damage.
 */
const number = new Float64Array(1);
const halves = new Uint32Array(number.buffer);

/** Two mixtures of 32 bits each. Nothing is made per row: a million of them are read. */
let one = 0;
let other = 0;

function mix(value: number): void {
  one = Math.imul(one ^ value, 0x9e3779b1);
  one ^= one >>> 15;
  other = Math.imul(other + value, 0x85ebca6b);
  other ^= other >>> 13;
}

function mixText(text: string): void {
  mix(text.length);
  for (let place = 0; place < text.length; place++) mix(text.charCodeAt(place));
}

export function rowPrint(row: readonly unknown[]): number {
  one = 0x2545f491;
  other = 0x1b873593;
  for (const value of row) {
    if (value === null) mix(1);
    else if (typeof value === 'number') {
      number[0] = value;
      mix(2);
      mix(halves[0]);
      mix(halves[1]);
    } else if (typeof value === 'string') {
      mix(3);
      mixText(value);
    } else return Number.NaN;
  }
  return (one >>> 0) * 2 ** 21 + (other >>> 11);
}
