/** Declarations as a reader wants them: without their bodies, their comments, and what is private. */
import ts from 'typescript6';
import { commentOf, isOurs, resolved } from './program.ts';

type Callable = ts.SignatureDeclaration;

const WIDTH = 100;

const oneLine = (text: string): string =>
  text
    .replace(/([<([])\s*\n\s*/g, '$1')
    .replace(/,?\s*\n\s*([>)\]])/g, '$1')
    .replace(/\s*\n\s*/g, ' ');

export interface Member {
  readonly code: string;
  readonly says: string;
}

export class Signatures {
  readonly #checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** The function behind a declaration: its own, or the one that a constant holds. */
  callableOf(node: ts.Declaration): Callable | undefined {
    if (ts.isFunctionDeclaration(node)) return node;
    const held = ts.isVariableDeclaration(node) && node.type === undefined ? node.initializer : undefined;
    return held && (ts.isArrowFunction(held) || ts.isFunctionExpression(held)) ? held : undefined;
  }

  /** The code that stands for a declaration; empty where its members say it all. */
  codeOf(name: string, node: ts.Declaration): string {
    const callable = this.callableOf(node);
    if (callable) {
      const code = `function ${name}${this.#call(callable)}`;
      return code.length <= WIDTH ? code : `function ${name}${this.#call(callable, '\n  ')}`;
    }
    if (ts.isVariableDeclaration(node)) return `const ${name}: ${this.#typeOf(node)}`;
    if (ts.isTypeAliasDeclaration(node)) return bare(node);
    if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) return this.#head(name, node);
    return '';
  }

  /** What can be seen of an interface or a class, each with its own comment. */
  membersOf(node: ts.Declaration): Member[] {
    if (ts.isInterfaceDeclaration(node)) return node.members.map((member) => this.#member(member));
    if (!ts.isClassDeclaration(node)) return [];
    const isError = this.isError(node);
    const own = node.members.filter(
      (member) =>
        !(member.name && ts.isPrivateIdentifier(member.name)) &&
        !(isError && ts.isConstructorDeclaration(member)),
    );
    return [...this.#madeFields(node), ...own.map((member) => this.#member(member))];
  }

  isError(node: ts.Declaration): boolean {
    const base = this.#baseOf(node);
    if (base === undefined) return false;
    return (
      base.symbol.name === 'Error' || (base.symbol.declarations ?? []).some((each) => this.isError(each))
    );
  }

  /** The class that a class extends. One that `errorClass` has made extends that, and has fields besides. */
  #baseOf(node: ts.Declaration): ts.Type | undefined {
    if (!ts.isClassDeclaration(node)) return undefined;
    const [made] = this.#checker.getTypeAtLocation(node).getBaseTypes() ?? [];
    return made?.isIntersection() ? made.types.find((type) => type.isClass()) : made;
  }

  /** The fields that `errorClass` has made of an error's details. */
  #madeFields(node: ts.ClassDeclaration): Member[] {
    const base = this.#baseOf(node);
    if (base === undefined || !isMade(node)) return [];
    const own = new Set(node.members.map((member) => member.name?.getText()));
    return this.#checker
      .getTypeAtLocation(node)
      .getProperties()
      .filter(({ name }) => base.getProperty(name) === undefined && !own.has(name))
      .map((field) => {
        const isOptional = (field.flags & ts.SymbolFlags.Optional) !== 0;
        const type = this.#checker.getTypeOfSymbol(field);
        const text = this.#textOf(isOptional ? this.#checker.getNonNullableType(type) : type, node);
        const [says = ''] = (field.declarations ?? []).filter(ts.isPropertySignature).map(commentOf);
        return { code: `${field.name}${isOptional ? '?' : ''}: ${text}`, says };
      });
  }

  /** Every type of this project that the public part of a declaration names. */
  typesIn(node: ts.Declaration): Set<ts.Symbol> {
    const found = new Set<ts.Symbol>();
    const visit = (each: ts.Node): void => {
      if (this.#isHidden(each)) return;
      const type = this.#ownTypeIn(each);
      if (type) found.add(type);
      const held = heldBy(each);
      if (held === undefined) ts.forEachChild(each, visit);
      else held.forEach(visit);
    };
    visit(node);
    return found;
  }

  /** Bodies, what is private, and constructors of errors, which only we call. */
  #isHidden(node: ts.Node): boolean {
    if (ts.isBlock(node) || ts.isSourceFile(node)) return true;
    if (ts.isConstructorDeclaration(node)) return this.isError(node.parent);
    return ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name);
  }

  /** The type of this project that a node is the name of. */
  #ownTypeIn(node: ts.Node): ts.Symbol | undefined {
    const name = nameIn(node);
    const symbol =
      ts.isClassDeclaration(node) && isMade(node)
        ? this.#baseOf(node)?.symbol
        : name && this.#checker.getSymbolAtLocation(name);
    const target = symbol && resolved(this.#checker, symbol);
    const [declaration] = target?.declarations ?? [];
    const isOwn = declaration && isOurs(declaration) && !ts.isTypeParameterDeclaration(declaration);
    return isOwn ? target : undefined;
  }

  #member(node: ts.TypeElement | ts.ClassElement): Member {
    return { code: oneLine(this.#memberCode(node)), says: commentOf(node) };
  }

  #memberCode(node: ts.TypeElement | ts.ClassElement): string {
    if (ts.isConstructorDeclaration(node)) return `new ${this.#parameters(node)}`;
    if (node.name === undefined) return node.getText().replace(/;$/, '');
    const name = node.name.getText();
    if (ts.isMethodSignature(node) || ts.isMethodDeclaration(node))
      return `${name}${node.questionToken ? '?' : ''}${this.#call(node)}`;
    const isOptional = 'questionToken' in node && node.questionToken !== undefined;
    return `${name}${isOptional ? '?' : ''}: ${this.#typeOf(node)}`;
  }

  /** From the type parameters to the result; the parameters one a line, if there is something to part them. */
  #call(node: Callable, parting = ''): string {
    const type = node.type?.getText() ?? this.#inferredReturn(node);
    const variables = node.typeParameters?.map((each) => each.getText()).join(', ');
    const parameters = this.#parameters(node, parting);
    return `${variables ? `<${oneLine(variables)}>` : ''}${parameters}: ${oneLine(type)}`;
  }

  #parameters({ parameters }: Callable, parting = ''): string {
    const texts = parameters.map((parameter) => {
      const name = ts.isIdentifier(parameter.name) ? parameter.name.text : 'options';
      const isOptional = parameter.questionToken !== undefined || parameter.initializer !== undefined;
      const type = oneLine(this.#typeOf(parameter));
      return `${parameter.dotDotDotToken ? '...' : ''}${name}${isOptional ? '?' : ''}: ${type}`;
    });
    if (parting === '') return `(${texts.join(', ')})`;
    return `(${texts.map((text) => `${parting}${text},`).join('')}\n)`;
  }

  #inferredReturn(node: Callable): string {
    const signature = this.#checker.getSignatureFromDeclaration(node);
    return signature ? this.#checker.typeToString(signature.getReturnType(), node) : 'unknown';
  }

  #typeOf(node: ts.Node & { readonly type?: ts.Node | undefined }): string {
    return node.type ? node.type.getText() : this.#textOf(this.#checker.getTypeAtLocation(node), node);
  }

  #textOf(type: ts.Type, node: ts.Node): string {
    const { NoTruncation, UseSingleQuotesForStringLiteralType } = ts.TypeFormatFlags;
    return this.#checker.typeToString(type, node, NoTruncation | UseSingleQuotesForStringLiteralType);
  }

  /** The first line of an interface or a class; nothing if it would only repeat the name. */
  #head(name: string, node: ts.ClassDeclaration | ts.InterfaceDeclaration): string {
    const variables = node.typeParameters?.map((each) => each.getText()).join(', ');
    const heritage = isMade(node)
      ? `extends ${this.#baseOf(node)?.symbol.name}`
      : (node.heritageClauses ?? []).map((clause) => clause.getText()).join(' ');
    const word = ts.isInterfaceDeclaration(node) ? 'interface' : 'class';
    if (word === 'interface' && !variables && heritage === '') return '';
    return oneLine(`${word} ${name}${variables ? `<${variables}>` : ''}${heritage ? ` ${heritage}` : ''}`);
  }
}

/** Whether a class extends one that a call has made, as those of errors do. */
const isMade = (node: ts.ClassDeclaration | ts.InterfaceDeclaration): boolean =>
  (node.heritageClauses ?? []).some(({ types }) =>
    types.some(({ expression }) => ts.isCallExpression(expression)),
  );

/** A declaration as it is written, without what makes it public. */
export const bare = (node: ts.Node): string =>
  node
    .getText()
    .replace(/^export /, '')
    .replace(/;$/, '');

function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  return ts.isTypeQueryNode(node) ? node.exprName : undefined;
}

/** What is public of a value: its type, or the signature of the function that it is. Undefined for what is no value. */
function heldBy(node: ts.Node): ts.Node[] | undefined {
  const isFunction = ts.isArrowFunction(node) || ts.isFunctionExpression(node);
  if (isFunction) return [...node.parameters, ...(node.type ? [node.type] : [])];
  const isValue = ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node);
  if (!isValue || node.initializer === undefined) return undefined;
  return node.type
    ? [node.type]
    : ts.isVariableDeclaration(node)
      ? [node.initializer].filter(isCallable)
      : [];
}

const isCallable = (node: ts.Node): boolean => ts.isArrowFunction(node) || ts.isFunctionExpression(node);
