/**
 * A first schedule: `npm start` runs it in a clone, and `obbligato demo` a copy of it. Its state is in obbligato.db next to this file.
 *
 * Every task here but one is due every minute, and a task that is new in a minute that matches starts at once. Kill the process with
 * `kill -9` while "slow" runs, and start it again: "slow" is started again at once, within the same minute under the same key. (Killed
 * like that, it cannot put the terminal back as it was: the next view does when it ends, or `reset`.) Press Ctrl-C: it waits for what
 * runs. Leave it off for an hour: one start each.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { command, defineConfig, minutes, seconds } from 'obbligato';

export default defineConfig({
  tasks: [
    ['hello', '* * * * *', () => console.log('Hello!'), seconds(10)],
    [
      'slow',
      '* * * * *',
      async ({ key, attempt }) => {
        console.log(`twenty seconds of work, key ${key}, attempt ${attempt}`);
        if (attempt === 1) console.log(`to see it resumed: kill -9 ${process.pid}, then start again`);
        await sleep(20_000);
      },
      seconds(10),
    ],
    [
      'flaky',
      '* * * * *',
      ({ attempt }) => {
        if (attempt < 3) throw new Error(`attempt ${attempt} fails, the third will do`);
      },
      seconds(5),
    ],
    ['disk', '* * * * *', command('df -h . | tail -n 1'), minutes(1)],
    ['report', '0 6 * * 1-5', () => console.log('Good morning!'), minutes(5)],
  ],
});
