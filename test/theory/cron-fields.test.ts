/** Which texts the oracle takes for a cron expression and a zone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseCron } from '../../src/cron/index.ts';
import { minuteMatcher } from '../../src/theory/calendar/minute-matcher.ts';
import { strictExpression } from '../cron/generators.ts';
import { fc } from '../property.ts';

const MINUTE = 60_000;

describe('C1 the grammar', () => {
  test('C0, C1 refuses what the grammar does not have, and says where', () => {
    const refused: ReadonlyArray<readonly [string, RegExp]> = [
      ['', /has 0 fields, not 5/],
      ['* * * *', /has 4 fields, not 5/],
      ['* * * * * *', /has 6 fields, not 5/],
      ['* * * *\n*', /has 4 fields/],
      ['* * * * *\n', /weekday field "\*\\n"/],
      ['60 * * * *', /minute field "60" .* within 0-59/],
      ['* 22-2 * * *', /hour field "22-2"/],
      ['* * 0 * *', /day field "0" .* within 1-31/],
      ['* * * 13 *', /month field "13"/],
      ['* * * * 7', /weekday field "7"/],
      ['*/15 * * * *', /minute field/],
      ['*,5 * * * *', /minute field/],
      ['5, * * * *', /minute field/],
      ['1e1 * * * *', /minute field/],
      [`${'0'.repeat(992)}7 * * * *`, /1001 characters, and 1000 is the limit/],
    ];
    for (const [cron, message] of refused) assert.throws(() => minuteMatcher(cron, 'UTC'), { message });
    assert.ok(minuteMatcher(`${'0'.repeat(991)}7 * * * *`, 'UTC').next(0) === 7 * MINUTE);
    assert.ok(minuteMatcher('\t 07,5-5,1-10 \t* * * *\t', 'UTC').next(6 * MINUTE) === 7 * MINUTE);
  });

  test('C1 refuses exactly the texts that the engine refuses', () => {
    const counts = { read: 0, refused: 0 };
    const piece = fc.constantFrom(
      '*',
      '0',
      '5',
      '07',
      '12',
      '31',
      '60',
      '1-5',
      '5-1',
      ',',
      '-',
      ' ',
      '\t',
      '\n',
      '/',
    );
    const text = fc.oneof(
      { weight: 1, arbitrary: fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')) },
      {
        weight: 4,
        arbitrary: fc
          .tuple(strictExpression, fc.nat(30), fc.nat(2), piece)
          .map(([cron, from, cut, put]) => cron.slice(0, from) + put + cron.slice(from + cut)),
      },
    );
    fc.assert(
      fc.property(text, (cron) => {
        const refusal = refusalOf(() => parseCron(cron, { timeZone: 'UTC' }));
        if (/never due/.test(refusal ?? '')) return;
        const ours = refusalOf(() => minuteMatcher(cron, 'UTC'));
        assert.equal(
          ours === undefined,
          refusal === undefined,
          `${JSON.stringify(cron)}: ${ours ?? refusal}`,
        );
        counts[ours === undefined ? 'read' : 'refused']++;
      }),
      { numRuns: 5000 },
    );
    assert.ok(counts.read > 500 && counts.refused > 500, JSON.stringify(counts));
  });

  test('B2 refuses a zone that Intl does not know', () => {
    for (const name of ['Mars/Olympus', '', undefined]) {
      const message = new RegExp(`^Not a time zone that Intl knows: ${JSON.stringify(name)}$`);
      assert.throws(() => minuteMatcher('* * * * *', name as string), { message });
    }
  });
});

function refusalOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message;
  }
}
