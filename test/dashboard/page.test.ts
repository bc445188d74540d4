/** The page as it is built: small, whole, and with a policy that fits it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { memory } from '../../src/index.ts';
import { dashboardOf } from './kit.ts';

const MOST_BYTES = 60_000;

describe('the page of a dashboard', () => {
  test('has less than 60 KB when packed, all of it in one document, and asks nobody else for anything', async (t) => {
    const { ask } = await dashboardOf(t, memory());
    const { text, headers } = await ask('/');
    const packed = gzipSync(text, { level: 9 }).length;
    t.diagnostic(`${packed} bytes packed, ${text.length} plain`);
    assert.ok(packed > 5000 && packed < MOST_BYTES, `${packed} bytes`);
    const addresses = text.match(/https?:\/\/[^\s"'`)]+/g) ?? [];
    // The names of XML's own spaces are no addresses.
    assert.deepEqual(
      [...new Set(addresses)].filter((each) => !each.startsWith('http://www.w3.org/')),
      [],
    );
    assert.doesNotMatch(text, /<script[^>]+src=|@import|<link[^>]+href="(?!data:)/);
    const [, script] = /<script type="module">([\s\S]*?)<\/script>/.exec(text) ?? [];
    const hash = createHash('sha256').update(script).digest('base64');
    assert.ok(String(headers['content-security-policy']).includes(`script-src 'sha256-${hash}'`));
    assert.equal(text.match(/<script/g)?.length, 1);
  });

  test('is packed for those who can unpack it, and found under the address without a slash at its end', async (t) => {
    const { ask } = await dashboardOf(t, memory(), { path: '/jobs' });
    assert.equal(
      (await ask('/jobs/', { headers: { 'accept-encoding': 'gzip, br' } })).headers['content-encoding'],
      'gzip',
    );
    const moved = await ask('/jobs');
    assert.deepEqual([moved.status, moved.headers.location], [308, 'jobs/']);
    assert.equal((await ask('/jobs/api/state')).status, 200);
    for (const path of ['/', '/api/state', '/jobsx/api/state', '/job'])
      assert.equal((await ask(path)).status, 404, path);
  });
});
