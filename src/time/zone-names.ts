/** Which zone did somebody mean who wrote a name that does not exist? */

/** Up to three names of the runtime's zones that are near to what was written, the nearest first. */
export function suggestZones(written: string): readonly string[] {
  const wanted = simplify(written.slice(0, 64));
  if (wanted.length < 3) return [];
  return Intl.supportedValuesOf('timeZone')
    .map((name) => ({ name, distance: distanceTo(wanted, name) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(wanted.length / 4)))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** "new york", "New_York" and "America/New_York" all mean the same city. */
function distanceTo(wanted: string, name: string): number {
  const whole = simplify(name);
  const city = simplify(name.slice(name.lastIndexOf('/') + 1));
  return Math.min(editDistance(wanted, whole), editDistance(wanted, city));
}

const simplify = (name: string): string => name.toLowerCase().replace(/[\s_-]+/g, '_');

/** How many letters must be put in, left out, changed or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, beforeLast[column - 2] + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length];
}
