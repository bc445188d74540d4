/**
 * States of the shipped executor as keys: every field of the real state, byte for byte and whether or not it
 * makes sense, so that a broken list or a wrong counter of a planted fault survives the way there and back.
 */
import type { System } from './explorer.ts';
import { queueOf } from './shipped-lists.ts';
import { type Instance, type Model, slotNames } from './shipped-model.ts';

/** Lists and counters may go below zero in a broken executor; a byte may not. */
const OFFSET = 16;
const FAULTS: string[] = [''];

export function shippedCodec(
  instance: Instance,
  scratch: Model,
): Pick<System<Model>, 'encode' | 'decode' | 'render'> {
  const bytes = Buffer.alloc(256);
  return {
    encode: (model) => bytes.toString('latin1', 0, write(model, bytes)),
    // One model is written over again and again: the explorer keeps no state past the next call.
    decode: (key) => {
      bytes.write(key, 'latin1');
      read(scratch, bytes);
      return scratch;
    },
    render: (model) => render(instance, model),
  };
}

function write(model: Model, bytes: Buffer): number {
  const { executor, left, owed, inFlight, live, lastTook, busy } = model;
  let fault = FAULTS.indexOf(model.fault);
  if (fault === -1) fault = FAULTS.push(model.fault) - 1;
  let at = 0;
  bytes[at++] = fault;
  bytes[at++] = (executor.stopped ? 1 : 0) + (model.settled ? 2 : 0) + 4 * model.arrived;
  bytes[at++] = executor.size;
  bytes[at++] = OFFSET + executor.triggeredCount;
  bytes[at++] = OFFSET + executor.queuedCount;
  bytes[at++] = OFFSET + executor.runningCount;
  bytes[at++] = OFFSET + executor.openSourceCount;
  for (let index = 0; index < executor.lists.length; index++) bytes[at++] = OFFSET + executor.lists[index];
  for (let slot = 0; slot < left.length; slot++) {
    bytes[at++] =
      executor.phase[slot] +
      4 * executor.kind[slot] +
      8 * executor.triggered[slot] +
      (owed[slot] ? 16 : 0) +
      (inFlight[slot] ? 32 : 0) +
      (live[slot] ? 64 : 0);
    bytes[at++] = OFFSET + executor.next[slot];
    bytes[at++] = OFFSET + executor.openSources[slot];
    for (const triggers of left[slot]) bytes[at++] = triggers;
  }
  for (let worker = 0; worker < busy.length; worker++)
    bytes[at++] = 2 * lastTook[worker] + (busy[worker] ? 1 : 0);
  return at;
}

function read(model: Model, bytes: Buffer): void {
  const { executor, left, owed, inFlight, live, lastTook, busy } = model;
  let at = 0;
  model.fault = FAULTS[bytes[at++]];
  executor.stopped = (bytes[at] & 1) !== 0;
  model.settled = (bytes[at] & 2) !== 0;
  model.arrived = bytes[at++] >> 2;
  executor.size = bytes[at++];
  executor.triggeredCount = bytes[at++] - OFFSET;
  executor.queuedCount = bytes[at++] - OFFSET;
  executor.runningCount = bytes[at++] - OFFSET;
  executor.openSourceCount = bytes[at++] - OFFSET;
  for (let index = 0; index < executor.lists.length; index++) executor.lists[index] = bytes[at++] - OFFSET;
  for (let slot = 0; slot < left.length; slot++) {
    const flags = bytes[at++];
    executor.phase[slot] = flags & 3;
    executor.kind[slot] = (flags >> 2) & 1;
    executor.triggered[slot] = (flags >> 3) & 1;
    owed[slot] = (flags & 16) !== 0;
    inFlight[slot] = (flags & 32) !== 0;
    live[slot] = (flags & 64) !== 0;
    executor.next[slot] = bytes[at++] - OFFSET;
    executor.openSources[slot] = bytes[at++] - OFFSET;
    for (let source = 0; source < left[slot].length; source++) left[slot][source] = bytes[at++];
  }
  for (let worker = 0; worker < busy.length; worker++) {
    lastTook[worker] = bytes[at] >> 1;
    busy[worker] = (bytes[at++] & 1) !== 0;
  }
}

/** `t1 waiting+` is in the wait set; `·` follows a task whose sources have all ended. */
function render(instance: Instance, model: Model): string {
  const { executor, left, live, settled, fault } = model;
  const names = slotNames(instance);
  const phases = ['waiting', 'queued', 'running', 'free'];
  const tasks = names
    .filter((_, slot) => live[slot])
    .map((name) => {
      const slot = names.indexOf(name);
      const ended = left[slot].every((triggers) => triggers === 0) ? '·' : '';
      return `${name} ${phases[executor.phase[slot]]}${executor.triggered[slot] === 1 ? '+' : ''}${ended}`;
    });
  const queue = queueOf(executor).map((slot) => names[slot] ?? '?');
  const more = [
    executor.stopped ? 'stopped' : '',
    settled ? 'done' : '',
    fault === '' ? '' : `BROKEN: ${fault}`,
  ];
  return [tasks.join(', '), `queue ⟨${queue.join(' ')}⟩`, ...more.filter((text) => text !== '')].join('; ');
}
