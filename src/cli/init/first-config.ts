/** The configuration that `obbligato init` writes. It is JavaScript and TypeScript at once: what has no types needs none taken off. */
export const FIRST_CONFIG = `/**
 * The schedule of this project: "npx obbligato run" runs it, with its state in obbligato.db next to this file.
 *
 * A task has a name, a time (minute hour day month weekday), something to do, and what follows a failure. History belongs to the
 * name. "npx obbligato explain '30 3 * * *'" says what an expression means.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { command, cron, defineConfig, minutes, seconds, task } from 'obbligato';

export default defineConfig({
  tasks: [
    // A function, every minute. If it throws, it is called again 30 seconds later; if the process is killed, at the next start.
    // The key is still the same then, unless a newer minute has come due, so that you can see what was already done.
    [
      'hello',
      '* * * * *',
      async ({ key, attempt }) => {
        console.log(\`Hello! Twenty seconds of work under the key \${key}, attempt \${attempt}\`);
        await sleep(20_000);
      },
      seconds(30),
    ],

    // A program, every night at 03:30. It has failed if it exits with anything but 0; then it is started again 10 minutes later.
    ['disk', '30 3 * * *', command('df -h .'), minutes(10)],

    // A task with policies, in a zone of its own: at most five attempts, each after twice the time, and no run longer than ten minutes.
    // cron() takes what other crons understand.
    task({
      name: 'report',
      cron: cron('*/15 9-17 * * mon-fri'),
      timeZone: 'Europe/Stockholm',
      run: ({ scheduledFor }) => console.log(\`The report of \${scheduledFor.toISOString()}\`),
      retry: { delay: minutes(1), backoff: 2, max: 5 },
      timeout: minutes(10),
    }),
  ],
});
`;
