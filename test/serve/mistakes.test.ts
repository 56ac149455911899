/** What an author is told who hands the wrong thing to a serving function. */
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import {
  createDualEraHandler,
  serveHttp,
  type ServeHttpOptions,
  serveStdio,
} from 'mcp-resolve/node';

const server = new McpServer({ name: 'one', version: '1.0.0' });
const build = (): McpServer => new McpServer({ name: 'one', version: '1.0.0' });

/** Any value in place of a typed one, as a JavaScript author can pass it. */
const untyped = (value: unknown): never => value as never;

async function messageOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
}

const functions = [
  ['serveHttp', serveHttp],
  ['serveStdio', serveStdio],
  ['createDualEraHandler', createDualEraHandler],
] as const;

describe.each(functions)('%s', (name, serve) => {
  it('tells to wrap a server in a function', async () => {
    expect(await messageOf(() => serve(untyped(server)))).toBe(
      `${name} was given a server; it needs a function that builds one, because every request or session gets its own. Write ${name}(() => { const server = new McpServer(…); …; return server; }).`,
    );
  });

  it.each([
    [undefined, 'undefined'],
    [{ name: 'one' }, 'an object'],
    ['server.js', "'server.js'"],
  ])('wants a function, not %s', async (factory, got) => {
    expect(await messageOf(() => serve(untyped(factory)))).toBe(
      `${name} needs a function that builds a server, not ${got}. Write ${name}(() => new McpServer(…)).`,
    );
  });

  it('wants options in an object', async () => {
    expect(await messageOf(() => serve(build, untyped(3000)))).toBe(
      `The options of ${name} must be an object, not 3000.`,
    );
  });
});

describe('createDualEraHandler', () => {
  it.each([
    [{ maxSessions: 0 }, "The option 'maxSessions' must be a whole number of at least 1, not 0."],
    [
      { sessionIdleMs: Number.NaN },
      "The option 'sessionIdleMs' must be a whole number of at least 1, not NaN.",
    ],
    [
      { maxSessionsPerPrincipal: -1 },
      "The option 'maxSessionsPerPrincipal' must be a whole number of at least 1, not -1.",
    ],
    [
      { maxOpenQuestions: 0.5 },
      "The option 'maxOpenQuestions' must be a whole number of at least 1, not 0.5.",
    ],
    [
      { disconnectGraceMs: untyped('1m') },
      "The option 'disconnectGraceMs' must be a whole number of at least 1, not '1m'.",
    ],
    [
      { allowedHosts: ['https://example.com'] },
      "The option 'allowedHosts' takes host names without scheme and port, like 'example.com' or '[::1]', not 'https://example.com'.",
    ],
    [{ authenticate: untyped(true) }, "The option 'authenticate' must be a function, not true."],
  ])('refuses %o', async (options, sentence) => {
    expect(await messageOf(() => createDualEraHandler(build, options))).toBe(sentence);
  });
});

describe('serveHttp', () => {
  const wrongPort = "The option 'port' must be a whole number from 0 to 65535, not";
  const wrongName = (option: string): string =>
    `The option '${option}' takes host names without scheme and port, like 'example.com' or '[::1]', not`;
  const mistakes: [ServeHttpOptions, string][] = [
    [{ port: -1 }, `${wrongPort} -1.`],
    [{ port: 65_536 }, `${wrongPort} 65536.`],
    [{ port: untyped('3000') }, `${wrongPort} '3000'.`],
    [{ path: 'mcp' }, "The option 'path' must start with a slash, like '/mcp', not 'mcp'."],
    [{ host: '' }, "The option 'host' must be an address, not ''."],
    [
      { authenticate: untyped('secret') },
      "The option 'authenticate' must be a function, not 'secret'.",
    ],
    [
      { host: '0.0.0.0' },
      "A server on '0.0.0.0' can be reached from other machines: name the hosts it answers for, like allowedHosts: ['mcp.example.com'], or allowedHosts: 'any' when a proxy in front checks them.",
    ],
    [
      { allowedHosts: untyped('mcp.example.com') },
      "The option 'allowedHosts' must be a list of names, not 'mcp.example.com'.",
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

  it('accepts all the pages of a browser extension scheme', async () => {
    const handle = await serveHttp(build, { allowedOrigins: ['moz-extension://*'] });
    await handle.close();
    expect(handle.server.listening).toBe(false);
  });
});
