/** The rules for ESLint, and the configuration that switches them on. */
import type { Linter } from 'eslint';
import { noQuestionCondition } from './noQuestionCondition.js';
import { returnQuestion } from './returnQuestion.js';
import { stableQuestion } from './stableQuestion.js';

/** The rules, by name. */
export const rules = {
  'no-question-condition': noQuestionCondition,
  'return-question': returnQuestion,
  'stable-question': stableQuestion,
};

/**
 * The configuration for ESLint with all rules: questions in conditions, questions that nothing
 * returns, and questions with a value that differs in each round. With the parser of
 * typescript-eslint and its types, the rules find more.
 *
 * @example
 *
 * ```ts
 * // eslint.config.js
 * import { recommended } from 'mcp-resolve/eslint';
 *
 * export default [recommended];
 * ```
 */
export const recommended: Linter.Config = {
  name: 'mcp-resolve/recommended',
  plugins: { 'mcp-resolve': { meta: { name: 'mcp-resolve' }, rules } },
  rules: {
    'mcp-resolve/no-question-condition': 'error',
    'mcp-resolve/return-question': 'error',
    'mcp-resolve/stable-question': 'error',
  },
};
