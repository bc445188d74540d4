/** One exported name, with all that its page says of it. */
import ts from 'typescript6';
import { type Api, commentOf, type Door, type Export, folderOf, resolved } from './program.ts';
import { bare, type Member, Signatures } from './signature.ts';

export interface Entry {
  readonly name: string;
  readonly door: Door;
  /** The heading under which it stands. */
  readonly topic: string;
  readonly isCallable: boolean;
  readonly code: readonly string[];
  readonly says: string;
  readonly deprecated: string;
  readonly members: readonly Member[];
  /** Exported names that its signature speaks of. */
  readonly uses: readonly ts.Symbol[];
  /** Types of ours that its signature speaks of, directly or not, and that no door exports: nobody can write them down. */
  readonly unnamed: readonly string[];
  readonly symbol: ts.Symbol;
}

/** What the folders of `src` are called on the page of `obbligato` itself. */
const TOPICS: Readonly<Record<string, string>> = {
  '': 'The configuration',
  scheduler: 'The scheduler',
  command: 'Programs as tasks',
  time: 'Time',
  trace: 'Traces',
  store: 'Stores',
  core: 'Stores',
};

export const topics: readonly string[] = [
  'The scheduler',
  'The configuration',
  'Programs as tasks',
  'Time',
  'Stores',
  'Traces',
  'Functions',
  'Values',
  'Types',
  'Errors',
];

export function entriesOf(api: Api): Entry[] {
  const signatures = new Signatures(api.checker);
  const known = new Set(api.doors.flatMap((door) => door.exports.map(({ symbol }) => symbol)));
  return api.doors.flatMap((door) =>
    door.exports.map((exported) => entryOf(api, door, exported, signatures, known)),
  );
}

function entryOf(
  { checker }: Api,
  door: Door,
  { name, symbol, declarations, deprecated }: Export,
  signatures: Signatures,
  known: ReadonlySet<ts.Symbol>,
): Entry {
  // Of an overloaded function, the last declaration is the one that nobody can call.
  const shown =
    declarations.length > 1 && declarations.every(ts.isFunctionDeclaration)
      ? declarations.filter((each) => !('body' in each && each.body))
      : declarations;
  const hidden = new Set<ts.Symbol>();
  const uses = new Set<ts.Symbol>();
  const collect = (node: ts.Declaration): void => {
    for (const type of signatures.typesIn(node)) {
      if (type === symbol) continue;
      if (known.has(type)) uses.add(type);
      else if (!hidden.has(type)) {
        hidden.add(type);
        type.declarations?.forEach(collect);
      }
    }
  };
  shown.forEach(collect);
  const codes = shown.map((node) => signatures.codeOf(name, node)).filter((code) => code !== '');
  const [first] = declarations;
  const isCallable = shown.some((node) => signatures.callableOf(node) !== undefined);
  return {
    name,
    door,
    symbol,
    deprecated,
    isCallable,
    topic: topicOf(door, first, isCallable, signatures),
    code: [...codes, ...[...hidden].map(inPlace)],
    says: declarations.map(commentOf).find((text) => text !== '') ?? '',
    members: ts.isSourceFile(first)
      ? namespaceMembers(checker, symbol, signatures)
      : declarations.flatMap((node) => signatures.membersOf(node)),
    uses: [...uses],
    unnamed: [...hidden].map(({ name: hiddenName }) => hiddenName),
  };
}

function topicOf(door: Door, node: ts.Declaration, isCallable: boolean, signatures: Signatures): string {
  if (signatures.isError(node)) return 'Errors';
  if (door.specifier === 'obbligato') return TOPICS[folderOf(node)] ?? 'Types';
  if (isCallable) return 'Functions';
  return ts.isVariableDeclaration(node) || ts.isSourceFile(node) ? 'Values' : 'Types';
}

/** A type that has a name within the project only: shown where it is used. */
function inPlace(symbol: ts.Symbol): string {
  const [declaration] = symbol.declarations ?? [];
  const says = commentOf(declaration);
  return `${says === '' ? '' : `// ${says.replace(/\s+/g, ' ')}\n`}${bare(declaration)}`;
}

/** `export * as literal`: the names in it. */
function namespaceMembers(checker: ts.TypeChecker, module: ts.Symbol, signatures: Signatures): Member[] {
  return checker
    .getExportsOfModule(module)
    .map((each) => ({ name: each.name, declaration: resolved(checker, each).declarations?.[0] }))
    .flatMap(({ name, declaration }) =>
      declaration
        ? [
            {
              code: signatures.codeOf(name, declaration).replace(/^(const|function) /, ''),
              says: commentOf(declaration),
            },
          ]
        : [],
    )
    .sort((one, other) => (one.code < other.code ? -1 : 1));
}
