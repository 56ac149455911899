/**
 * Finds questions with a value that differs in every round. The library compares each question with
 * the one that the user answered, so such a question is asked again and again.
 */
import type { Rule, SourceCode } from 'eslint';
import type { CallExpression, Node as SyntaxNode } from 'estree';
import { makesQuestion, variableOf } from './questions.js';

/** Calls that return another value each time. */
const CHANGING =
  /^(?:(?:[\w.]+\.)?(?:now|random(?:UUID|Bytes|Int)?|getRandomValues|nanoid|ulid|uuidv?[1467]?)|process\.(?:hrtime|hrtime\.bigint|uptime)|Temporal\.Now\.\w+)$/;

/** The options of a question that the user does not see. */
const UNSEEN = new Set(['otherwise', 'elicitationId']);

/** The rule `stable-question`. */
export const stableQuestion: Rule.RuleModule = {
  meta: {
    type: 'problem',
    docs: { description: 'disallow values in questions that change in each round' },
    schema: [],
    messages: {
      changing:
        '`{{ code }}` differs in each round, so the user is asked again and again. Compute it in a resolver with `pin`, or use `ctx.callId`.',
    },
  },
  create(context) {
    const { sourceCode } = context;
    return {
      CallExpression(node) {
        if (!makesQuestion(node, sourceCode)) return;
        for (const found of changingIn(node, sourceCode)) {
          context.report({
            node: found,
            messageId: 'changing',
            data: { code: nameOf(found, sourceCode) },
          });
        }
      },
    };
  },
};

/** Returns the changing expressions in the arguments of a question. */
function changingIn(question: CallExpression, code: SourceCode): SyntaxNode[] {
  const found = new Set<SyntaxNode>();
  const seen = new Set<unknown>();
  const visit = (node: SyntaxNode): void => {
    if (seen.has(node)) return;
    seen.add(node);
    if (isChanging(node, code)) found.add(node);
    else if (node.type === 'Identifier') follow(node);
    else for (const child of childrenOf(node, code)) visit(child);
  };
  const follow = (node: SyntaxNode & { type: 'Identifier' }): void => {
    const variable = variableOf(node, code);
    // A value of the module is computed once per process.
    if (variable?.defs[0]?.type !== 'Variable') return;
    if (variable.scope.type === 'module' || variable.scope.type === 'global') return;
    for (const { writeExpr } of variable.references) if (writeExpr != null) visit(writeExpr);
  };
  question.arguments.forEach(visit);
  return [...found];
}

/** Returns the parts of a node that belong to the value, without functions and unseen options. */
function childrenOf(node: SyntaxNode, { visitorKeys }: SourceCode): SyntaxNode[] {
  if (node.type.includes('Function')) return [];
  if (node.type === 'Property') {
    const unseen = node.key.type === 'Identifier' && UNSEEN.has(node.key.name);
    return unseen ? [] : [node.value];
  }
  if (node.type === 'MemberExpression' && !node.computed) return [node.object];
  const keys = visitorKeys[node.type] ?? [];
  return keys.flatMap((key) => (node as unknown as Record<string, SyntaxNode[]>)[key] ?? []);
}

function isChanging(node: SyntaxNode, code: SourceCode): boolean {
  if (node.type === 'NewExpression') {
    return node.arguments.length === 0 && code.getText(node.callee) === 'Date';
  }
  if (node.type !== 'CallExpression') return false;
  const callee = code.getText(node.callee);
  return callee === 'Date' || CHANGING.test(callee);
}

/** Returns the short form of a changing expression, such as `Date.now()`. */
function nameOf(node: SyntaxNode, code: SourceCode): string {
  const { callee } = node as CallExpression;
  return `${node.type === 'NewExpression' ? 'new ' : ''}${code.getText(callee)}()`;
}
