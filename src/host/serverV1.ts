/** The parts of an SDK 1.x server that the library uses, and the checks of what an author passes. */
import { knownOptions, unknownOption } from '../options.js';
import { isObject } from '../values.js';
import { CALL_OPTIONS } from './installOptions.js';
import type { CallOptions } from './installOptions.js';
import { lowLevelOf } from './sdkInternals.js';

/** A low-level `Server` of SDK 1.x. */
export interface ServerV1 {
  readonly getClientCapabilities: () => object | undefined;
  readonly getClientVersion: () => object | undefined;
  readonly registerCapabilities: (capabilities: object) => void;
  readonly sendLoggingMessage: (params: never, sessionId?: string) => Promise<void>;
  readonly setRequestHandler: (schema: never, handler: never) => void;
  /** Set while the server is connected. */
  readonly transport?: object | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Servers of SDK 2.x have it. Install on them with `install` of `mcp-resolve`. */
  readonly getNegotiatedProtocolVersion?: never;
}

/** An `McpServer` of SDK 1.x. */
export interface McpServerV1 {
  readonly server: ServerV1;
  registerTool(name: string, config: object, callback: () => never): unknown;
  registerPrompt(name: string, config: object, callback: () => never): unknown;
  registerResource(name: string, uri: string, config: object, callback: () => never): unknown;
}

/** The options of `install()` of `mcp-resolve/v1`. */
export type InstallV1Options = Omit<CallOptions, 'seal'>;

/**
 * Returns the low-level server of an McpServer, or the given low-level Server.
 *
 * @throws {TypeError} If the value is not a server of SDK 1.x.
 */
export function lowLevelServerV1(server: McpServerV1 | ServerV1): ServerV1 {
  const target = lowLevelOf(server, 'install()');
  if (typeof target.getNegotiatedProtocolVersion !== 'function')
    return target as unknown as ServerV1;
  throw new TypeError(
    "install(): this server is from '@modelcontextprotocol/server'. Import install() from 'mcp-resolve' instead of 'mcp-resolve/v1'.",
  );
}

/**
 * Checks the options that only the other `install()` has.
 *
 * @throws {TypeError} If one of them is set.
 */
export function assertOptionsV1(options: InstallV1Options): void {
  const absent = ['seal', 'request'].find((option) => isObject(options) && option in options);
  if (absent === undefined) return;
  const known = knownOptions(CALL_OPTIONS.filter((option) => option !== 'seal'));
  const why = absent === 'seal' ? 'A call on SDK 1.x is one request, so it has no state. ' : '';
  throw unknownOption('install() of mcp-resolve/v1', absent, `${why}${known}`);
}
