/** Says where the value of an expression goes: out of the function, into a condition, or nowhere. */
import type { Scope, SourceCode } from 'eslint';
import { variableOf, WRAPPERS } from './questions.js';
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
    case 'BinaryExpression':
    case 'ExpressionStatement':
    case 'MemberExpression':
    case 'SwitchStatement':
    case 'TemplateLiteral':
    case 'ThrowStatement':
    case 'UnaryExpression':
      return 'lost';
    case 'ArrayExpression':
      return isAwaitedTogether(parent, code) ? 'lost' : 'used';
    case 'AssignmentExpression':
      return positionOfAssignment(parent, code, seen);
    case 'VariableDeclarator':
      return positionOfDeclarator(parent, code, seen);
    default:
      return 'used';
  }
}

/** Returns true for the array in `Promise.all([…])`. A resolver returns one question, and no array. */
function isAwaitedTogether({ parent }: Node, code: SourceCode): boolean {
  return (
    parent?.type === 'CallExpression' &&
    /^Promise\.(?:all|allSettled|any|race)$/.test(code.getText(parent.callee))
  );
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

/** Returns true if the parent can have the value of the node. */
function passesOn(node: Node, parent: Node): boolean {
  if (parent.type === 'ConditionalExpression') return parent.test !== node;
  if (parent.type === 'LogicalExpression') return parent.right === node;
  if (parent.type === 'SequenceExpression') return parent.expressions.at(-1) === node;
  return WRAPPERS.test(parent.type);
}

function positionOfDeclarator(
  declarator: Node,
  code: SourceCode,
  seen: ReadonlySet<Node>,
): Position {
  if (declarator.type !== 'VariableDeclarator' || seen.has(declarator)) return 'lost';
  if (declarator.parent.parent?.type === 'ExportNamedDeclaration') return 'used';
  if (declarator.id.type !== 'Identifier') return 'lost';
  const deeper = new Set([...seen, declarator]);
  return positionOfVariable(variableOf(declarator.id, code), code, deeper);
}

/** Follows an assignment to a local variable. Any function can read another one. */
function positionOfAssignment(
  assignment: Node,
  code: SourceCode,
  seen: ReadonlySet<Node>,
): Position {
  if (assignment.type !== 'AssignmentExpression' || seen.has(assignment)) return 'lost';
  const { left, parent } = assignment;
  if (left.type !== 'Identifier' || parent.type !== 'ExpressionStatement') return 'used';
  const variable = variableOf(left, code);
  if (variable?.scope.type !== 'function' && variable?.scope.type !== 'block') return 'used';
  return positionOfVariable(variable, code, new Set([...seen, assignment]));
}

function positionOfVariable(
  variable: Scope.Variable | undefined,
  code: SourceCode,
  seen: ReadonlySet<Node>,
): Position {
  const reads = variable?.references.filter((use) => use.isRead()) ?? [];
  const positions = reads.map(({ identifier }) => positionOf(identifier as Node, code, seen));
  return (['used', 'tested'] as const).find((one) => positions.includes(one)) ?? 'lost';
}
