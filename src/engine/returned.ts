/** Checks what resolvers return: the question they declared, or a value that hides no question. */
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
 * @throws {@link ToolError} If the resolver declares another one, or if it cannot be shown.
 */
export function renderDeclared(node: PlanNode, question: QuestionData): Asked {
  assertDeclared(node, question);
  try {
    return renderQuestion(question);
  } catch (error) {
    const what =
      question.kind === 'form' ? 'a schema that no form can show' : 'what cannot be sent';
    throw new ToolError(`Resolver '${node.key}' asks with ${what}: ${messageOf(error)}`);
  }
}

function assertDeclared({ key, resolver }: PlanNode, question: QuestionData): void {
  const { asks } = resolver.options;
  if (asks === undefined) return;
  if (asks === 'nothing') {
    throw new ToolError(
      `Resolver '${key}' declares that it asks nothing, but it asked '${question.kind}'`,
    );
  }
  const declared = typeof asks === 'string' ? asks : 'form';
  if (question.kind !== declared) {
    throw new ToolError(
      `Resolver '${key}' declares that it asks '${declared}', but it asked '${question.kind}'`,
    );
  }
  if (typeof asks !== 'string' && question.kind === 'form' && question.schema !== asks) {
    throw new ToolError(
      `Resolver '${key}' asked with another schema than the one it declares in 'asks'`,
    );
  }
}

/**
 * Checks a value that is not a question: a resolver in its place would not run, and a question
 * inside it or beside it would not be asked. What either should have guarded would go on.
 *
 * @throws {@link ToolError} If it is no value.
 */
export function assertValue(
  { key }: PlanNode,
  value: unknown,
  { madeQuestion }: QuestionScope,
): void {
  const kind = kindOf(value);
  if (kind === 'resolver' || kind === 'outcome' || kind === 'arg') {
    throw new ToolError(
      `Resolver '${key}' returned ${kind === 'resolver' ? 'a resolver' : `${kind}()`}, which does not run: put it into the needs, and decide on its value`,
    );
  }
  assertHidesNone(key, value);
  if (madeQuestion) {
    throw new ToolError(
      `Resolver '${key}' made a question and did not return it, so nobody was asked: return the question itself, its answer becomes the value`,
    );
  }
}

/**
 * Checks the value of a fallback. Clients that get one cannot be asked, so another question would
 * not help them.
 *
 * @throws {@link ToolError} If it is a question, has one inside, or was computed with one.
 */
export function assertFallback(
  { key }: PlanNode,
  value: unknown,
  { madeQuestion }: QuestionScope,
): void {
  if (isQuestion(value) || madeQuestion) {
    throw new ToolError(
      `Resolver '${key}' falls back on another question: 'otherwise' gives a value or throws`,
    );
  }
  assertHidesNone(key, value);
}

function assertHidesNone(key: string, value: unknown): void {
  if (!hidesQuestion(value)) return;
  throw new ToolError(
    `Resolver '${key}' returned a question inside another value, where it is not asked: return the question itself`,
  );
}
