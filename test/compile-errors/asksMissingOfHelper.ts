// This function can ask. Add { asks: 'form' }.
import { elicit, resolver, type Resolver, type Schema } from 'mcp-resolve';

export function form<S extends Schema>(message: string, schema: S): Resolver<unknown> {
  // Mistake:
  return resolver({}, () => elicit(message, schema));
}
