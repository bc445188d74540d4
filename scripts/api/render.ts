/** The pages of the reference, as Markdown. */
import type ts from 'typescript6';
import { type Entry, entriesOf, topics } from './entry.ts';
import { essentials } from './essentials.ts';
import { type Door, readApi } from './program.ts';

const NOTE = '<!-- Made from the sources by `npm run docs:api`; edit the comments there. -->';

export interface Reference {
  /** Each page by its path within `docs`. */
  readonly pages: ReadonlyMap<string, string>;
  /** What the sources leave unsaid. */
  readonly unsaid: readonly string[];
  /** Types that signatures speak of and that no door exports. */
  readonly unnamed: readonly string[];
}

export function makeReference(): Reference {
  const api = readApi();
  const entries = entriesOf(api);
  const links = new Links(entries);
  const pages = new Map([
    ['api.md', overview(api.doors, entries, links)],
    ['reference.md', essentialPage(api.doors[0], entries, links)],
  ]);
  for (const door of api.doors)
    pages.set(
      `api/${door.page}.md`,
      doorPage(
        door,
        entries.filter((entry) => entry.door === door),
        links,
      ),
    );
  const unnamed = entries.flatMap(({ name, unnamed: types }) => types.map((type) => `${type}, of ${name}`));
  return { pages, unsaid: entries.flatMap(unsaidIn), unnamed };
}

/** Every export needs a comment of its own, and so does every option. */
function unsaidIn({ name, door, says, members }: Entry): string[] {
  const options = /Options$|^Config$/.test(name) ? members.filter((member) => member.says === '') : [];
  return [
    ...(says === '' ? [`${door.specifier}: ${name}`] : []),
    ...options.map(({ code }) => `${door.specifier}: ${name}: ${code}`),
  ];
}

/** Where each name stands: the page, and the anchor that GitHub makes of its heading. */
class Links {
  readonly #places = new Map<Entry, string>();
  readonly #entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
    const doors = new Set(entries.map(({ door }) => door));
    for (const door of doors) {
      const seen = new Map<string, number>();
      const own = entries.filter((entry) => entry.door === door);
      const anchor = (heading: string): string => {
        const text = heading
          .toLowerCase()
          .replace(/[^\w -]/g, '')
          .replaceAll(' ', '-');
        const count = seen.get(text) ?? 0;
        seen.set(text, count + 1);
        return count === 0 ? text : `${text}-${count}`;
      };
      anchor(door.specifier);
      for (const { topic, members } of grouped(own)) {
        anchor(topic);
        for (const entry of members) this.#places.set(entry, anchor(entry.name));
      }
    }
  }

  /** A link to an entry, from the page of a door or from the overview. */
  to(entry: Entry, from: Door | undefined): string {
    const page = from === entry.door ? '' : `${from === undefined ? 'api/' : ''}${entry.door.page}.md`;
    return `[\`${entry.name}\`](${page}#${this.#places.get(entry)})`;
  }

  /** To what a type stands for: on the same page if it is there, too. */
  toSymbol(symbol: ts.Symbol, from: Door | undefined): string {
    const found = this.#entries.filter((entry) => entry.symbol === symbol);
    return this.to(found.find(({ door }) => door === from) ?? found[0], from);
  }
}

function grouped(entries: readonly Entry[]): { topic: string; members: Entry[] }[] {
  return topics
    .map((topic) => ({
      topic,
      members: entries.filter((entry) => entry.topic === topic).sort(callableFirst),
    }))
    .filter(({ members }) => members.length > 0);
}

const callableFirst = (one: Entry, other: Entry): number =>
  Number(other.isCallable) - Number(one.isCallable) || (one.name < other.name ? -1 : 1);

function overview(doors: readonly Door[], entries: readonly Entry[], links: Links): string {
  const parts = doors.map((door) => {
    const own = grouped(entries.filter((entry) => entry.door === door));
    const lists = own.map(
      ({ topic, members }) => `- ${topic}: ${members.map((entry) => links.to(entry, undefined)).join(', ')}`,
    );
    return `## [\`${door.specifier}\`](api/${door.page}.md)\n\n${prose(door.says)}\n\n${lists.join('\n')}`;
  });
  return `${NOTE}\n\n# Everything that is exported\n\nMade from the types and comments of the sources, so it is what the compiler sees. For ideas and examples, see the other pages.\n\n${parts.join('\n\n')}\n`;
}

function doorPage(door: Door, entries: readonly Entry[], links: Links): string {
  const parts = grouped(entries).map(
    ({ topic, members }) =>
      `## ${topic}\n\n${members.map((entry) => entryText(entry, links, door)).join('\n\n')}`,
  );
  return `${NOTE}\n\n# ${door.specifier}\n\n${prose(door.says)} [All exports](../api.md).\n\n${parts.join('\n\n')}\n`;
}

/** What most programs need of the main door, with links to the rest. */
function essentialPage(door: Door, entries: readonly Entry[], links: Links): string {
  const entryOf = (name: string): Entry => {
    const found = entries.find((entry) => entry.door === door && entry.name === name);
    if (found === undefined)
      throw new Error(`${door.specifier} exports no ${name}; see scripts/api/essentials.ts`);
    return found;
  };
  const parts = essentials.map(
    ([topic, names]) =>
      `## ${topic}\n\n${names.map((name) => entryText(entryOf(name), links, undefined)).join('\n\n')}`,
  );
  return `${NOTE}\n\n# What most programs need\n\nAll of it is imported from \`obbligato\`. [Everything that is exported](api.md) has the rest: errors, stores of your own, traces, and the other doors.\n\n${parts.join('\n\n')}\n`;
}

/** An entry on the page of a door, or on a page next to the overview. */
function entryText(entry: Entry, links: Links, from: Door | undefined): string {
  const { name, code, says, deprecated, members, uses } = entry;
  const list = members.map((member) => `- ${inline(member.code)}${said(member.says)}`);
  const used = uses.map((symbol) => links.toSymbol(symbol, from)).sort();
  return [
    `### ${name}`,
    ...(deprecated === '' ? [] : [`**Deprecated.** ${deprecated}`]),
    ...(says === '' ? [] : [prose(says)]),
    ...(code.length > 0 ? [`\`\`\`ts\n${code.join('\n\n')}\n\`\`\``] : []),
    ...(list.length > 0 ? [list.join('\n')] : []),
    ...(used.length > 0 ? [`See also ${[...new Set(used)].join(', ')}.`] : []),
  ].join('\n\n');
}

const said = (text: string): string => (text === '' ? '' : `: ${escaped(text).replace(/\n+/g, '\n  ')}`);

/** Code within a line, also if it has a backtick in it. */
const inline = (code: string): string => (code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``);

/**
 * The text of a comment as Markdown. Indented code gets fences: the site scrolls a fenced block within itself, and an indented one
 * would widen the page.
 */
const prose = (text: string): string =>
  text
    .split(/(?<=\n\n)((?: {4}.*(?:\n|$))+)/)
    .map((part, index) => (index % 2 === 0 ? escaped(part) : fenced(part)))
    .join('');

const fenced = (code: string): string =>
  `\`\`\`ts\n${code.replace(/^ {4}/gm, '').trimEnd()}\n\`\`\`${code.endsWith('\n') ? '\n' : ''}`;

/** Outside of code, a `<` begins no tag. */
const escaped = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '\\<') : part))
    .join('');
