/**
 * Where a change of the sources is made. The name is looked up in the syntax trees of the files that have the word; then the words of the change
 * are looked for among the tokens of what has that name. Whoever plants a change hands on the slice that was found: the process with the
 * fault in it needs no parser.
 */
import ts from 'typescript6';
import { list, read } from '../tidy/sources.ts';
import type { Edit } from './fault.ts';

export interface Place {
  /** From the root, with `/`. */
  readonly file: string;
  readonly start: number;
  /** The text there. */
  readonly was: string;
  readonly replace: string;
}

interface Token {
  readonly text: string;
  readonly start: number;
  /** Whether a match may begin here, and end here: an operator or a number is not cut in two, but a text may be. */
  readonly opens: boolean;
  readonly closes: boolean;
}

interface File {
  readonly file: string;
  readonly text: string;
}

const WORDS = /#?[\p{L}\p{N}_$]+|\S/gu;
const DECLARED = /\b(?:function\*?|class|const|interface|type) ([\w$]+)/g;
const CLOSERS = [')', ']', '}'];

export class Sources {
  readonly #files: readonly File[];
  /** The files that may declare a name: only they are parsed. */
  readonly #declaring = new Map<string, Set<File>>();
  readonly #trees = new Map<File, ts.SourceFile>();
  readonly #tokens = new Map<ts.Node, readonly Token[]>();

  constructor(files: readonly File[]) {
    this.#files = files;
    for (const file of files)
      for (const [, name] of file.text.matchAll(DECLARED))
        this.#declaring.set(name, (this.#declaring.get(name) ?? new Set()).add(file));
  }

  /** The one place of the change. If there is none, or more than one, an error of one line says what was looked for. */
  placeOf({ in: name, find, replace = '' }: Edit): Place {
    const [top, ...inner] = name.split('.');
    const declared = [...(this.#declaring.get(top) ?? [])].flatMap((file) => {
      const outer = this.#tree(file).statements.flatMap(declarations);
      const nodes = inner.reduce(
        (around, step) => around.flatMap((node) => declaredIn(node, step)),
        outer.filter((node) => nameOf(node) === top),
      );
      return nodes.map((node) => [file, node] as const);
    });
    const found = declared.flatMap(([file, node]) => this.#places(file, node, find));
    if (found.length === 1) return { ...found[0], replace };
    const where = declared.map(([file, node]) => lineOf(file, node.getStart(this.#tree(file)))).join(', ');
    throw new Error(
      `"${find}" stands ${found.length} times in ${name} (${where || 'which is declared nowhere'})${this.#elsewhere(find, found)}`,
    );
  }

  #elsewhere(find: string, found: readonly unknown[]): string {
    if (found.length > 0) return '';
    const places = this.#files.flatMap((file) =>
      this.#places(file, this.#tree(file), find).map(({ start }) => lineOf(file, start)),
    );
    return places.length === 0 ? '' : `; these words stand in ${places.slice(0, 3).join(', ')}`;
  }

  #places(file: File, node: ts.Node, find: string): Omit<Place, 'replace'>[] {
    const words = withoutTrailingCommas([...find.matchAll(WORDS)].map(([text]) => ({ text })));
    const tree = this.#tree(file);
    const tokens = this.#tokens.get(node) ?? withoutTrailingCommas(tokensOf(node, tree));
    this.#tokens.set(node, tokens);
    return tokens.flatMap(({ opens, start }, at) => {
      const last = tokens[at + words.length - 1];
      const isFound =
        opens && last?.closes === true && words.every(({ text }, index) => tokens[at + index].text === text);
      if (!isFound) return [];
      return [{ file: file.file, start, was: file.text.slice(start, last.start + last.text.length) }];
    });
  }

  #tree(file: File): ts.SourceFile {
    const tree =
      this.#trees.get(file) ??
      ts.createSourceFile(file.file, file.text, {
        languageVersion: ts.ScriptTarget.Latest,
        jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
      });
    this.#trees.set(file, tree);
    return tree;
  }
}

const sources = new Sources(list('src/**/*.ts').map((file) => ({ file, text: read(file) })));

export const placeOf = (edit: Edit): Place => sources.placeOf(edit);

const lineOf = ({ file, text }: File, start: number): string =>
  `${file}:${text.slice(0, start).split('\n').length}`;

const declarations = (statement: ts.Statement): readonly ts.Node[] =>
  ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];

function declaredIn(node: ts.Node, name: string): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (child: ts.Node): void => {
    if (nameOf(child) === name) found.push(child);
    else ts.forEachChild(child, visit);
  };
  ts.forEachChild(node, visit);
  return found;
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const isDeclared =
    ts.isDeclarationStatement(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isClassElement(node) ||
    ts.isObjectLiteralElementLike(node);
  const name = isDeclared ? node.name : undefined;
  return name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))
    ? name.text
    : undefined;
}

function tokensOf(node: ts.Node, tree: ts.SourceFile): Token[] {
  const children = node.getChildren(tree);
  if (children.length > 0) return children.flatMap((child) => tokensOf(child, tree));
  const start = node.getStart(tree);
  const isText =
    ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node) || ts.isRegularExpressionLiteral(node);
  const words = [...node.getText(tree).matchAll(WORDS)];
  return words.map(({ 0: text, index }, place) => ({
    text,
    start: start + index,
    opens: isText || place === 0,
    closes: isText || place === words.length - 1,
  }));
}

/** The formatter sets a comma before a bracket that closes on a line of its own. */
const withoutTrailingCommas = <T extends { readonly text: string }>(tokens: readonly T[]): readonly T[] =>
  tokens.filter(({ text }, index) => text !== ',' || !CLOSERS.includes(tokens[index + 1]?.text));
