/** The two text formats, and the handler that serves them, over a real connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { METRICS } from '../../src/telemetry/catalogue.ts';
import { Counts } from '../../src/telemetry/counts.ts';
import { expose } from '../../src/telemetry/exposition.ts';
import { metrics } from '../../src/telemetry/index.ts';
import { scrapeHandler } from '../../src/telemetry/scrape.ts';
import { fc } from '../property.ts';
import { Page } from './scraped.ts';

const counted = (name: string, by = 1): Counts => {
  const counts = new Counts();
  counts.add(METRICS.starts, ['due', name], by);
  counts.observe(METRICS.duration, ['success'], 0.1);
  return counts;
};

const pageOf = (counts: Counts, format: 'prometheus' | 'openmetrics'): string =>
  expose(
    [METRICS.starts, METRICS.duration].map((metric) => [metric, counts.of(metric)]),
    format,
  );

describe('exposition', () => {
  test('both formats, to the letter', () => {
    const common = [
      '# HELP obbligato_run_duration_seconds How long runs took, from the call to the end.',
      '# TYPE obbligato_run_duration_seconds histogram',
    ];
    const buckets = [
      '0.005',
      '0.025',
      '0.1',
      '0.25',
      '1',
      '2.5',
      '10',
      '30',
      '60',
      '300',
      '900',
      '3600',
      '14400',
      '+Inf',
    ];
    const histogram = [
      ...buckets.map(
        (le, place) =>
          `obbligato_run_duration_seconds_bucket{outcome="success",le="${le}"} ${place < 2 ? 0 : 1}`,
      ),
      'obbligato_run_duration_seconds_sum{outcome="success"} 0.1',
      'obbligato_run_duration_seconds_count{outcome="success"} 1',
    ];
    const counter = 'obbligato_run_starts_total{reason="due",task="a \\\\ \\"b\\" \\n c"} 2';
    const help = 'Starts, by reason: due, retry, orphaned, manual.';
    const counts = counted('a \\ "b" \n c', 2);
    assert.deepEqual(pageOf(counts, 'prometheus').split('\n'), [
      `# HELP obbligato_run_starts_total ${help}`,
      '# TYPE obbligato_run_starts_total counter',
      counter,
      ...common,
      ...histogram,
      '',
    ]);
    assert.deepEqual(pageOf(counts, 'openmetrics').split('\n'), [
      `# HELP obbligato_run_starts ${help}`,
      '# TYPE obbligato_run_starts counter',
      counter,
      ...common,
      '# UNIT obbligato_run_duration_seconds seconds',
      ...histogram,
      '# EOF',
      '',
    ]);
  });

  test('any name of a task comes back from the parser as it was', () => {
    const names = fc.string({ unit: 'grapheme', maxLength: 30 });
    const hostile = fc.string({
      unit: fc.constantFrom('"', '\\', '\n', 'n', '{', '}', ',', '=', ' ', '#', '\r', 'é', '😀'),
    });
    fc.assert(
      fc.property(fc.oneof(names, hostile), (name) => {
        const page = new Page(pageOf(counted(name), 'prometheus'));
        const [sample] = page.samples('obbligato_run_starts_total');
        assert.deepEqual(sample, { value: '1', labels: { reason: 'due', task: name } });
      }),
    );
  });
});

describe('the handler', () => {
  async function served<T>(
    handler: Parameters<typeof createServer>[1],
    use: (url: string) => Promise<T>,
  ): Promise<T> {
    const server = createServer(handler ?? (() => {})).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      return await use(`http://127.0.0.1:${port}/metrics`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  test('answers in the format that is asked for, to GET and HEAD alone', async () => {
    const measured = metrics({ timeZone: 'UTC' });
    measured.onEvent({ type: 'SchedulerInitializationStarted', at: 0, registrations: 0 });
    await served(measured.handler, async (url) => {
      const plain = await fetch(url);
      assert.equal(plain.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
      assert.equal(new Page(await plain.text()).value('obbligato_scheduler_up'), 0);
      // As Prometheus 2.42 asks.
      const accept =
        'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
      const open = await fetch(url, { headers: { accept } });
      assert.equal(
        open.headers.get('content-type'),
        'application/openmetrics-text; version=1.0.0; charset=utf-8',
      );
      assert.match(await open.text(), /# EOF\n$/);
      const rather = 'application/openmetrics-text;q=0.1,text/plain;q=0.5';
      const preferred = await fetch(url, { headers: { accept: rather } });
      assert.match(preferred.headers.get('content-type') ?? '', /^text\/plain/);
      await preferred.text();
      const head = await fetch(url, { method: 'HEAD' });
      assert.deepEqual([head.status, await head.text()], [200, '']);
      const post = await fetch(url, { method: 'POST', body: 'x' });
      assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
      await post.text();
    });
    measured.close();
  });

  test('a page that cannot be made is an answer without details', async () => {
    const handler = scrapeHandler(() => Promise.reject(new Error('/a/secret/path')));
    await served(handler, async (url) => {
      const answer = await fetch(url);
      assert.deepEqual([answer.status, await answer.text()], [500, 'the metrics cannot be shown\n']);
    });
  });
});
