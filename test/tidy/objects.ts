/**
 * How many fields an object type has: an interface, or the text between the braces of a type. Fields that it takes from another type of the
 * project by `extends` or `&` are its own. `Pick` and `Omit` choose among them; `Partial`, `Required` and `Readonly` take them all.
 */
import ts from 'typescript6';
import { list, read, targetOf } from './sources.ts';

export interface ObjectType {
  readonly name: string;
  readonly fields: number;
}

const parsed = new Map<string, ts.SourceFile>();

function treeOf(file: string): ts.SourceFile {
  const tree = parsed.get(file) ?? treeFrom(file, read(file));
  parsed.set(file, tree);
  return tree;
}

const treeFrom = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

/** The object types that a file declares: interfaces, named types, and types between braces in any other place. */
export function objectTypesOf(file: string, text?: string): ObjectType[] {
  const tree = text === undefined ? treeOf(file) : treeFrom(file, text);
  const found: ObjectType[] = [];
  const visit = (node: ts.Node, around: string): void => {
    const name = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ? node.name.text : around;
    const isPart = ts.isIntersectionTypeNode(node.parent) || ts.isTypeAliasDeclaration(node.parent);
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
      found.push({ name, fields: fieldsOf(node, tree).size });
    else if (ts.isTypeLiteralNode(node) && !isPart)
      found.push({ name: `an object in ${name}`, fields: fieldsOf(node, tree).size });
    ts.forEachChild(node, (child) => visit(child, nameOf(node) ?? name));
  };
  ts.forEachChild(tree, (node) => visit(node, nameOf(node) ?? 'the file'));
  return found;
}

const nameOf = (node: ts.Node): string | undefined =>
  (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) && node.name !== undefined
    ? node.name.text
    : undefined;

type Names = ReadonlySet<string>;
const NONE: Names = new Set();

function fieldsOf(node: ts.Node, tree: ts.SourceFile): Names {
  if (ts.isTypeAliasDeclaration(node)) return fieldsOf(node.type, tree);
  if (ts.isParenthesizedTypeNode(node)) return fieldsOf(node.type, tree);
  if (ts.isIntersectionTypeNode(node)) return union(node.types.map((type) => fieldsOf(type, tree)));
  if (ts.isTypeLiteralNode(node)) return ownFields(node.members, tree);
  if (ts.isInterfaceDeclaration(node)) {
    const taken = (node.heritageClauses ?? []).flatMap(({ types }) => types);
    return union([ownFields(node.members, tree), ...taken.map((type) => fieldsOf(type, tree))]);
  }
  if (ts.isTypeReferenceNode(node)) return referred(node.typeName.getText(tree), node.typeArguments, tree);
  if (ts.isExpressionWithTypeArguments(node))
    return referred(node.expression.getText(tree), node.typeArguments, tree);
  return NONE;
}

const ownFields = (members: readonly ts.TypeElement[], tree: ts.SourceFile): Names =>
  new Set(members.flatMap(({ name }) => (name === undefined ? [] : [name.getText(tree)])));

const union = (sets: readonly Names[]): Names => new Set(sets.flatMap((set) => [...set]));

function referred(name: string, given: readonly ts.TypeNode[] = [], tree: ts.SourceFile): Names {
  const [of, chosen] = given;
  if (['Partial', 'Required', 'Readonly'].includes(name)) return fieldsOf(of, tree);
  if (name === 'Pick' || name === 'Omit') {
    const texts = new Set(Array.from(chosen.getText(tree).matchAll(/'([^']+)'/g), ([, text]) => text));
    return new Set([...fieldsOf(of, tree)].filter((field) => texts.has(field) === (name === 'Pick')));
  }
  for (const statement of tree.statements) {
    if (isTypeNamed(statement, name)) return fieldsOf(statement, tree);
    const from = importedFrom(statement, name);
    if (from !== undefined) return referredIn(targetOf(tree.fileName, from.specifier), from.name);
  }
  return NONE;
}

/** A type of another file, which may have it from a third one. */
function referredIn(file: string, name: string): Names {
  if (!list(file).includes(file)) return NONE;
  const tree = treeOf(file);
  const here = referred(name, [], tree);
  if (here.size > 0) return here;
  for (const statement of tree.statements) {
    if (!ts.isExportDeclaration(statement)) continue;
    const { moduleSpecifier: from, exportClause: clause } = statement;
    if (from === undefined || !ts.isStringLiteral(from) || !from.text.startsWith('.')) continue;
    const original =
      clause === undefined ? name : ts.isNamedExports(clause) ? originalOf(clause.elements, name) : undefined;
    const found = original === undefined ? NONE : referredIn(targetOf(file, from.text), original);
    if (found.size > 0) return found;
  }
  return NONE;
}

const isTypeNamed = (statement: ts.Statement, name: string): boolean =>
  (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) &&
  statement.name.text === name;

function importedFrom(
  statement: ts.Statement,
  name: string,
): { readonly specifier: string; readonly name: string } | undefined {
  if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return undefined;
  const { text: specifier } = statement.moduleSpecifier;
  const bound = statement.importClause?.namedBindings;
  if (!specifier.startsWith('.') || bound === undefined || !ts.isNamedImports(bound)) return undefined;
  const original = originalOf(bound.elements, name);
  return original === undefined ? undefined : { specifier, name: original };
}

function originalOf(
  elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[],
  name: string,
): string | undefined {
  const element = elements.find((one) => one.name.text === name);
  return element && (element.propertyName ?? element.name).text;
}
