/** Says where the value of an expression goes: out of the function, into a condition, or nowhere. */
import type { SourceCode } from 'eslint';
import { variableOf } from './questions.js';
import type { Node } from './questions.js';

/**
 * - `used`: something may receive the value, such as a `return` or a function that it is passed to.
 * - `tested`: its truth decides something.
 * - `lost`: nothing receives it.
 */
export type Position = 'used' | 'tested' | 'lost';

/** Returns the position of an expression. A variable has the best position of its uses. */
export function positionOf(
  node: Node,
  code: SourceCode,
  seen: ReadonlySet<Node> = new Set(),
): Position {
  const { parent } = node;
  if (parent === null) return 'used';
  if (isTested(node)) return 'tested';
  if (passesOn(node, parent)) return positionOf(parent, code, seen);
  switch (parent.type) {
    case 'ExpressionStatement':
    case 'MemberExpression':
    case 'ThrowStatement':
    case 'UnaryExpression':
      return 'lost';
    case 'VariableDeclarator':
      return positionOfVariable(parent, code, seen);
    default:
      return 'used';
  }
}

/** Returns true if the truth of the expression decides something. */
export function isTested(node: Node): boolean {
  const { parent } = node;
  switch (parent?.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
      return parent.test === node;
    case 'LogicalExpression':
      return parent.left === node;
    case 'UnaryExpression':
      return parent.operator === '!';
    case 'BinaryExpression':
      return /^[!=]==?$/.test(parent.operator);
    case 'AwaitExpression':
      return isTested(parent);
    default:
      return false;
  }
}

/** The wrappers of TypeScript, and `await`, which returns a question as it is. */
const WRAPPERS = /^(?:AwaitExpression|TS(?:As|Satisfies|NonNull)\w*|ChainExpression)$/;

/** Returns true if the parent can have the value of the node. */
function passesOn(node: Node, parent: Node): boolean {
  if (parent.type === 'ConditionalExpression') return parent.test !== node;
  if (parent.type === 'LogicalExpression') return parent.right === node;
  if (parent.type === 'SequenceExpression') return parent.expressions.at(-1) === node;
  return WRAPPERS.test(parent.type);
}

function positionOfVariable(declarator: Node, code: SourceCode, seen: ReadonlySet<Node>): Position {
  if (declarator.type !== 'VariableDeclarator' || seen.has(declarator)) return 'lost';
  if (declarator.parent.parent?.type === 'ExportNamedDeclaration') return 'used';
  if (declarator.id.type !== 'Identifier') return 'lost';
  const reads = variableOf(declarator.id, code)?.references.filter((use) => use.isRead()) ?? [];
  const deeper = new Set([...seen, declarator]);
  const positions = reads.map(({ identifier }) => positionOf(identifier as Node, code, deeper));
  return (['used', 'tested'] as const).find((one) => positions.includes(one)) ?? 'lost';
}
