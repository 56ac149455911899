/** Reads the types that the parser of typescript-eslint provides. Without them, nothing is found. */
import type { SourceCode } from 'eslint';
import type { Node } from 'estree';
import type ts from 'typescript';

interface Services {
  readonly program?: ts.Program | null;
  readonly esTreeNodeToTSNodeMap?: { get(node: Node): ts.Node | undefined };
}

/** A type, with the checker that knows its parts. */
export interface CheckedType {
  readonly type: ts.Type;
  readonly checker: ts.TypeChecker;
}

/** Returns the type of an expression, or `undefined` if the parser provides no types. */
export function typeOf(node: Node, { parserServices }: SourceCode): CheckedType | undefined {
  const { program, esTreeNodeToTSNodeMap } = parserServices as Services;
  const found = esTreeNodeToTSNodeMap?.get(node);
  if (program == null || found === undefined) return undefined;
  const { strict, strictNullChecks = strict } = program.getCompilerOptions();
  // These types leave out null and undefined, so they do not tell whether there is a question.
  if (strictNullChecks === false) return undefined;
  const checker = program.getTypeChecker();
  return { type: checker.getTypeAtLocation(found), checker };
}

/** Returns true for a question. A union counts if each of its types is a question. */
export function isQuestionType(checked: CheckedType | undefined): boolean {
  if (checked === undefined) return false;
  const types = partsOf(checked.type);
  return types.length > 0 && types.every((type) => kindOf(type, checked.checker) === 'question');
}

/** Returns true for an `Outcome`, the union of an accepted value and two refusals. */
export function isOutcomeType(checked: CheckedType | undefined): boolean {
  if (checked === undefined) return false;
  const { checker, type } = checked;
  const actions = partsOf(type).map((part) => textOf(part.getProperty('action'), checker));
  return actions.sort().join() === 'accept,cancel,decline';
}

function partsOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

/** Returns the brand of this package: the value of the property under the symbol `KIND`. */
function kindOf(type: ts.Type, checker: ts.TypeChecker): string | undefined {
  const isBrand = ({ escapedName }: ts.Symbol): boolean =>
    String(escapedName).startsWith('__@KIND@');
  return textOf(type.getProperties().find(isBrand), checker);
}

function textOf(property: ts.Symbol | undefined, checker: ts.TypeChecker): string | undefined {
  const type = property && checker.getTypeOfSymbol(property);
  return type?.isStringLiteral() === true ? type.value : undefined;
}
