/**
 * Bytes of the store's files change, as a bad disk or a careless copy changes them: in a file that was closed, in one whose process was killed, and in
 * the write-ahead log of that one. Opening works, or is refused with an error of ours that names the file; it never crashes or hangs.
 *
 * Two things nothing can tell, so such files are counted, and docs/attacks.md says what they mean. SQLite keeps no checksums of its pages: the
 * bytes of a time or a name may become those of another possible one. And it takes the first damaged page of a log for the end of the log,
 * which is then older than it was.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Attack } from './attack.ts';
import type { Ground } from './ground.ts';
import { type AttackedTask, Owner, planFor } from './owner.ts';
import { Talker } from './talker.ts';

const TASKS: readonly AttackedTask[] = Array.from({ length: 200 }, (_, index) => ({
  name: `task ${index}`,
  cron: index % 2 === 0 ? '* * * * *' : '30 12 * * *',
  takesMs: index % 7 === 0 ? 1000 : 0,
  failures: index % 5 === 0 ? 2 : 0,
}));
const MOST_BYTES = 16;

interface Met {
  readonly name: string;
  readonly message: string;
  readonly isOurs: boolean;
}

interface Answer {
  readonly shown: Readonly<Record<string, string>> | { readonly refusal: Met };
  readonly life: {
    readonly at?: 'initialize' | 'start' | 'stop';
    readonly error?: Met;
    readonly starts: number;
  };
}

export const corruption: Attack = {
  name: 'corruption',
  what: 'bytes of the files change: opening works or is refused with an error that names the file, and never crashes or hangs',
  unit: 'files',
  short: 5,
  long: 1000,
  async play(ground, count) {
    const closed = await stopped(ground);
    const open = await killed(ground);
    const targets = [
      { place: closed, name: FILES[0] },
      { place: open, name: FILES[0] },
      { place: open, name: FILES[1] },
    ];
    let opener = openerOn(ground);
    const truths: Answer['shown'][] = [];
    for (const { place } of targets) truths.push((await opener.ask(copyOf(place, ground))).shown);
    const kinds: Record<Kind, number> = { refused: 0, reported: 0, unharmed: 0, older: 0, changed: 0 };
    const violations: string[] = [];
    for (let index = 0; index < count; index++) {
      const { place, name } = targets[index % targets.length];
      const file = copyOf(place, ground);
      const changes = corrupt(join(dirname(file), name), ground);
      try {
        const answer = await opener.ask(file);
        violations.push(...faultsOf(answer, file).map((fault) => `${changes}: ${fault}`));
        kinds[kindOf(answer, truths[index % targets.length], name)]++;
      } catch (error) {
        violations.push(`${changes}: ${error}`);
        opener = openerOn(ground);
      }
      ground.advance();
    }
    opener.end();
    return { violations, figures: { files: count, ...kinds } };
  },
};

const openerOn = (ground: Ground): Talker<Answer> =>
  new Talker(
    ground,
    'fixtures/opener.ts',
    JSON.stringify({ tasks: TASKS, now: Date.UTC(2026, 5, 1, 12, 40) }),
  );

/** A store whose scheduler has run for a while. */
async function worked(ground: Ground): Promise<{ readonly owner: Owner; readonly place: string }> {
  const place = ground.place();
  const owner = new Owner(ground, planFor(place, ground.place(), TASKS));
  await owner.says('initialized');
  await owner.succeeds(TASKS.length);
  return { owner, place };
}

async function stopped(ground: Ground): Promise<string> {
  const { owner, place } = await worked(ground);
  await owner.stop();
  return place;
}

async function killed(ground: Ground): Promise<string> {
  const { owner, place } = await worked(ground);
  await owner.kill();
  return place;
}

const FILES = ['state.db', 'state.db-wal'];
let copies = 0;

/** A copy of the files of a store; the copy before it is removed. */
function copyOf(place: string, ground: Ground): string {
  const folder = join(ground.folder, `copy-${++copies}`);
  rmSync(join(ground.folder, `copy-${copies - 1}`), { recursive: true, force: true });
  mkdirSync(folder);
  for (const file of FILES.filter((name) => existsSync(join(place, name))))
    copyFileSync(join(place, file), join(folder, file));
  return join(folder, FILES[0]);
}

/** Changes a few bytes of a file; says which. */
function corrupt(path: string, ground: Ground): string {
  const bytes = readFileSync(path);
  const places = Array.from({ length: 1 + ground.draw(MOST_BYTES) }, () => ground.draw(bytes.length));
  for (const place of places) bytes[place] ^= 1 + ground.draw(255);
  writeFileSync(path, bytes);
  return `${basename(path)}, bytes ${places.join(', ')}`;
}

function faultsOf({ shown, life }: Answer, file: string): readonly string[] {
  const errors = [
    life.error,
    'refusal' in shown && typeof shown.refusal === 'object' ? shown.refusal : undefined,
  ];
  return errors.flatMap((error) => {
    if (error === undefined) return [];
    if (!error.isOurs) return [`an error that is not ours: ${JSON.stringify(error)}`];
    return error.message.includes(file) || error.name.startsWith('Task')
      ? []
      : [`an error that names no file: ${JSON.stringify(error)}`];
  });
}

/**
 * What became of a file: refused at the opening, reported at the first write, as it was, older than it was, or with values that have changed
 * and are possible.
 */
type Kind = 'refused' | 'reported' | 'unharmed' | 'older' | 'changed';

function kindOf({ shown, life }: Answer, truth: Answer['shown'], name: string): Kind {
  if (life.at === 'initialize') return 'refused';
  if (life.at !== undefined) return 'reported';
  if (JSON.stringify(shown) === JSON.stringify(truth)) return 'unharmed';
  return name === FILES[1] ? 'older' : 'changed';
}
