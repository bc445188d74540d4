/** F4, J1: names of runs as numbers, and starts and ends as rows of numbers, say what was put in. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EndChange, StartChange } from '../../src/core/changes.ts';
import { checkRegistrations } from '../../src/core/registration.ts';
import { Ends, REASONS, Starts } from '../../src/core/rows.ts';
import { RunNames, splitRunName } from '../../src/core/run-names.ts';
import { Tasks } from '../../src/core/tasks.ts';
import { fc } from '../property.ts';

/** Texts that look like names of runs, and texts that nearly do. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.tuple(fc.string(), fc.nat()).map(([instance, count]) => `${instance}-${count.toString(36)}`),
  fc.stringMatching(/^[-01a-zA-Z]{0,14}$/),
  fc.constantFrom('', '-', '-1', 'a-0', 'a-01', 'a-A', 'a-1 ', 'a--1', 'a-9007199254740993', 'a-2gosa7pa2gv'),
);

/** Work that was asked for is for now. */
const serves = (reason: string, startedAt: number, lastDue: number): number =>
  reason === 'manual' ? startedAt : lastDue;

const outcomeOf = (error: object | null): 'success' | 'failure' => (error === null ? 'success' : 'failure');

describe('F4 names of runs', () => {
  test('F4 any text is the same text again after it was split', () => {
    const names = new RunNames();
    fc.assert(
      fc.property(text, (name) => {
        const { instance, count } = splitRunName(name);
        assert.equal(names.text(names.place(instance), count), name);
      }),
      { numRuns: 2000 },
    );
  });

  test('F4 a run of an instance is split into the instance and the count', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        (instance, count) => {
          const names = new RunNames();
          assert.deepEqual(splitRunName(names.text(names.place(instance), count)), { instance, count });
        },
      ),
    );
  });

  test('F4 a text has one place, and the list can be read from any place on', () => {
    const names = new RunNames();
    assert.deepEqual(
      ['a', 'b', 'a', '', 'b'].map((name) => names.place(name)),
      [0, 1, 0, 2, 1],
    );
    assert.equal(names.size, 3);
    assert.deepEqual(names.from(1), ['b', '']);
    assert.deepEqual(names.from(3), []);
  });
});

/** More than the rows have room for at first. */
const COUNT = 100;
const registrations = checkRegistrations(
  Array.from({ length: COUNT }, (_, task) => [`task ${task}`, '* * * * *', () => {}, task * 10]),
);

/** What a task is given: from a claim to an end. */
const given = fc.record({
  reason: fc.constantFrom(...REASONS),
  lastDue: fc.integer({ min: 1, max: 10 ** 13 }),
  startedAt: fc.integer({ min: 1, max: 10 ** 13 }),
  calledAt: fc.integer({ min: 1, max: 10 ** 13 }),
  endedAt: fc.integer({ min: 1, max: 10 ** 13 }),
  error: fc.option(fc.record({ name: fc.string(), message: fc.string(), text: fc.string() })),
});

describe('J1 starts and ends as rows', () => {
  test('J1 a walk gives what was put in, in that order, however many there are', () => {
    fc.assert(
      fc.property(fc.array(given, { maxLength: COUNT, size: 'max' }), (all) => {
        const tasks = new Tasks(registrations, 'life');
        const starts = new Starts(tasks);
        const ends = new Ends(tasks);
        const expectedStarts: StartChange[] = [];
        const expectedEnds: EndChange[] = [];
        for (const [task, { reason, lastDue, startedAt, calledAt, endedAt, error }] of all.entries()) {
          tasks.setVersion(task, task + 1);
          tasks.claim(task, task + 1, startedAt, reason, lastDue, starts);
          tasks.call(task, calledAt);
          tasks.end(task, outcomeOf(error), error, endedAt, ends);
          const runId = `life-${(task + 1).toString(36)}`;
          const scheduledFor = serves(reason, startedAt, lastDue);
          const work = { key: runId, scheduledFor, attempt: 1 };
          const name = `task ${task}`;
          const instanceId = 'life';
          expectedStarts.push({
            name,
            version: task + 1,
            work,
            run: { runId, instanceId, startedAt, reason, cutOffAt: null },
          });
          expectedEnds.push({
            name,
            runId,
            instanceId,
            reason,
            work,
            calledAt,
            endedAt,
            outcome: outcomeOf(error),
            pendingRetryUntil: error === null ? null : endedAt + task * 10,
            failures: error === null ? 0 : 1,
            failingSince: error === null ? null : endedAt,
            error,
          });
        }
        assert.equal(starts.length, all.length);
        assert.equal(ends.length, all.length);
        assert.deepEqual([...starts], expectedStarts);
        assert.deepEqual([...ends], expectedEnds);
        assert.deepEqual([...ends], expectedEnds, 'a second walk');
        assert.deepEqual(
          expectedStarts.map((_, place) => starts.taskAt(place)),
          expectedStarts.map((_, place) => place),
        );
      }),
    );
  });

  test('J1 a row is a copy: what becomes of the task afterwards does not change it', () => {
    const tasks = new Tasks(registrations, 'life');
    const starts = new Starts(tasks);
    const ends = new Ends(tasks);
    tasks.claim(0, 1, 10, 'due', 9, starts);
    tasks.call(0, 11);
    tasks.end(0, 'failure', { name: 'Error', message: '', text: '' }, 12, ends);
    const [start] = starts;
    const [end] = ends;
    tasks.claim(0, 2, 20, 'retry', 9, starts);
    tasks.call(0, 21);
    tasks.end(0, 'success', null, 22, ends);
    assert.deepEqual([...starts][0], start);
    assert.deepEqual([...ends][0], end);
  });
});
