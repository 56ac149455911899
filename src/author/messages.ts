/**
 * The rule for tool use in sampling messages, which `sample()` checks. A message with tool results
 * holds nothing else and answers exactly the tool uses of the message before it.
 */
import type { SamplingMessage } from '@modelcontextprotocol/server';

/** @throws {TypeError} If the last two messages break the rule. */
export function assertToolResultsFollowToolUse(messages: readonly SamplingMessage[]): void {
  const last = blocksOf(messages.at(-1));
  const previous = blocksOf(messages.at(-2));
  const answered = idsOf(last, 'tool_result', 'toolUseId');
  const used = idsOf(previous, 'tool_use', 'id');

  if (answered.size > 0 && last.some((block) => block.type !== 'tool_result')) {
    throw new TypeError(
      'sample(): a message with tool_result content must contain only tool_result blocks.',
    );
  }
  if (answered.size > 0 && used.size === 0) {
    throw new TypeError(
      'sample(): a message with tool_result content must follow a message with tool_use content.',
    );
  }
  if (used.size > 0 && !sameMembers(used, answered)) {
    throw new TypeError(
      'sample(): the ids of the tool_result blocks must match the ids of the tool_use blocks in the previous message.',
    );
  }
}

interface Block {
  readonly type: string;
  readonly id?: unknown;
  readonly toolUseId?: unknown;
}

function blocksOf(message: SamplingMessage | undefined): readonly Block[] {
  if (message === undefined) return [];
  return Array.isArray(message.content) ? message.content : [message.content];
}

function idsOf(blocks: readonly Block[], type: string, field: 'id' | 'toolUseId'): Set<unknown> {
  return new Set(blocks.filter((block) => block.type === type).map((block) => block[field]));
}

function sameMembers(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean {
  return a.size === b.size && [...a].every((member) => b.has(member));
}
