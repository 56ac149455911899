/**
 * Checks the values that resolvers return. A question must be the declared one, and any other value
 * must not hide a question.
 */
import { kindOf } from '../define/brand.js';
import { hidesQuestion, isQuestion } from '../define/question.js';
import type { QuestionData } from '../define/question.js';
import type { QuestionScope } from '../define/questionScope.js';
import { messageOf, ToolError } from '../errors.js';
import type { PlanNode } from '../plan/plan.js';
import { renderQuestion } from '../question/asked.js';
import type { Asked } from '../question/asked.js';

/**
 * Renders the question that a resolver returned.
 *
 * @throws {@link ToolError} If the resolver declares another question, or this one cannot be shown.
 */
export function renderDeclared(node: PlanNode, question: QuestionData): Asked {
  assertDeclared(node, question);
  try {
    return renderQuestion(question);
  } catch (error) {
    const what =
      question.kind === 'form' ? 'a schema that a form cannot show' : 'data that cannot be sent';
    throw new ToolError(`Resolver '${node.key}' asks with ${what}: ${messageOf(error)}`);
  }
}

function assertDeclared({ key, resolver }: PlanNode, question: QuestionData): void {
  const { asks } = resolver.options;
  if (asks === undefined) return;
  if (asks === 'nothing') {
    throw new ToolError(
      `Resolver '${key}' declares that it asks nothing, but it returned a '${question.kind}' question`,
    );
  }
  const declared = typeof asks === 'string' ? asks : 'form';
  if (question.kind !== declared) {
    throw new ToolError(
      `Resolver '${key}' declares that it asks a '${declared}' question, but it returned a '${question.kind}' question`,
    );
  }
  if (typeof asks !== 'string' && question.kind === 'form' && question.schema !== asks) {
    throw new ToolError(
      `Resolver '${key}' asked with a different schema than the one it declares in \`asks\``,
    );
  }
}

/**
 * Checks a returned value that is not a question. A returned resolver would not run. A question
 * inside the value, or one that was not returned, would not be asked. The action that either should
 * guard would run anyway.
 *
 * @throws {@link ToolError} If the value is a resolver, an outcome or an argument, or if a question
 *   is lost.
 */
export function assertValue(
  { key }: PlanNode,
  value: unknown,
  { madeQuestion }: QuestionScope,
): void {
  const kind = kindOf(value);
  if (kind === 'resolver' || kind === 'outcome' || kind === 'arg') {
    throw new ToolError(
      `Resolver '${key}' returned ${kind === 'resolver' ? 'a resolver' : `${kind}()`}, which does not run. Add it to the needs and use its value.`,
    );
  }
  assertHidesNone(key, value);
  if (madeQuestion) {
    throw new ToolError(
      `Resolver '${key}' created a question but did not return it, so it was never asked. Return the question itself. Its answer becomes the value.`,
    );
  }
}

/**
 * Checks the value of a fallback. The client does not support the question, so another question
 * would not help.
 *
 * @throws {@link ToolError} If the value is a question or contains one, or if the fallback created
 *   one.
 */
export function assertFallback(
  { key }: PlanNode,
  value: unknown,
  { madeQuestion }: QuestionScope,
): void {
  if (isQuestion(value) || madeQuestion) {
    throw new ToolError(
      `Resolver '${key}' falls back to another question. \`otherwise\` must return a value or throw.`,
    );
  }
  assertHidesNone(key, value);
}

function assertHidesNone(key: string, value: unknown): void {
  if (!hidesQuestion(value)) return;
  throw new ToolError(
    `Resolver '${key}' returned a question inside another value, where it is not asked. Return the question itself.`,
  );
}
