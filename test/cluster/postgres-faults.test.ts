/** The tests of K8, of requests and of trouble with the database find bugs. One server serves all of them. */
import { after, before } from 'node:test';
import { describeFaults } from '../planted-fault.ts';
import { type Server, SHARED_SERVER, startServer } from '../store/postgres/server.ts';
import { COMPLETION_FAULTS, LIST_FAULTS, REQUEST_FAULTS, TROUBLE_FAULTS } from './postgres-faults.ts';

let server: Server;
before(async () => {
  server = await startServer();
  process.env[SHARED_SERVER] = server.url;
});
after(() => server.stop());

describeFaults('the completion of runs in transactions of the user', COMPLETION_FAULTS);
describeFaults('what is decided by old lists', LIST_FAULTS);
describeFaults('what is done about trouble with the database', TROUBLE_FAULTS);
describeFaults('the requests of operators', REQUEST_FAULTS);
