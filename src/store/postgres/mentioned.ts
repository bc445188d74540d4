/** The names and labels that a batch speaks of: their numbers must be known before its statements are made. */
import { Ends, Starts } from '../../core/rows.ts';
import { splitRunName } from '../../core/run-names.ts';
import type { Batch } from '../port.ts';
import { labelsOf } from './records.ts';
import { labelsInEnds, labelsInStarts } from './run-rows.ts';

/** Of tasks that are enrolled the numbers are known. */
export function namesIn(batch: Batch, enrolled?: Int32Array): Set<string> {
  const names = new Set(batch.removes);
  const {
    cutOffs = [],
    configures = [],
    pauses = [],
    ends = [],
    unstarts = [],
    moves = [],
    starts = [],
  } = batch;
  for (const changes of [cutOffs, configures, pauses, ends, unstarts, moves, starts]) {
    const isEnrolled = enrolled !== undefined && (changes instanceof Starts || changes instanceof Ends);
    if (!isEnrolled) for (const { name } of changes) names.add(name);
  }
  return names;
}

export function labelsIn(batch: Batch): Set<string> {
  const labels = new Set<string>();
  const add = (texts: Iterable<string>): void => {
    for (const text of texts) labels.add(text);
  };
  const addRun = (runId: string | null | undefined): void => {
    if (runId != null) labels.add(splitRunName(runId).instance);
  };
  for (const { runId } of batch.cutOffs ?? []) addRun(runId);
  for (const { work, run } of batch.puts ?? []) add(labelsOf(work, run));
  add(labelsInEnds(batch.ends ?? []));
  for (const { runId, work, run } of batch.unstarts ?? []) {
    addRun(runId);
    add(labelsOf(work, run));
  }
  add(labelsInStarts(batch.starts ?? []));
  return labels;
}
