/**
 * Refuses scope challenges that would protect nothing. Only an McpServer checks the
 * `scopeChallenge` of a definition, since SDK 2.1, and only if its transport supports that.
 */
import type { McpServer } from '@modelcontextprotocol/server';
import type { Definition } from '../definition/definitions.js';
import type { AnyServer } from './sdkInternals.js';

/**
 * Requires that a server checks the challenges of definitions.
 *
 * @throws {TypeError} If the server ignores them.
 */
export function requireScopeChecks(
  server: AnyServer,
  definitions: readonly Definition[],
  isMcpServer: boolean,
): void {
  if (isMcpServer && typeof Reflect.get(server, 'resolveScopeChallenge') === 'function') {
    rejectUncheckedTransports(server as McpServer);
    return;
  }
  const problem = isMcpServer
    ? "requires '@modelcontextprotocol/server' 2.1 or later. Update the package, or check the scopes in a guard."
    : 'works only on an McpServer. Install it on an McpServer, or check the scopes in a guard.';
  refuseChallenges(definitions, 'install()', problem);
}

/**
 * Refuses definitions with a challenge.
 *
 * @throws {TypeError} For the first of them.
 */
export function refuseChallenges(
  definitions: readonly Definition[],
  caller: string,
  problem: string,
): void {
  const found = definitions.find(hasChallenge);
  if (found === undefined) return;
  const { kind, name } = found;
  throw new TypeError(`${caller}: the \`scopeChallenge\` of ${kind} '${name}' ${problem}`);
}

export function hasChallenge({ metadata }: Definition): boolean {
  return metadata.scopeChallenge !== undefined;
}

/**
 * Makes an McpServer reject HTTP transports that do not check scopes, such as those of
 * `@modelcontextprotocol/node` 2.0. The SDK would ignore the challenges there.
 */
function rejectUncheckedTransports(server: McpServer): void {
  const connect = server.connect.bind(server);
  const value: typeof connect = async (transport) => {
    const methods = transport as unknown as Readonly<Record<string, unknown>>;
    const isHttp = typeof methods.handleRequest === 'function';
    if (isHttp && typeof methods.setScopeChallengeResolver !== 'function') {
      throw new TypeError(
        "connect(): this transport does not check the `scopeChallenge` of a definition. Update '@modelcontextprotocol/node' to 2.1 or later, or check the scopes in a guard.",
      );
    }
    await connect(transport);
  };
  Object.defineProperty(server, 'connect', { value, writable: true, configurable: true });
}
