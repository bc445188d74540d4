/** What is said of a name that is not known. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { control, health, memory, sqlite } from '../../src/index.ts';
import { OPTION_WORDS, RETRY_WORDS, TASK_WORDS } from '../../src/scheduler/foreign-words.ts';
import { wayFrom } from '../../src/text/unknown-name.ts';

const known = ['name', 'timeZone', 'timeout'];
const foreign = [['tz zone', 'write timeZone']] as const;

describe('a name that is not known', () => {
  const cases: readonly (readonly [written: string, way: string | undefined])[] = [
    ['tz', 'write timeZone'],
    ['ZONE', 'write timeZone'],
    ['z-o_ne', 'write timeZone'],
    ['timezone', 'did you mean "timeZone"?'],
    ['timeoutMs', 'write timeout, which takes a duration such as seconds(5)'],
    ['colour', undefined],
    ['constructor', undefined],
  ];
  for (const [written, way] of cases)
    test(`H1, H8 "${written}": ${way}`, () => assert.equal(wayFrom(written, known, foreign), way));

  test('G3, H8 health, control and sqlite answer an old or a foreign name, and a length that is none', async () => {
    const asked: ReadonlyArray<readonly [() => unknown, RegExp]> = [
      [
        () => Reflect.apply(health, undefined, [memory(), { lateMs: 5 }]),
        /^TypeError: health has no option "lateMs": write lateAfter: minutes\(5\)$/,
      ],
      [
        () => Reflect.apply(health, undefined, [memory(), { limit: 5 }]),
        /the options are lateAfter, failures/,
      ],
      [
        () => Reflect.apply(control(memory()).run, undefined, ['a', { waitMs: 5 }]),
        /^TypeError: run has no option "waitMs": write wait, which takes a duration such as/,
      ],
      [
        () => Reflect.apply(sqlite, undefined, ['a.db', { busyTimeoutMs: 5 }]),
        /^TypeError: sqlite has no option "busyTimeoutMs": write busyTimeout, which takes a duration such as/,
      ],
      [
        () => control(memory()).pause('a', { wait: Number.NaN }),
        /^RangeError: wait must be a duration, such as seconds\(5\), and must not be negative$/,
      ],
    ];
    for (const [ask, said] of asked) await assert.rejects(async () => ask(), said);
  });

  test('H1, H8 each word of another library stands in its table once', () => {
    for (const table of [TASK_WORDS, RETRY_WORDS, OPTION_WORDS]) {
      const words = table.flatMap(([names]) => names.split(' '));
      assert.deepEqual(
        words.filter((word, index) => words.indexOf(word) !== index || word !== word.toLowerCase()),
        [],
      );
    }
  });
});
