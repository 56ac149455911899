// This function can ask. Add { asks: 'roots' }.
import { listRoots, resolver } from 'mcp-resolve';

export const folders = resolver(
  {},
  // Mistake:
  () => listRoots(),
  { name: 'folders' },
);
