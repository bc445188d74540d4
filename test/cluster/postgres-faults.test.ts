/** The tests of K8, of requests and of trouble with the database find bugs. One server serves all of them. */
import { after, before } from 'node:test';
import { describeFaults } from '../faults/describe.ts';
import { type Server, SHARED_SERVER, startServer } from '../store/postgres/server.ts';
import { POSTGRES_FAULTS } from './postgres-faults.ts';

let server: Server;
before(async () => {
  server = await startServer();
  process.env[SHARED_SERVER] = server.url;
});
after(() => server.stop());

describeFaults('what is done with a PostgreSQL', POSTGRES_FAULTS);
