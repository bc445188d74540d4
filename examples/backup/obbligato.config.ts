/**
 * A backup by a shell script: `npm run example:backup`. Real ones run at night ('30 3 * * *'); this one every minute, to be watched.
 *
 * Rename `data` while it runs: the next backup fails, and is tried again every five seconds until `data` is back. Kill the scheduler
 * with `kill -9` in the middle and start it again: what is left of the script is ended, then the backup starts over.
 */
import { command, defineConfig, minutes, seconds, withTimeout } from 'obbligato';

export default defineConfig({
  tasks: [
    [
      'backup',
      '* * * * *',
      // A script that hangs would hold its task back for ever. At the limit it is asked to end, and the run has failed.
      withTimeout(command('./backup.sh'), minutes(10)),
      seconds(5),
    ],
  ],
});
