// have no overlap
import { resolver } from 'mcp-resolve';

const lock = { release: () => undefined as void };

export const held = resolver({}, () => lock, {
  dispose: (value, end) => {
    // Mistake:
    if (end === 'done') value.release();
  },
});
