/** The errors for wrong arguments of the serving functions. */
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import {
  createDualEraHandler,
  serveHttp,
  type ServeHttpOptions,
  serveStdio,
} from 'mcp-resolve/node';
import { sdkHas } from '../support/sdk.js';
import { initialize, post } from './rawHttp.js';

const server = new McpServer({ name: 'one', version: '1.0.0' });
const build = (): McpServer => new McpServer({ name: 'one', version: '1.0.0' });

/** Passes a value of any type, as a JavaScript author can. */
const untyped = (value: unknown): never => value as never;

async function messageOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as Error).message;
  }
  throw new Error('expected a TypeError');
}

const functions = [
  ['serveHttp', serveHttp],
  ['serveStdio', serveStdio],
  ['createDualEraHandler', createDualEraHandler],
] as const;

describe.each(functions)('%s', (name, serve) => {
  it('refuses a server, and shows how to wrap it in a function', async () => {
    expect(await messageOf(() => serve(untyped(server)))).toBe(
      `${name}(): \`factory\` must be a function that builds a server, got a server. Every request or session needs its own server. Write ${name}(() => { const server = new McpServer(…); …; return server; }).`,
    );
  });

  it.each([
    [undefined, 'undefined'],
    [{ name: 'one' }, 'an object'],
    ['server.js', "'server.js'"],
  ])('refuses %s instead of a factory', async (factory, got) => {
    expect(await messageOf(() => serve(untyped(factory)))).toBe(
      `${name}(): \`factory\` must be a function that builds a server, got ${got}. Write ${name}(() => new McpServer(…)).`,
    );
  });

  it('refuses options that are not an object', async () => {
    expect(await messageOf(() => serve(build, untyped(true)))).toBe(
      `${name}(): \`options\` must be an object, got true.`,
    );
  });
});

describe('createDualEraHandler', () => {
  it.each([
    [
      { maxSessions: 0 },
      'createDualEraHandler(): `maxSessions` must be an integer of at least 1, got 0.',
    ],
    [
      { sessionIdleMs: Number.NaN },
      'createDualEraHandler(): `sessionIdleMs` must be an integer of at least 1, got NaN.',
    ],
    ...[0, 0.5, Number.NaN].map((size): [object, string] => [
      { maxRequestBodySize: size },
      `createDualEraHandler(): \`maxRequestBodySize\` must be an integer of at least 1, got ${size}.`,
    ]),
    [
      { maxSessionsPerPrincipal: -1 },
      'createDualEraHandler(): `maxSessionsPerPrincipal` must be an integer of at least 1, got -1.',
    ],
    [
      { maxOpenQuestions: 0.5 },
      'createDualEraHandler(): `maxOpenQuestions` must be an integer of at least 1, got 0.5.',
    ],
    [
      { disconnectGraceMs: untyped('1m') },
      "createDualEraHandler(): `disconnectGraceMs` must be an integer of at least 1, got '1m'.",
    ],
    [
      { allowedHosts: ['https://example.com'] },
      "createDualEraHandler(): `allowedHosts` must contain host names without scheme and port, such as 'example.com' or '[::1]', got 'https://example.com'.",
    ],
    [
      { authenticate: untyped(true) },
      'createDualEraHandler(): `authenticate` must be a function, got true.',
    ],
  ])('refuses %o', async (options, sentence) => {
    expect(await messageOf(() => createDualEraHandler(build, options))).toBe(sentence);
  });
});

describe('serveHttp', () => {
  const wrongPort = 'serveHttp(): `port` must be an integer from 0 to 65535, got';
  const wrongName = (option: string): string =>
    `serveHttp(): \`${option}\` must contain host names without scheme and port, such as 'example.com' or '[::1]', got`;
  const wrongPath = (got: string): string =>
    `serveHttp(): \`path\` must start with a slash and contain no '?', '#' or whitespace, got ${got}. Use a path such as '/mcp'.`;
  const mistakes: [ServeHttpOptions, string][] = [
    [{ port: -1 }, `${wrongPort} -1.`],
    [{ port: 65_536 }, `${wrongPort} 65536.`],
    [{ port: untyped('3000') }, `${wrongPort} '3000'.`],
    [{ path: 'mcp' }, wrongPath("'mcp'")],
    [{ path: '/mcp?a=b' }, wrongPath("'/mcp?a=b'")],
    [{ host: '' }, "serveHttp(): `host` must be a host name or an IP address, got ''."],
    [
      { authenticate: untyped('secret') },
      "serveHttp(): `authenticate` must be a function, got 'secret'.",
    ],
    [
      { host: '0.0.0.0' },
      "serveHttp(): a server on '0.0.0.0' can be reached from other machines, so `allowedHosts` is required. Name the hosts that it serves, such as allowedHosts: ['mcp.example.com'], or set allowedHosts: 'any' if a proxy in front checks them.",
    ],
    [
      { allowedHosts: untyped('mcp.example.com') },
      "serveHttp(): `allowedHosts` must be an array of host names, got 'mcp.example.com'.",
    ],
    [{ allowedHosts: ['localhost:3000'] }, `${wrongName('allowedHosts')} 'localhost:3000'.`],
    [{ allowedHosts: ['::1'] }, `${wrongName('allowedHosts')} '::1'.`],
    [
      { allowedOrigins: ['https://app.example.com'] },
      `${wrongName('allowedOrigins')} 'https://app.example.com'.`,
    ],
    [{ allowedOrigins: ['https://*'] }, `${wrongName('allowedOrigins')} 'https://*'.`],
  ];

  it.each(mistakes)('refuses %o', async (options, sentence) => {
    expect(await messageOf(() => serveHttp(build, options))).toBe(sentence);
  });

  it('serves all browser extensions with a wildcard, or refuses it if the SDK cannot', async () => {
    const allowedOrigins = ['moz-extension://*'];
    if (!sdkHas('originWildcard')) {
      expect(await messageOf(() => serveHttp(build, { allowedOrigins }))).toBe(
        "serveHttp(): 'moz-extension://*' in `allowedOrigins` requires '@modelcontextprotocol/server' 2.3 or later. Update the package, or list the ids of the extensions.",
      );
      return;
    }
    const handler = createDualEraHandler(build, { allowedOrigins });
    const statusFrom = async (origin: string): Promise<number> =>
      (await handler.fetch(post(initialize, { origin }))).status;
    expect(await statusFrom('moz-extension://2c127fa4')).toBe(200);
    expect(await statusFrom('https://2c127fa4')).toBe(403);
    await handler.close();
  });
});
