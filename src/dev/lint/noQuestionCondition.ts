/** Finds questions and outcomes in conditions. Both are objects, so the condition is always true. */
import type { Rule } from 'eslint';
import { isTested } from './position.js';
import { isOutcome, isQuestion } from './questions.js';
import type { Node } from './questions.js';

/** The rule `no-question-condition`. */
export const noQuestionCondition: Rule.RuleModule = {
  meta: {
    type: 'problem',
    docs: { description: 'disallow questions and outcomes as conditions' },
    schema: [],
    messages: {
      question:
        'A question is an object, so this condition is always true. Return the question from a resolver, and need that resolver here.',
      outcome:
        "An outcome is an object, so this condition is always true. Compare its `action` with 'accept'.",
    },
  },
  create(context) {
    const { sourceCode } = context;
    const check = (node: Node): void => {
      if (!isTested(node)) return;
      if (isQuestion(node, sourceCode)) context.report({ node, messageId: 'question' });
      else if (isOutcome(node, sourceCode)) context.report({ node, messageId: 'outcome' });
    };
    return { CallExpression: check, Identifier: check, MemberExpression: check };
  },
};
