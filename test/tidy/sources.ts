/** The project's own files as the compiler's parser sees them: what each imports and exports, and how long its functions are. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import ts from 'typescript6';

export const root = dirname(dirname(import.meta.dirname));
export const read = (file: string): string => readFileSync(join(root, file), 'utf8');
export const list = (pattern: string): string[] =>
  globSync(pattern, { cwd: root, exclude: (name) => /(^|\/)node_modules(\/|$)/.test(String(name)) })
    .map((file) => normalize(String(file)))
    .sort();

/** One import of a file, in any of its forms. */
export interface Import {
  readonly specifier: string;
  /** The names that it takes from there; all of them for `import *`, `export *`, and `import()`. */
  readonly names: readonly string[] | 'all';
  /** It is an `export … from`: the file itself uses nothing of it. */
  readonly isPassedOn?: true;
}

export interface LongFunction {
  readonly name: string;
  readonly lines: number;
}

export interface Source {
  readonly imports: readonly Import[];
  /** The values that it exports (types have no part in this). */
  readonly values: readonly string[];
  readonly functions: readonly LongFunction[];
}

const known = new Map<string, Source>();

/** A file of the project, by its path from the root. */
export function source(file: string): Source {
  const found = known.get(file) ?? parse(file, read(file));
  known.set(file, found);
  return found;
}

/** The project's files that a file imports, as paths from the root. */
export const importsOf = (file: string): string[] =>
  source(file)
    .imports.filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => targetOf(file, specifier));

export const targetOf = (file: string, specifier: string): string =>
  normalize(join(dirname(file), specifier));

/** The sources of what the package exports, and of its program. */
export function doors(): string[] {
  const { exports, bin = {} } = JSON.parse(read('package.json'));
  return [...Object.values<string | { default: string }>(exports), ...Object.values<string>(bin)]
    .map((target) => (typeof target === 'string' ? target : target.default))
    .filter((target) => target.startsWith('./dist/'))
    .map((target) => normalize(target.replace('./dist/', 'src/').replace(/\.js$/, '.ts')));
}

export function parse(file: string, text: string): Source {
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const imports: Import[] = [];
  const functions: LongFunction[] = [];
  const visit = (node: ts.Node): void => {
    const found = importOf(node) ?? fileOf(node);
    if (found !== undefined) imports.push(found);
    imports.push(...importsByName(file, node));
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const [from, to] = [node.getStart(), node.getEnd()].map(
        (at) => parsed.getLineAndCharacterOfPosition(at).line,
      );
      functions.push({ name: nameOf(node), lines: to - from + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return { imports, values: parsed.statements.flatMap(valuesOf), functions };
}

/** The files that `import(`./folder/${name}.ts`)` may mean. */
function importsByName(file: string, node: ts.Node): Import[] {
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return [];
  const [, pattern] = /^`(\.\/.+\/\$\{\w+\}\.ts)`$/.exec(node.arguments[0].getText()) ?? [];
  if (pattern === undefined) return [];
  return list(join(dirname(file), pattern.replace(/\$\{\w+\}/, '*'))).map((path) => ({
    specifier: `./${relative(dirname(file), path)}`,
    names: 'all',
  }));
}

function importOf(node: ts.Node): Import | undefined {
  if (ts.isImportDeclaration(node)) {
    const { importClause: clause } = node;
    const bound = clause?.namedBindings;
    const names = bound !== undefined && ts.isNamedImports(bound) ? bound.elements.map(original) : [];
    if (clause?.name !== undefined) names.push('default');
    const isAll = bound !== undefined && ts.isNamespaceImport(bound);
    return { specifier: textOf(node.moduleSpecifier), names: isAll ? 'all' : names };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    const { exportClause: clause } = node;
    const names = clause !== undefined && ts.isNamedExports(clause) ? clause.elements.map(original) : 'all';
    return { specifier: textOf(node.moduleSpecifier), names, isPassedOn: true };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [target] = node.arguments;
    return ts.isStringLiteralLike(target) ? { specifier: target.text, names: 'all' } : undefined;
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return { specifier: textOf(node.argument.literal), names: 'all' };
  return undefined;
}

/** A file that a module names as `new URL('./file.ts', import.meta.url)`: it is run in a thread. */
function fileOf(node: ts.Node): Import | undefined {
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'URL') return undefined;
  const [path, base] = node.arguments ?? [];
  const isHere = base?.getText() === 'import.meta.url' && /^['"]\..*\.ts['"]$/.test(path.getText());
  return isHere ? { specifier: textOf(path), names: 'all' } : undefined;
}

const textOf = (node: ts.Node): string => (ts.isStringLiteralLike(node) ? node.text : '');
const original = ({ name, propertyName }: ts.ImportSpecifier | ts.ExportSpecifier): string =>
  (propertyName ?? name).text;

function valuesOf(statement: ts.Statement): string[] {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause: clause, isTypeOnly } = statement;
    if (isTypeOnly || clause === undefined || !ts.isNamedExports(clause)) return [];
    return clause.elements.filter((one) => !one.isTypeOnly).map(({ name }) => name.text);
  }
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!isExported) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => boundBy(name));
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
    return [statement.name?.text ?? 'default'];
  return [];
}

const boundBy = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundBy(element.name) : []));

/** The function's own name, or that of what it is assigned to or handed to. */
function nameOf(node: ts.SignatureDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return `${node.parent.name?.text}.constructor`;
  if (node.name !== undefined) {
    const { parent } = node;
    return ts.isClassDeclaration(parent)
      ? `${parent.name?.text}.${node.name.getText()}`
      : node.name.getText();
  }
  const { parent } = node;
  if (ts.isCallExpression(parent)) return `${parent.expression.getText()}(…)`;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText();
  return 'a function';
}
