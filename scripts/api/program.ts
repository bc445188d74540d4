/** What each door of the package exports, as the compiler sees the sources. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript6';

const root = join(import.meta.dirname, '../..');

export interface Export {
  readonly name: string;
  readonly symbol: ts.Symbol;
  readonly declarations: readonly ts.Declaration[];
  /** What to use instead, if this door exports the name only for the sake of older programs. */
  readonly deprecated: string;
}

/** `obbligato/cron`, and what can be imported from it. */
export interface Door {
  readonly specifier: string;
  /** The name of its page. */
  readonly page: string;
  readonly says: string;
  readonly exports: readonly Export[];
}

export interface Api {
  readonly checker: ts.TypeChecker;
  readonly doors: readonly Door[];
}

export function readApi(): Api {
  const { exports: targets } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const paths = Object.entries<string | { default: string }>(targets).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [[path, sourceOf(target.default)] as const],
  );
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(
    paths.map(([, file]) => file),
    options,
  );
  const checker = program.getTypeChecker();
  const doors = paths.map(([path, file]): Door => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${relative(root, file)} exports nothing`);
    const found = checker.getExportsOfModule(module).map((exported): Export => {
      const symbol = resolved(checker, exported);
      const deprecated = deprecationOf(exported);
      return { name: exported.name, symbol, declarations: symbol.declarations ?? [], deprecated };
    });
    return {
      specifier: path.replace(/^\./, 'obbligato'),
      page: path === '.' ? 'obbligato' : path.slice(2),
      says: headOf(source),
      exports: found.sort((one, other) => (one.name < other.name ? -1 : 1)),
    };
  });
  return { checker, doors };
}

const sourceOf = (target: string): string =>
  join(root, target.replace('./dist/', 'src/').replace(/\.js$/, '.ts'));

/** What a name stands for, through every re-export. */
export const resolved = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** What a re-export says with `@deprecated`; empty if it does not. */
const deprecationOf = (symbol: ts.Symbol): string =>
  (symbol.declarations ?? [])
    .flatMap((node) => ts.getJSDocTags(node).filter(ts.isJSDocDeprecatedTag))
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ');

/** Whether a declaration is of this project, not of the language or of Node. */
export const isOurs = (node: ts.Node): boolean =>
  !relative(join(root, 'src'), node.getSourceFile().fileName).startsWith('..');

/** The folder of `src` that a declaration is in; empty for a file of `src` itself. */
export const folderOf = (node: ts.Node): string =>
  /^([^/]+)\//.exec(relative(join(root, 'src'), node.getSourceFile().fileName))?.[1] ?? '';

/** What the comment at the head of a file says. */
function headOf(source: ts.SourceFile): string {
  const [first] = source.statements;
  const [comment] = first === undefined ? [] : jsDocsOf(first);
  return textOf(comment);
}

/**
 * What the comment right above a declaration says. The one at the head of a file speaks of the file, and is nobody's own.
 */
export function commentOf(node: ts.Node): string {
  if (ts.isSourceFile(node)) return headOf(node);
  const holder = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const own = jsDocsOf(holder).filter((comment) => comment.getStart() > 0);
  return textOf(own.at(-1));
}

const jsDocsOf = (node: ts.Node): ts.JSDoc[] => ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);

const textOf = (comment: ts.JSDoc | undefined): string =>
  (ts.getTextOfJSDocComment(comment?.comment) ?? '').trim();
