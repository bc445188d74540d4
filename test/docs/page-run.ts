/** The blocks of one page, run one after the other as a reader would. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CommandLine, commandsOf, showsWhatIsPrinted } from './commands.ts';
import { wrongData } from './data.ts';
import { isExcused, isExempt } from './exempt.ts';
import { complaintAbout } from './npm.ts';
import { type Block, placeOf } from './pages.ts';
import { forbiddenIn } from './programs.ts';
import { scenes } from './scenes.ts';
import { createSession, type Ended, type Session } from './session.ts';
import { type Place, quick, type Stage } from './stage.ts';
import { fileNameOf } from './typecheck.ts';

export const isCode = ({ language }: Block): boolean => language === 'ts' || language === 'js';
const isShell = ({ language }: Block): boolean => language === 'sh' || language === 'console';

/** `written:jobs.config.ts`: what the commands before it have put there. */
const writtenName = ({ words }: Block): string | undefined =>
  words.find((word) => word.startsWith('written:'))?.slice('written:'.length);

/** Commands that go on until they are interrupted, and what they say when they have come to life. */
const FOREVER: readonly (readonly [RegExp, RegExp])[] = [
  [/\bobbligato run\b(?!.*--help)/, /running|InitializationCompleted/],
  [/\bnpm start\b/, /running/],
  [/\bobbligato status\b.*--watch/, /\d tasks?\b|waiting/],
];

interface Site {
  readonly place: Place;
  readonly session: Session;
}

/** A page's blocks happen one after the other, in one place, unless a block names a scene of its own. */
export class PageRun {
  readonly #blocks: readonly Block[];
  readonly #stage: Stage;
  /** What was done, and how often. */
  readonly counts = new Map<string, number>();
  readonly #endings: (() => void)[] = [];
  #own: Site | undefined;
  #last: Site | undefined;

  constructor(blocks: readonly Block[], stage: Stage) {
    this.#blocks = blocks;
    this.#stage = stage;
  }

  /** Says what is wrong, each with its page and line. */
  async play(): Promise<string[]> {
    const wrong: string[] = [];
    const own = this.#blocks;
    try {
      for (const [index, block] of own.entries())
        wrong.push(...(await this.#playBlock(block, own[index + 1])));
    } finally {
      for (const end of this.#endings) end();
    }
    return wrong;
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  async #begin(scene: string): Promise<Site> {
    const place = this.#stage.place();
    const session = createSession(place);
    const end = await scenes[scene](place);
    this.#endings.push(() => session.close(), ...(end ? [end] : []));
    return { place, session };
  }

  /** The page's own place, begun when it is needed. */
  async #here(): Promise<Site> {
    this.#own ??= await this.#begin('project');
    return this.#own;
  }

  async #playBlock(block: Block, next: Block | undefined): Promise<string[]> {
    if (isShell(block)) return this.#playShell(block);
    if (isExempt(block.page, block.text.split('\n')[0])) {
      this.#count('exempt');
      return [];
    }
    if (isCode(block)) return this.#playCode(block, next);
    this.#count(block.language);
    const complaint = wrongData(block);
    return complaint === undefined ? [] : [`${placeOf(block)}: ${complaint}`];
  }

  async #playCode(block: Block, next: Block | undefined): Promise<string[]> {
    this.#count(`${block.language} type-checked`);
    const written = writtenName(block);
    if (written !== undefined) return this.#compareWritten(block, written);
    const output = next?.isAdjacent && next.language === 'text' ? next.text : undefined;
    const name = fileNameOf(block);
    if (name === undefined && output === undefined && !block.words.includes('run')) return [];
    const { session } = await this.#here();
    const file = name ?? `line-${block.line}.${block.language}`;
    const path = join(session.cwd(), file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, quick(block.text));
    if (output === undefined && !block.words.includes('run')) return [];
    this.#count(`${block.language} run`);
    const ended = await session.run(`node ${file}`);
    if (ended.code !== 0) return [`${placeOf(block)}: it exits with ${ended.code}:\n${ended.output}`];
    if (output === undefined || ended.output === output) return [];
    return [`${placeOf(block)}: it does not print what stands below it, but:\n${ended.output}`];
  }

  /** A block of what the command before it has written. */
  #compareWritten(block: Block, name: string): string[] {
    this.#count('files compared');
    const text = this.#last && readFileSync(join(this.#last.session.cwd(), name), 'utf8');
    return text === block.text ? [] : [`${placeOf(block)}: this is not what is in ${name}, but:\n${text}`];
  }

  async #playShell(block: Block): Promise<string[]> {
    const scene = block.words.find((word) => word in scenes);
    this.#last = scene === undefined ? await this.#here() : await this.#begin(scene);
    const { place, session } = this.#last;
    const wrong: string[] = [];
    for (const command of commandsOf(block)) {
      if (isExcused(block.page, command.text)) {
        this.#count('commands exempt');
        continue;
      }
      this.#count('commands run');
      const before = place.npmCalls().length;
      wrong.push(...(await playCommand(command, session, block.words.includes('varies'))));
      for (const call of place.npmCalls().slice(before)) {
        const complaint = await complaintAbout(call.split(' '));
        if (complaint !== undefined) wrong.push(`${command.page}:${command.line}: npm ${call}: ${complaint}`);
      }
    }
    return wrong;
  }
}

/** `check` blames the machine for a trace that was recorded here if the machine was busy. */
const BLAMED = 3;
const isOfThisMachine = ({ text, exitCode, output }: CommandLine): boolean =>
  /\bobbligato check\b/.test(text) && exitCode === 0 && output === undefined;

async function playCommand(command: CommandLine, session: Session, varies: boolean): Promise<string[]> {
  const where = `${command.page}:${command.line}: ${command.text}`;
  const forbidden = forbiddenIn(command.text);
  if (forbidden.length > 0) return [`${where}\nthis test does not call ${forbidden.join(', ')}: exempt it`];
  const [, life] = FOREVER.find(([pattern]) => pattern.test(command.text)) ?? [];
  let ended: Ended;
  try {
    ended = await session.run(command.text, life);
  } catch (error) {
    return [`${where}\n${error instanceof Error ? error.message : error}`];
  }
  if (ended.code !== command.exitCode && !(ended.code === BLAMED && isOfThisMachine(command)))
    return [`${where}\nit exits with ${ended.code}, not ${command.exitCode}:\n${ended.output}`];
  if (
    command.output === undefined ||
    showsWhatIsPrinted(command.output, ended.output, varies, session.breaks)
  )
    return [];
  return [`${where}\nit does not print what the page shows, but:\n${ended.output}`];
}
