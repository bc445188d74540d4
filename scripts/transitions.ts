/**
 * `npm run transitions`: every clock change of every zone that the runtime knows, from 1970 to 2037, `next` and `previous`
 * of many expressions around each, against an oracle that looks at every minute. Takes some minutes; uses all cores.
 *
 *     npm run transitions                        all zones
 *     npm run transitions -- Europe/ Asia/Gaza   only zones whose names contain one of these
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { transitions } from '../test/oracle/brute-force.ts';
import { checkTransition } from '../test/oracle/transition-check.ts';
import { createProgress } from './progress.ts';

const FROM = Date.UTC(1970, 0, 1);
const TO = Date.UTC(2038, 0, 1);

interface ZoneReport {
  readonly transitions: number;
  readonly comparisons: number;
  readonly differences: readonly string[];
}

function checkZone(timeZone: string): ZoneReport {
  const changes = transitions(timeZone, FROM, TO);
  const reports = changes.map((change) => checkTransition(timeZone, change));
  return {
    transitions: changes.length,
    comparisons: reports.reduce((sum, report) => sum + report.comparisons, 0),
    differences: reports.flatMap((report) => report.differences),
  };
}

/** Hands zones to the threads one at a time, so that none idles while another has many left. */
async function campaign(zones: readonly string[]): Promise<number> {
  const waiting = [...zones];
  const total = { transitions: 0, comparisons: 0, differences: 0 };
  const progress = createProgress(zones.length, 'zones');
  const startedAt = Date.now();
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL(import.meta.url));
    for (let zone = waiting.shift(); zone !== undefined; zone = waiting.shift()) {
      worker.postMessage(zone);
      const [report]: ZoneReport[] = await once(worker, 'message');
      total.transitions += report.transitions;
      total.comparisons += report.comparisons;
      total.differences += report.differences.length;
      for (const difference of report.differences.slice(0, 5)) console.log(difference);
      progress.advance();
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  progress.end();
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `${total.comparisons.toLocaleString('en')} comparisons around ${total.transitions.toLocaleString('en')} clock changes of ` +
      `${zones.length} zones in ${seconds} s (Node ${process.versions.node}, tz ${process.versions.tz}): ${total.differences} differences`,
  );
  return total.differences === 0 ? 0 : 1;
}

if (isMainThread) {
  const wanted = process.argv.slice(2);
  const zones = Intl.supportedValuesOf('timeZone').filter(
    (zone) => wanted.length === 0 || wanted.some((word) => zone.includes(word)),
  );
  if (zones.length === 0) {
    console.error(`No zone's name contains ${wanted.join(' or ')}.`);
    process.exitCode = 2;
  } else {
    process.exitCode = await campaign(zones);
  }
} else {
  parentPort?.on('message', (zone: string) => parentPort?.postMessage(checkZone(zone)));
}
