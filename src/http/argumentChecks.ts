/**
 * Checks the arguments of the serving functions before they open anything.
 *
 * In: an author's factory and options. Out: a `TypeError` with the called function, the value it
 * got and the fix. `checkedFactory` also checks the servers that the factory returns, in both
 * eras.
 */
import { McpServer, Server } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { logThrown } from '../log.js';
import { warnNothingInstalled } from '../call/operator.js';
import { nothingInstalled } from '../definition/definitionCounts.js';
import type { ServerFactory } from '../host/sdkInternals.js';

/**
 * Checks the arguments of a serving function, whose name is `caller`.
 *
 * @throws {TypeError} If the factory is not a function or the options are not an object.
 */
export function checkArguments(factory: unknown, options: unknown, caller: string): void {
  if (typeof factory !== 'function') throw new TypeError(noFactory(factory, caller));
  if (typeof options === 'object' && options !== null) return;
  const isPort = caller === 'serveHttp' && typeof options === 'number';
  const hint = isPort ? ` Write { port: ${options} }.` : '';
  throw new TypeError(
    `${caller}(): \`options\` must be an object, got ${describe(options)}.${hint}`,
  );
}

/**
 * Creates a factory that throws if `factory` returns a value that is not a server, a server of
 * another copy of the SDK, or the same server twice. Its errors are in the log, because the client
 * gets a generic error.
 */
export function checkProducts(factory: ServerFactory): McpServerFactory {
  const served = new WeakSet();
  return async (context) => {
    try {
      const product = await factory(context);
      assertNewServer(product, served);
      if (nothingInstalled()) warnNothingInstalled();
      return product;
    } catch (error) {
      throw logThrown('The server factory failed', error);
    }
  };
}

function assertNewServer(
  product: unknown,
  served: WeakSet<object>,
): asserts product is McpServer | Server {
  // The SDK would fail on its private fields and report nothing.
  if (!(product instanceof McpServer) && !(product instanceof Server)) {
    throw new TypeError(
      looksLikeServer(product)
        ? "The server factory returned a server from a different copy of '@modelcontextprotocol/server' than the one that mcp-resolve uses. Make both use the same copy. `npm ls @modelcontextprotocol/server` shows where the copies are installed."
        : `The server factory must return a server, got ${describe(product)}. Return the McpServer or Server that it built.`,
    );
  }
  // The SDK lets a second connection take over a connected server without an error. Questions of
  // one user's call would then go to the other user.
  if (served.has(product)) {
    throw new Error(
      'The server factory returned the same server twice. Build a new server inside the factory, because every request or session needs its own.',
    );
  }
  served.add(product);
}

/**
 * Checks that an option is an integer in a range. The message starts with `place`, which names the
 * function and the option.
 *
 * @throws {TypeError} If it is not.
 */
export function checkInteger(
  value: number,
  place: string,
  range: { min: number; max?: number },
): number {
  const { min, max = Number.MAX_SAFE_INTEGER } = range;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const bounds = range.max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new TypeError(`${place} must be an integer ${bounds}, got ${describe(value)}.`);
}

/** Describes a value for a message: primitives by value, everything else by kind. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function noFactory(value: unknown, caller: string): string {
  if (looksLikeServer(value)) {
    return `${caller}(): \`factory\` must be a function that builds a server, got a server. Every request or session needs its own server. Write ${caller}(() => { const server = new McpServer(…); …; return server; }).`;
  }
  return `${caller}(): \`factory\` must be a function that builds a server, got ${describe(value)}. Write ${caller}(() => new McpServer(…)).`;
}

// Checks the shape, because the ESM and CommonJS copies of the SDK have different classes.
function looksLikeServer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'connect' in value && 'close' in value;
}
