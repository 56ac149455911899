/** Holds a resolver to what it declared that it asks, and to asking in a way that is heard. */
import type { Kind } from '../define/brand.js';
import { hidesQuestion, isQuestion } from '../define/question.js';
import type { QuestionData } from '../define/question.js';
import { ToolError } from '../errors.js';
import type { PlanNode } from '../graph/node.js';

/** @throws {@link ToolError} If the question is not the declared one. */
export function assertDeclared({ key, resolver }: PlanNode, question: QuestionData): void {
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
 * A question that was made and not returned is not asked, and what it should have guarded would go
 * on: `if (await confirm(…))` is always true.
 *
 * @throws {@link ToolError} Always.
 */
export function failLost({ key }: PlanNode): never {
  throw new ToolError(
    `Resolver '${key}' made a question and did not return it, so nobody was asked: return the question itself, its answer becomes the value`,
  );
}

/** What is needed or defined, and never a value. */
const NO_VALUES: readonly Kind[] = ['resolver', 'outcome', 'arg'];

/**
 * A resolver that is returned does not run, and what it should have guarded would go on.
 *
 * @throws {@link ToolError} If one is.
 */
export function assertValue({ key }: PlanNode, kind: Kind): void {
  if (!NO_VALUES.includes(kind)) return;
  throw new ToolError(
    `Resolver '${key}' returned ${kind === 'resolver' ? 'a resolver' : `${kind}()`}, which does not run: put it into the needs, and decide on its value`,
  );
}

/**
 * A question that is returned inside a list or an object is not asked, and what it should have
 * guarded would go on.
 *
 * @throws {@link ToolError} If there is one.
 */
export function assertNoneInside({ key }: PlanNode, value: unknown): void {
  if (!hidesQuestion(value)) return;
  throw new ToolError(
    `Resolver '${key}' returned a question inside another value, where it is not asked: return the question itself`,
  );
}

/**
 * A fallback is for clients that cannot be asked: one more question would not help them.
 *
 * @throws {@link ToolError} If it gave a question.
 */
export function assertNoQuestion({ key }: PlanNode, given: unknown): void {
  if (!isQuestion(given)) return;
  throw new ToolError(
    `Resolver '${key}' falls back on another question: 'otherwise' gives a value or throws`,
  );
}
