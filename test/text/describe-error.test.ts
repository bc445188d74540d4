/** Whatever is thrown is described in bounded, harmless text, and nothing but that is read of it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StopSchedulerError, StoreFullError } from '../../src/index.ts';
import { describeError } from '../../src/text/describe-error.ts';
import { fc } from '../property.ts';

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** An error as an HTTP client throws it: with its request, which has the token. */
const requestError = Object.assign(new Error('Request failed with status code 401'), {
  name: 'AxiosError',
  code: 'ERR_BAD_REQUEST',
  config: { headers: { Authorization: 'Bearer SECRET' } },
  response: { data: 'SECRET' },
  toJSON: () => ({ config: { headers: { Authorization: 'Bearer SECRET' } } }),
  toString: () => 'SECRET',
  [Symbol.for('nodejs.util.inspect.custom')]: () => 'SECRET',
});

describe('what was thrown', () => {
  test('an error has its name, message and code, and its stack with causes as text', () => {
    const root = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const { text, ...rest } = describeError(new TypeError('fetch failed', { cause: root }));
    assert.deepEqual(rest, { name: 'TypeError', message: 'fetch failed' });
    const lines = text.split('\n');
    assert.equal(lines[0], 'TypeError: fetch failed');
    assert.match(lines[1], /^ {4}at .*describe-error\.test\.ts:\d+:\d+/);
    const cause = lines.indexOf('  caused by Error: connect ECONNREFUSED');
    assert.ok(cause > 1, text);
    assert.match(lines[cause + 1], /^ {4}at /);
    assert.equal(describeError(root).code, 'ECONNREFUSED');
  });

  test('places in the library and in Node are left out of a stack, unless there is no other', async () => {
    const within = (): string[] => describeError(new Error('x')).text.split('\n');
    assert.deepEqual(
      within().filter((line) => line.includes('node:internal')),
      [],
    );
    const library = new URL('../../src/text/nearest.ts', import.meta.url).href;
    const frame = `    at nearest (${library}:1:1)`;
    const stack = `Error: x\n${frame}\n    at mine (file:///mine.ts:1:1)`;
    const { text } = describeError(Object.assign(new Error('x'), { stack }));
    assert.equal(text, 'Error: x\n    at mine (file:///mine.ts:1:1)');
    const { text: ours } = describeError(Object.assign(new Error('x'), { stack: `Error: x\n${frame}` }));
    assert.equal(ours, `Error: x\n${frame}`);
  });

  test('the errors of an AggregateError are in its text', () => {
    const { text } = describeError(
      new AggregateError([new Error('one'), 'two', new Error('two')], 'all failed'),
    );
    const told = text.split('\n').filter((line) => !line.startsWith('    '));
    assert.deepEqual(told, [
      'AggregateError: all failed',
      '  one of its errors: Error: one',
      '  one of its errors: string: two',
      '  one of its errors: Error: two',
    ]);
  });

  test('G5 nothing else of it shows: no request, no headers, no toJSON, no toString', () => {
    const described = describeError(requestError);
    assert.deepEqual(
      { ...described, text: described.text.split('\n').slice(0, 2) },
      {
        name: 'AxiosError',
        message: 'Request failed with status code 401',
        code: 'ERR_BAD_REQUEST',
        text: ['AxiosError: Request failed with status code 401', '    code: ERR_BAD_REQUEST'],
      },
    );
    for (const thrown of [requestError, { password: 'SECRET' }, ['SECRET'], new Map([['SECRET', 1]])])
      assert.doesNotMatch(JSON.stringify(describeError(thrown)), /SECRET/);
  });

  test('G5 an address is shown without its credentials', () => {
    const { message, text } = describeError(
      new Error('cannot reach postgres://admin:hunter2@db:5432/jobs, nor https://token@git.example.com/x'),
    );
    assert.equal(message, 'cannot reach postgres://***@db:5432/jobs, nor https://***@git.example.com/x');
    assert.doesNotMatch(text, /hunter2|token/);
    const cut = describeError(new Error(`${'x'.repeat(975)} postgres://admin:hunter2@db`));
    assert.doesNotMatch(JSON.stringify(cut), /hunter/);
  });

  test('G5 a secret is shown in no form of a connection string, a header or an assignment', () => {
    const shown: ReadonlyArray<readonly [string, string]> = [
      [
        'postgres://db/jobs?user=me&password=hunter2&sslmode=require',
        'postgres://db/jobs?user=me&password=***&sslmode=require',
      ],
      ['postgres://me:hunter2/pw@db/jobs', 'postgres://***@db/jobs'],
      ['postgres://me:a#b?c@hunter2@db/jobs', 'postgres://***@db/jobs'],
      ["host=db password='hunter2 x' dbname=jobs", 'host=db password=*** dbname=jobs'],
      ['PGPASSWORD=hunter2 psql', 'PGPASSWORD=*** psql'],
      ['Authorization: Basic hunter2==', 'Authorization: Basic ***'],
      ['"authorization":"Bearer hunter2"', '"authorization":"Bearer ***"'],
      ['sent Bearer hunter2.abc to it', 'sent Bearer *** to it'],
      ['https://x.example/?api_key=hunter2', 'https://x.example/?api_key=***'],
      // These hold none, and stay as they are.
      ['http://127.0.0.1:8080/users/me@example.com', 'http://127.0.0.1:8080/users/me@example.com'],
      ['Basic authentication failed; a=1', 'Basic authentication failed; a=1'],
      ['key=value, design=new', 'key=value, design=new'],
    ];
    for (const [text, expected] of shown) {
      const { message, text: whole } = describeError(new Error(text));
      assert.equal(message, expected);
      assert.doesNotMatch(whole, /hunter2/);
    }
  });

  const primitives: ReadonlyArray<readonly [unknown, string, string]> = [
    ['boom', 'string', 'boom'],
    [undefined, 'undefined', 'undefined'],
    [null, 'null', 'null'],
    [7, 'number', '7'],
    [12n, 'bigint', '12'],
    [1n << 100_000n, 'bigint', 'a long number'],
    [Symbol('why'), 'symbol', 'Symbol(why)'],
    [{}, 'Object', 'it has no message that can be read'],
    [Object.create(null), 'Object', 'it has no message that can be read'],
    [new Response(), 'Response', 'it has no message that can be read'],
    [{ message: 'no error, but as good' }, 'Object', 'no error, but as good'],
    [{ message: { toString: () => 'SECRET' } }, 'Object', 'it has no message that can be read'],
  ];
  for (const [thrown, name, message] of primitives) {
    test(`${name} "${message}" that was thrown is described`, () => {
      const described = describeError(thrown);
      assert.deepEqual([described.name, described.message], [name, message]);
      assert.equal(described.text.split('\n')[0], `${name}: ${message}`);
    });
  }

  test('an error without a message is called by its name', () => {
    assert.equal(describeError(new RangeError()).text.split('\n')[0], 'RangeError');
  });

  const refuse = (): never => {
    throw new Error('not for you');
  };
  const everyTrap = new Proxy({}, { get: () => refuse });
  const hostile: Readonly<Record<string, () => unknown>> = {
    'an error whose getters throw': () =>
      Object.defineProperties(
        new Error('x'),
        Object.fromEntries(
          ['name', 'message', 'code', 'stack', 'cause', 'errors', 'constructor', 'toString', 'toJSON'].map(
            (key) => [key, { get: refuse }],
          ),
        ),
      ),
    'a proxy that refuses everything': () => new Proxy({}, everyTrap),
    'a proxy of a function that refuses everything': () => new Proxy(() => {}, everyTrap),
    'a revoked proxy': () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
    'errors that are a proxy': () =>
      Object.assign(new Error('x'), {
        errors: new Proxy([1], {
          get: (list, key) => (key === 'length' ? refuse() : Reflect.get(list, key)),
        }),
      }),
    'an error that is its own cause': () => {
      const error = new Error('x');
      error.cause = error;
      return error;
    },
    'causes without an end': () => {
      const next = (): Error => Object.defineProperty(new Error('x'), 'cause', { get: next });
      return next();
    },
    'errors that hold each other': () => {
      const error = new AggregateError([], 'x');
      error.errors = Array.from({ length: 1e5 }, () => error);
      return error;
    },
    'a million errors': () => new AggregateError(Array.from({ length: 1e6 }, () => 'x')),
    'a message of 5 MB': () => new Error('x'.repeat(5e6)),
    'a message of controls': () => new Error('\u0000'.repeat(5000)),
    'a message of wide characters that are cut in two': () => new Error(`x${'👍'.repeat(5000)}`),
    'a stack of 5 MB': () => Object.assign(new Error('x'), { stack: `    at ${'x\n'.repeat(2.5e6)}` }),
    'a name of 5 MB': () => Object.assign(new Error('x'), { name: 'x'.repeat(5e6) }),
    'a message of wide characters': () => new Error('時'.repeat(1e5), { cause: new Error('時'.repeat(1e5)) }),
  };
  for (const [what, make] of Object.entries(hostile)) {
    test(`${what}: harmless, and at most 4 KB`, () => {
      const { name, message, text } = describeError(make());
      assert.ok(name.length <= 101 && message.length <= 1001);
      assert.ok(bytesOf(text) <= 4096, `${bytesOf(text)} bytes`);
      assert.notEqual(text, '');
      assert.ok(message.isWellFormed() && text.isWellFormed());
    });
  }

  test('G1 a cause of ours that an error of ours quotes is not written again, and what is below it is', () => {
    const disk = Object.assign(new Error('no room'), { code: 'ENOSPC', stack: '' });
    const error = new StopSchedulerError(new StoreFullError({ path: 'a.db' }, disk));
    const { message, text } = describeError(error);
    assert.equal(message, error.headline);
    assert.equal(text.split('the disk is full').length, 2, text);
    assert.match(text, /\n {2}caused by Error: no room\n {4}code: ENOSPC$/);
    const foreign = new Error(`not saved: ${error.message}`, { cause: error });
    assert.match(describeError(foreign).text, /^Error: not saved: .*\n(.*\n)* {2}caused by Error: no room\n/);
  });

  test('an error that is its own cause is described once', () => {
    const error = new Error('x');
    error.cause = error;
    const { text } = describeError(error);
    assert.match(text, /\n {2}caused by an error that stands above$/);
  });

  test('what is long is cut visibly, and its stack is still there', () => {
    const { message, text } = describeError(new Error('x'.repeat(5000)));
    assert.equal(message, `${'x'.repeat(1000)}…`);
    assert.match(text, /x…\n {4}at /);
  });

  test('a line of a log cannot be forged: line breaks, controls and bidi marks act on nothing', () => {
    const evil = 'a\r\nb\rc\u2028d\u2029e\u0085f\u001b]52;c;x\u0007g\u009b2Jh\u202ei\u0000';
    const { name, message, text } = describeError(
      Object.assign(new Error(evil, { cause: evil }), { name: evil, code: evil }),
    );
    const escaped = 'b\\u{d}c\\u{2028}d\\u{2029}e\\u{85}f\\u{1b}]52;c;x\\u{7}g\\u{9b}2Jh\\u{202e}i\\u{0}';
    assert.equal(message, `a ${escaped}`);
    assert.equal(name, `a ${escaped}`);
    const [first, ...rest] = text.split('\n');
    assert.equal(first, `a ${escaped}: a`);
    assert.equal(rest[0], `    ${escaped}`);
    for (const line of rest) assert.match(line, /^ {2}/);
    assert.equal(describeError(new Error('\u001b[31mred\u001b[39m')).message, 'red');
  });

  test('anything at all is described', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withNullPrototype: true, withObjectString: true }),
        (value) => {
          for (const thrown of [value, new Error('x', { cause: value }), new AggregateError([value])]) {
            const { name, message, text } = describeError(thrown);
            assert.ok(bytesOf(text) <= 4096);
            assert.doesNotMatch(name + message, /[\p{C}\p{Zl}\p{Zp}]/u);
            assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{C}\p{Zl}\p{Zp}]/u);
          }
        },
      ),
    );
  });
});
