/** `mcp-resolve check` as CI runs it: one line for each finding, and the code. */
import { beforeAll, describe, expect, it } from 'vitest';
import { makeProject } from './project.js';
import type { Project } from './project.js';

const TIMEOUT = 60_000;

let project: Project;

beforeAll(async () => {
  project = await makeProject();
  await project.write('clean.js', [
    `import { defineTool } from 'mcp-resolve';`,
    `export const ping = defineTool('ping', {}, () => 'pong');`,
  ]);
  await project.write('findings.js', [
    `import { defineTool, resolver } from 'mcp-resolve';`,
    `import * as z from 'zod';`,
    `const user = resolver({}, () => 'me', { pin: z.string() });`,
    `const approval = resolver({}, () => true, { name: 'approval', asks: 'form' });`,
    `export const remove = defineTool('delete_all', {}, () => 'done');`,
    `export const who = defineTool('who', { resolve: { user } }, () => 'done');`,
    `export const pay = defineTool('pay', { resolve: { approval } }, () => 'done');`,
    `export const again = defineTool('who', {}, () => 'done');`,
  ]);
  await project.write('hints.js', [
    `import { defineTool, resolver } from 'mcp-resolve';`,
    `const approval = resolver({}, () => true, { name: 'approval', asks: 'form' });`,
    `export const pay = defineTool('pay', { resolve: { approval } }, () => 'done');`,
  ]);
  await project.write('factory.js', [
    `import { McpServer } from '@modelcontextprotocol/server';`,
    `import { defineTool, install } from 'mcp-resolve';`,
    `import { makeTools } from './makeTools.js';`,
    `export const ping = defineTool('ping', {}, () => 'pong');`,
    `export function buildServer() {`,
    `  const server = new McpServer({ name: 'x', version: '1.0.0' });`,
    `  install(server, [ping, ...makeTools()]);`,
    `  return server;`,
    `}`,
    `export function inline() {`,
    `  const server = new McpServer({ name: 'x', version: '1.0.0' });`,
    `  install(server, [ping, defineTool('inline', {}, () => 'x')]);`,
    `  return server;`,
    `}`,
  ]);
  await project.write('makeTools.js', [
    `import { defineTool } from 'mcp-resolve';`,
    `export const makeTools = () => [defineTool('made', {}, () => 'x')];`,
  ]);
});

const check = async (...typed: string[]): Promise<{ code: unknown; lines: string[] }> => {
  const { code, stdout, stderr } = await project.command('check', ...typed);
  expect(stderr).toBe('');
  return { code, lines: stdout.trimEnd().split('\n') };
};

const PER_REQUEST =
  'over HTTP its graph is analysed again for each request, so define it once, outside, and only install it there';

describe.concurrent('mcp-resolve check', { timeout: TIMEOUT }, () => {
  it('says that all is well, with the code 0', async () => {
    expect(await check('clean.js')).toEqual({
      code: 0,
      lines: ['1 definition, 0 errors, 0 hints'],
    });
  });

  it('prints a line with a stable code for each finding, with the code 1', async () => {
    expect(await check('findings.js')).toEqual({
      code: 1,
      lines: [
        'error  no-question  delete_all: it destroys or moves something, and nobody is asked before it runs: let a resolver ask, with confirm(), or say annotations: { readOnlyHint: true } or { destructiveHint: false }',
        "error  pinned-identity  who: 'user' is pinned, and it looks like an identity or a permission: it may have changed by the next round, so compute it every time",
        'hint   no-once  pay: it moves money after a question, and a client can send its last round again: once: store lets an approved call run once',
        "error  duplicate-name  who: there is another tool 'who': a server takes only one of them, so rename one, or define it once and import it",
        '4 definitions, 3 errors, 1 hint',
      ],
    });
  });

  it('does not fail a build for a hint', async () => {
    const { code, lines } = await check('hints.js');
    expect({ code, last: lines.at(-1) }).toEqual({
      code: 0,
      last: '1 definition, 0 errors, 1 hint',
    });
  });

  it('leaves out what is allowed, and looks at one definition if one is named', async () => {
    const allowed = await check(
      ...['findings.js', '--allow', 'no-question,pinned-identity', '--allow', 'duplicate-name'],
    );
    expect(allowed).toMatchObject({ code: 0, lines: { length: 2 } });
    const named = await check('findings.js', 'pay');
    expect(named).toMatchObject({ code: 0, lines: { length: 2 } });
  });

  it('reads in the source that a function makes a server and a definition', async () => {
    expect(await check('factory.js')).toEqual({
      code: 1,
      lines: [
        `error  made-per-request  defineTool() in line 12 stands in a function that makes a server: ${PER_REQUEST}`,
        '1 definition, 1 error, 0 hints',
      ],
    });
  });

  it('has nothing against a factory of definitions, which a module calls once', async () => {
    await project.write('pool.js', [
      "import { defineTool } from 'mcp-resolve';",
      "export const buildTools = () => [defineTool('look', {}, () => 'seen')];",
    ]);
    expect(await check('pool.js', '--factory', 'buildTools')).toEqual({
      code: 0,
      lines: ['1 definition, 0 errors, 0 hints'],
    });
  });

  it('finds out by calling a factory twice what it makes each time', async () => {
    expect(await check('factory.js', '--factory', 'buildServer')).toEqual({
      code: 1,
      lines: [
        `error  made-per-request  made: the factory makes it for every request: ${PER_REQUEST}`,
        '2 definitions, 1 error, 0 hints',
      ],
    });
    expect(await check('factory.js', 'made', '--factory', 'buildServer')).toMatchObject({
      code: 1,
    });
    expect(await check('factory.js', 'ping', '--factory', 'buildServer')).toEqual({
      code: 0,
      lines: ['1 definition, 0 errors, 0 hints'],
    });
  });
});
