/**
 * Reads the imports of a module with the TypeScript parser.
 *
 * In: a file name and its content. Out: one entry per import. All forms count: import and export
 * declarations, `import x = require()`, dynamic `import()`, `require()` and the type
 * `import('x').Y`.
 */
import ts from 'typescript';

/** One import of a module. */
export interface Import {
  /** The text between the quotes. */
  readonly specifier: string;
  /** True if the compiler removes the import. */
  readonly typeOnly: boolean;
}

/** Parses a module without resolving anything. */
export function parse(fileName: string, text: string): ts.SourceFile {
  return ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
}

/** Lists the imports of a parsed module. */
export function importsOf(file: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const entry = importAt(node);
    if (entry) found.push(entry);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function importAt(node: ts.Node): Import | undefined {
  if (ts.isImportDeclaration(node)) {
    // `import { type X } from 'x'` is not type-only: the compiler keeps `import {} from 'x'`.
    const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return entryFor(node.moduleSpecifier, typeOnly);
  }
  if (ts.isExportDeclaration(node)) return entryFor(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
    return entryFor(node.moduleReference.expression, node.isTypeOnly);
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return entryFor(node.argument.literal, true);
  }
  if (ts.isCallExpression(node) && loadsModule(node.expression)) {
    return entryFor(node.arguments[0], false);
  }
  return undefined;
}

function loadsModule(callee: ts.Expression): boolean {
  const isRequire = ts.isIdentifier(callee) && callee.text === 'require';
  return isRequire || callee.kind === ts.SyntaxKind.ImportKeyword;
}

function entryFor(specifier: ts.Node | undefined, typeOnly: boolean): Import | undefined {
  if (!specifier) return undefined;
  if (ts.isStringLiteralLike(specifier)) return { specifier: specifier.text, typeOnly };
  // A computed specifier is returned as source code, so that no rule allows it.
  return { specifier: specifier.getText(), typeOnly };
}

/** Lists the comments of a parsed module. */
export function commentsOf(file: ts.SourceFile): string[] {
  const ranges = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    const around = [
      ...(ts.getLeadingCommentRanges(file.text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(file.text, node.end) ?? []),
    ];
    for (const { pos, end } of around) ranges.set(pos, file.text.slice(pos, end));
    node.getChildren(file).forEach(visit);
  };
  visit(file);
  return [...ranges.values()];
}
