/** Finds questions that no function returns. The user would never see them. */
import type { Rule } from 'eslint';
import { positionOf } from './position.js';
import { isQuestion } from './questions.js';

/** The rule `return-question`. */
export const returnQuestion: Rule.RuleModule = {
  meta: {
    type: 'problem',
    docs: { description: 'require that questions are returned' },
    schema: [],
    messages: {
      lost: 'Nothing returns this question, so the user never sees it. Return it from the resolver. The answer becomes the value of the resolver.',
    },
  },
  create(context) {
    const { sourceCode } = context;
    return {
      CallExpression(node) {
        if (!isQuestion(node, sourceCode) || positionOf(node, sourceCode) !== 'lost') return;
        context.report({ node, messageId: 'lost' });
      },
    };
  },
};
