// A resource body cannot ask a question. Return the question from a resolver and list that resolver under `resolve`.
import { inputRequired } from '@modelcontextprotocol/server';
import { defineResource } from 'mcp-resolve';

export const trip = defineResource(
  'trip',
  'trips://next',
  { mimeType: 'text/plain' },
  // Mistake:
  async () => inputRequired({ requestState: 'waiting' }),
);
