/** Servers of both builds of the SDK, whose classes have different private members. */
import type * as esm from '@modelcontextprotocol/server';
import type * as cjs from '@modelcontextprotocol/server' with { 'resolution-mode': 'require' };
import { defineTool, install, requestStateSeal } from 'mcp-resolve';
import type {
  AnyDefinition,
  OnceOptions,
  RequestStateKey,
  RequestStateSeal,
  Tool,
} from 'mcp-resolve';
import { createDualEraHandler, serveHttp, serveStdio } from 'mcp-resolve/node';

type AnyServer = esm.McpServer | esm.Server | cjs.McpServer | cjs.Server;

export function accepts(server: AnyServer, tool: Tool): void {
  install(server, [tool]);
  requestStateSeal.ephemeral().protect(server);
}

export function serves(build: (context: cjs.McpRequestContext) => AnyServer): void {
  createDualEraHandler(build);
  createDualEraHandler(async (request) => Promise.resolve(build(request)));
  void serveHttp(build);
  serveStdio(build);
}

export function narrows(server: cjs.McpServer, tool: Tool, request: cjs.McpRequestContext): void {
  install(server, [tool], { request });
}

// A host can have other functions than the SDK, if it has the SDK's server.
export class Host {
  declare readonly server: cjs.Server;

  registerTool(config: { readonly name: string }): this {
    return config.name === '' ? this : this;
  }
}
export const acceptsHost = (host: Host, tool: Tool): void => install(host, [tool]);

// Generic functions of authors pass on what they receive.
export const installsAll = <D extends readonly AnyDefinition[]>(
  server: esm.McpServer,
  definitions: D,
): D => {
  install(server, definitions);
  return definitions;
};
export const paysOnce = <S extends OnceOptions['store']>(once: S): readonly [S, Tool] => [
  once,
  defineTool('pay', { once }, () => 'paid'),
];
export const sealsWith = <K extends readonly RequestStateKey[]>(
  keys: K,
): readonly [K, RequestStateSeal] => [keys, requestStateSeal({ keys, audience: 'desk' })];

// The class of another SDK has other members.
declare class ServerOfAnotherSdk {
  setRequestHandler(schema: object, handler: () => object): void;
}
// @ts-expect-error Property 'getNegotiatedProtocolVersion' is missing
export const refuses = (server: ServerOfAnotherSdk): void => install(server, []);

// Capabilities are returned at once, and under their names.
export const limits = (server: esm.McpServer): void => {
  install(server, [], { usableCapabilities: ({ capabilities }) => capabilities });
  install(server, [], { usableCapabilities: () => ({ elicitation: { form: {} } }) });
  // @ts-expect-error Type 'Promise<Capabilities>' has no properties in common
  install(server, [], { usableCapabilities: async ({ capabilities }) => capabilities });
  // @ts-expect-error Type '{ elicit: {}; }' has no properties in common
  install(server, [], { usableCapabilities: () => ({ elicit: {} }) });
  // @ts-expect-error Type 'undefined' is not assignable to type 'Capabilities'
  install(server, [], { usableCapabilities: () => undefined });
};
