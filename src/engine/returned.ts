/**
 * Checks the values that resolvers return. A question must be the declared one, and any other value
 * must not hide a question.
 */
import { findMisplaced } from '../author/misplaced.js';
import { declaredKind } from '../author/model.js';
import { isQuestion } from '../author/question.js';
import type { QuestionData } from '../author/question.js';
import type { QuestionScope } from '../author/questionScope.js';
import { messageOf } from '../errors.js';
import type { PlanNode } from '../plan/plan.js';
import { renderQuestion } from '../question/asked.js';
import type { Asked } from '../question/asked.js';
import { InitialValueError } from '../question/formSchema.js';

/**
 * Renders the question that a resolver returned.
 *
 * @throws {Error} If the resolver declares another question, or this one cannot be shown.
 */
export function renderDeclared(node: PlanNode, question: QuestionData): Asked {
  assertDeclared(node, question);
  try {
    return renderQuestion(question);
  } catch (error) {
    throw new Error(
      `Resolver '${node.key}' asks with ${unshowable(question, error)}: ${messageOf(error)}`,
    );
  }
}

/** Names the part of a question that cannot be shown. */
function unshowable({ kind }: QuestionData, error: unknown): string {
  if (kind !== 'form') return 'data that cannot be sent';
  return error instanceof InitialValueError
    ? 'initial values that the form cannot show'
    : 'a schema that a form cannot show';
}

/** A resolver without a declaration can ask anything, because the compiler cannot see every type. */
function assertDeclared({ key, resolver }: PlanNode, question: QuestionData): void {
  const declared = declaredKind(resolver);
  // A tool needs a desk for an approval, so it has to know.
  if (declared === undefined && question.kind === 'approval') {
    throw new Error(
      `Resolver '${key}' asks for an approval, but does not declare it. Add { asks: 'approval' } to its options.`,
    );
  }
  if (declared === undefined) return;
  if (question.kind !== declared) {
    throw new Error(
      `Resolver '${key}' declares that it asks a '${declared}' question, but it returned a '${question.kind}' question. Change \`asks\`, or return the declared question.`,
    );
  }
  const { asks } = resolver.options;
  if (typeof asks !== 'string' && question.kind === 'form' && question.schema !== asks) {
    throw new Error(
      `Resolver '${key}' asked with a different schema than the one it declares in \`asks\`. Use the same schema object for both.`,
    );
  }
}

/**
 * Checks a returned value that is not a question. A returned resolver would not run. A question
 * inside the value, or one that was not returned, would not be asked. The action that either should
 * guard would run anyway.
 *
 * @throws {Error} If the value is or contains a resolver, an outcome, an argument or a question, or
 *   if a question is lost.
 */
export function assertValue(
  { key }: PlanNode,
  value: unknown,
  { madeQuestion }: QuestionScope,
): void {
  const found = findMisplaced(value);
  if (found !== undefined) {
    throw new Error(
      `Resolver '${key}' returned ${found.label}, where it has no effect. ${found.remedy}`,
    );
  }
  if (madeQuestion) {
    throw new Error(
      `Resolver '${key}' created a question but did not return it, so it was never asked. Return the question itself. Its answer becomes the value.`,
    );
  }
}

/**
 * Checks the value of a fallback. The client does not support the question, so another question
 * would not help.
 *
 * @throws {Error} If the value is or contains a question or a resolver, or if the fallback created
 *   a question.
 */
export function assertFallback(
  { key }: PlanNode,
  value: unknown,
  { madeQuestion }: QuestionScope,
): void {
  if (isQuestion(value) || madeQuestion) {
    throw new Error(
      `Resolver '${key}' falls back to another question. \`otherwise\` must return a value or throw.`,
    );
  }
  const found = findMisplaced(value);
  if (found === undefined) return;
  throw new Error(
    `Resolver '${key}' falls back to ${found.label}, where it has no effect. Return a value from \`otherwise\`.`,
  );
}
