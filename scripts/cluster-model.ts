/**
 * The long form of the cluster's proof: the same examination as in the tests, on larger bounds, after theirs. Some minutes, and less than
 * a gigabyte of memory. A word on the command line chooses the bounds whose names have it.
 */
import { machine } from '../bench/harness.ts';
import { summary } from '../test/executor/model/explorer.ts';
import { LONG, SHORT } from '../test/store/cluster/model/bounds.ts';
import { check } from '../test/store/cluster/model/check.ts';

const word = process.argv[2] ?? '';

console.log(machine());
for (const [name, bounds] of Object.entries({ ...SHORT, ...LONG })) {
  if (!name.includes(word)) continue;
  const { graph, violation, elapsedMs } = check(bounds);
  console.log(`${name}\n  ${summary(graph)}; with liveness ${Math.round(elapsedMs)} ms`);
  if (violation === undefined) continue;
  console.log([`  REFUTED: ${violation.property}`, ...violation.trace].join('\n'));
  process.exitCode = 1;
}
