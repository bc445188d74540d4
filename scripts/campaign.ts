/**
 * `npm run campaign`: the whole of what `npm test` plays a sample of, and more of it with new seeds. docs/tests.md has the table.
 *
 *     npm run campaign                                  lists the campaigns
 *     npm run campaign -- --help                        the options
 *     npm run campaign -- worlds --minutes 20           goes on where the last run stopped
 *     npm run campaign -- worlds --seed 4711 --count 1  plays one world again
 */
import { run } from './campaigns/frame.ts';
import { CAMPAIGNS } from './campaigns/table.ts';

process.exitCode = await run(CAMPAIGNS, process.argv.slice(2));
