/**
 * Recognizes questions in code: calls of the functions that create them and, if the parser provides
 * types, every expression whose type is a question.
 */
import type { Rule, Scope, SourceCode } from 'eslint';
import type { Expression, Identifier, Node as SyntaxNode } from 'estree';
import { isOutcomeType, isQuestionType, typeOf } from './types.js';

/** A node of the syntax tree. The trees of TypeScript have more kinds than these types know. */
export type Node = Rule.Node;

const MAKERS = new Set(['approval', 'confirm', 'elicit', 'elicitUrl', 'listRoots', 'sample']);
const MODULE = /^mcp-resolve(?:\/approvals)?$/;

/** Returns true if the node calls a function of this package that creates a question. */
export function makesQuestion(node: SyntaxNode, code: SourceCode): boolean {
  if (node.type !== 'CallExpression') return false;
  const { callee } = node;
  if (callee.type === 'Identifier') return MAKERS.has(importedName(callee, code) ?? '');
  if (callee.type !== 'MemberExpression' || callee.computed) return false;
  const { object, property } = callee;
  if (object.type !== 'Identifier' || property.type !== 'Identifier') return false;
  return MAKERS.has(property.name) && importedName(object, code) === '*';
}

/** Returns true if the value of an expression is a question, as far as its code and types tell. */
export function isQuestion(node: Node, code: SourceCode): boolean {
  return (
    makesQuestion(node, code) || holdsQuestion(node, code) || isQuestionType(typeOf(node, code))
  );
}

/** The wrappers of TypeScript, and `await`, which returns a question as it is. */
export const WRAPPERS = /^(?:AwaitExpression|TS(?:As|Satisfies|NonNull)\w*|ChainExpression)$/;

/** Returns true for a constant that holds a question, as in `const yes = await confirm('Pay?')`. */
function holdsQuestion(node: Node, code: SourceCode): boolean {
  const definition = node.type === 'Identifier' ? variableOf(node, code)?.defs[0] : undefined;
  if (definition?.type !== 'Variable' || definition.parent.kind !== 'const') return false;
  const { id, init } = definition.node;
  return id.type === 'Identifier' && init != null && makesQuestion(unwrapped(init), code);
}

function unwrapped(node: SyntaxNode): SyntaxNode {
  if (!WRAPPERS.test(node.type)) return node;
  const { argument, expression } = node as { argument?: SyntaxNode; expression?: SyntaxNode };
  const inner = argument ?? expression;
  return inner === undefined ? node : unwrapped(inner);
}

/** Returns true if the type of an expression is the outcome of a resolver. */
export function isOutcome(node: Node, code: SourceCode): boolean {
  return isOutcomeType(typeOf(node, code));
}

/** Returns the variable of an identifier. */
export function variableOf(node: Identifier, code: SourceCode): Scope.Variable | undefined {
  let scope: Scope.Scope | null = code.getScope(node);
  for (; scope !== null; scope = scope.upper) {
    const found = scope.set.get(node.name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the name under which this package exports a local name, or `*` for all its exports. */
function importedName(local: Identifier, code: SourceCode): string | undefined {
  const definition = variableOf(local, code)?.defs[0];
  if (definition?.type === 'ImportBinding') {
    const { parent, node } = definition;
    if (!MODULE.test(String(parent.source.value))) return undefined;
    if (node.type !== 'ImportSpecifier') return '*';
    return node.imported.type === 'Identifier' ? node.imported.name : undefined;
  }
  if (definition?.type !== 'Variable' || !isRequired(definition.node.init)) return undefined;
  const { id } = definition.node;
  return id.type === 'ObjectPattern' ? requiredName(local, definition.name) : '*';
}

/** Returns true for `require('mcp-resolve')`. */
function isRequired(init: Expression | null | undefined): boolean {
  if (init?.type !== 'CallExpression' || init.callee.type !== 'Identifier') return false;
  const [source] = init.arguments;
  return (
    init.callee.name === 'require' &&
    source?.type === 'Literal' &&
    MODULE.test(String(source.value))
  );
}

/** Returns the exported name in `const { exported: local } = require(…)`. */
function requiredName(local: Identifier, name: Identifier): string | undefined {
  const { parent } = name as Identifier & { parent: SyntaxNode };
  if (parent.type !== 'Property' || parent.key.type !== 'Identifier') return local.name;
  return parent.key.name;
}
