/** Holds a resolver to what it declared that it asks. */
import type { QuestionData } from '../define/question.js';
import { ToolError } from '../errors.js';
import type { PlanNode } from '../graph/plan.js';

/** @throws {@link ToolError} If the question is not the declared one. */
export function assertDeclared({ key, resolver }: PlanNode, question: QuestionData): void {
  const { asks } = resolver.options;
  if (asks === undefined) return;
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
