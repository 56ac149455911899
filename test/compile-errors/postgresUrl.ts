// `client` must be a pool of pg. Write postgresStore(new Pool({ connectionString })).
import { defineTool } from 'mcp-resolve';
import { postgresStore } from '../../src/store.js';

export const refund = defineTool(
  'refund',
  {
    once: postgresStore(
      // Mistake:
      'postgres://127.0.0.1/bank',
    ),
  },
  () => 'refunded',
);
