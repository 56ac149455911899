// A tool body cannot ask a question. Return the question from a resolver and list that resolver under `resolve`.
import { inputRequired } from '@modelcontextprotocol/server';
import { defineTool } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  { description: 'Refund an order.' },
  // Mistake:
  () => inputRequired({ requestState: 'waiting' }),
);
