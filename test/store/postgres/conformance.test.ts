/** The PostgreSQL store passes the suite that every store must pass, on a real server. */
import { after, before, describe, test } from 'node:test';
import { storeConformance } from '../../../src/store/conformance.ts';
import { postgres } from '../../../src/store/postgres/store.ts';
import { freshSchema, type Server, startServer } from './server.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

describe('conformance of postgres()', () => {
  const checks = storeConformance(async () => {
    const schema = freshSchema();
    return {
      store: postgres(server.url, { schema }),
      again: () => postgres(server.url, { schema }),
      cleanup: async () => {
        await server.pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      },
    };
  });
  for (const { name, run } of checks) test(name, run);
});
