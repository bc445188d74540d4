/** A system crontab that was taken for a user's: its users would be taken for programs, and every job would fail. */
import type { ImportedTask } from './convert.ts';

/** Where system crontabs lie. */
const PLACE = /^\/etc\/(?:crontab$|cron\.d\/)/;
/** Users that own jobs on many machines. None of them is a program that anybody starts by that name. */
const USERS = new Set([
  ...['root', 'www-data', 'nobody', 'daemon', 'apache', 'httpd', 'nginx', 'wwwrun', 'debian', 'ubuntu'],
  ...['ec2-user', 'admin', 'centos', 'vagrant', 'deploy', 'postgres', 'mysql', 'redis', 'smmsp', 'amavis'],
]);

/** What to say if a crontab that was read as a user's looks like a system's. */
export function systemDoubt(path: string, tasks: readonly ImportedTask[]): string | undefined {
  const firstWords = tasks.map(({ command }) => /^(\S+)\s+\S/.exec(command)?.[1] ?? '');
  const isLikely = PLACE.test(path) || (tasks.length > 0 && firstWords.every((word) => USERS.has(word)));
  if (!isLikely) return undefined;
  const example = firstWords.find((word) => word !== '');
  const taken = example === undefined ? '' : ` ("${example}" was taken for a program)`;
  return `this looks like a system crontab, which has a user before each command${taken}: if it is one, import it with --system`;
}
