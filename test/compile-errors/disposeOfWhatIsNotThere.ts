// Property 'close' does not exist on type '{ release: () => void; }'.
import { resolver } from 'mcp-resolve';

const lock = { release: () => undefined as void };

export const held = resolver({}, () => lock, {
  // Mistake:
  dispose: (value) => value.close(),
});
