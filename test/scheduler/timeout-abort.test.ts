/** A callback that ends because its time is up has still taken too long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskTimeoutError, withTimeout } from '../../src/index.ts';
import { until } from '../../src/testing/index.ts';
import { HOUR, SECOND, Stage } from './scenario.ts';

for (const how of ['resolves', 'rejects'] as const) {
  test(`A6 a callback that ${how} when its signal is aborted has failed, by the limit`, async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    const callback = withTimeout(
      ({ signal }) =>
        until(
          new Promise<void>((resolve, reject) => {
            signal.addEventListener('abort', () =>
              how === 'resolves' ? resolve() : reject(new Error('own')),
            );
          }),
        ),
      SECOND,
    );
    void stage.world.next('TaskRunCompleted').then(() => end('completed'));
    void stage.world
      .next('TaskRunFailed')
      .then(({ error }) => end(error instanceof TaskTimeoutError ? 'timeout' : 'own'));
    await stage.initialize(['noon', '0 12 * * *', callback, HOUR]);
    await stage.clock.advance(SECOND);
    assert.equal(await ended, 'timeout');
    await stage.stop();
  });
}
