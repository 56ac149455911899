/** Tests `mcp-resolve check` as CI runs it: one line for each finding, and the exit code. */
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
    `export const approval = resolver({}, () => true, { name: 'approval', asks: 'form' });`,
    `export const pay = defineTool('pay', { resolve: { approval } }, () => 'done');`,
  ]);
  await project.write('unused.js', [
    `import { confirm, defineTool, resolver } from 'mcp-resolve';`,
    `import { approval as other } from './hints.js';`,
    `export const approval = resolver({}, () => confirm('Really?'));`,
    `export const user = resolver({}, () => 'me', { name: 'user' });`,
    `const owner = resolver({ user }, () => 'you', { name: 'user' });`,
    `export const share = defineTool('share', { resolve: { owner } }, () => 'done');`,
    `export { other };`,
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
  'Over HTTP its graph is then analysed again for every request. Define it once, at module level, and only install it in the factory.';

describe.concurrent('mcp-resolve check', { timeout: TIMEOUT }, () => {
  it('exits with 0 if it finds nothing', async () => {
    expect(await check('clean.js')).toEqual({
      code: 0,
      lines: ['1 definition, 0 errors, 0 hints'],
    });
  });

  it('prints one line with a stable code for each finding and exits with 1', async () => {
    expect(await check('findings.js')).toEqual({
      code: 1,
      lines: [
        "error  no-question  delete_all: the tool is destructive or moves money, but no resolver declares that it asks the user. Add a resolver that asks with confirm(), and { asks: 'form' }. If the tool is harmless, set `annotations` to { readOnlyHint: true } or { destructiveHint: false }.",
        "error  pinned-identity  who: 'user' is pinned, but it looks like an identity or a permission. Its value can change between rounds. Remove `pin`, so that every round computes it.",
        'hint   no-once  pay: the tool moves money after a question, and a client can send the last round again. Set `once` to a store, so that an approved call runs only once.',
        "error  duplicate-name  who: there is another tool 'who', and a server accepts only one of them. Rename one, or define it once and import it.",
        '4 definitions, 3 errors, 1 hint',
      ],
    });
  });

  it('exits with 0 if it finds only hints', async () => {
    const { code, lines } = await check('hints.js');
    expect({ code, last: lines.at(-1) }).toEqual({
      code: 0,
      last: '1 definition, 0 errors, 1 hint',
    });
  });

  it('hints at an exported resolver that no definition uses, and at a name that two resolvers share', async () => {
    expect(await check('unused.js', '--allow', 'no-once')).toEqual({
      code: 0,
      lines: [
        "hint   duplicate-resolver-name  share: it uses several resolvers named 'user', and only a number distinguishes them in messages and answers. Rename all but one.",
        "hint   unused-resolver  no definition uses the exported resolver 'approval', so it never runs. Add it to `resolve` or `guards` of a definition, or to the needs of a resolver.",
        '2 definitions, 0 errors, 2 hints',
      ],
    });
  });

  it('prints the findings as JSON', async () => {
    const json = async (...typed: string[]): Promise<{ code: unknown; found: unknown }> => {
      const { code, lines } = await check(...typed, '--format', 'json');
      return { code, found: JSON.parse(lines.join('\n')) as unknown };
    };

    expect(await json('clean.js')).toEqual({ code: 0, found: { findings: [], definitions: 1 } });
    expect(await json('hints.js')).toEqual({
      code: 0,
      found: {
        findings: [
          {
            level: 'hint',
            code: 'no-once',
            definition: 'pay',
            message:
              'the tool moves money after a question, and a client can send the last round again. Set `once` to a store, so that an approved call runs only once.',
          },
        ],
        definitions: 1,
      },
    });
    expect(await json('findings.js', '--allow', 'no-question,no-once')).toMatchObject({
      code: 1,
      found: { findings: [{ code: 'pinned-identity' }, { code: 'duplicate-name' }] },
    });
    const inModule = await json('unused.js', '--allow', 'no-once,duplicate-resolver-name');
    expect(inModule.found).toEqual({
      findings: [
        {
          level: 'hint',
          code: 'unused-resolver',
          message: expect.stringContaining("'approval'") as string,
        },
      ],
      definitions: 2,
    });
  });

  it('skips allowed codes, and checks only the definition that is named', async () => {
    const allowed = await check(
      ...['findings.js', '--allow', 'no-question,pinned-identity', '--allow', 'duplicate-name'],
    );
    expect(allowed).toMatchObject({ code: 0, lines: { length: 2 } });
    const named = await check('findings.js', 'pay');
    expect(named).toMatchObject({ code: 0, lines: { length: 2 } });
  });

  it('finds definitions inside a function that creates a server', async () => {
    expect(await check('factory.js')).toEqual({
      code: 1,
      lines: [
        `error  made-per-request  defineTool() on line 12 is inside a function that creates a server. ${PER_REQUEST}`,
        '1 definition, 1 error, 0 hints',
      ],
    });
  });

  it('accepts a factory that only creates definitions', async () => {
    await project.write('pool.js', [
      "import { defineTool } from 'mcp-resolve';",
      "export const buildTools = () => [defineTool('look', {}, () => 'seen')];",
    ]);
    expect(await check('pool.js', '--factory', 'buildTools')).toEqual({
      code: 0,
      lines: ['1 definition, 0 errors, 0 hints'],
    });
  });

  it('says what a store that a factory creates on every call means for its tool', async () => {
    await project.write('forgetful.js', [
      "import { McpServer } from '@modelcontextprotocol/server';",
      "import { confirm, defineTool, install, memoryStore, resolver } from 'mcp-resolve';",
      "const approval = resolver({}, () => confirm('Pay?'), { asks: 'form' });",
      'const shared = memoryStore();',
      'const pay = (name, once) => defineTool(name, { resolve: { approval }, once }, () => 1);',
      'export function buildServer() {',
      "  const server = new McpServer({ name: 'bank', version: '1.0.0' });",
      "  install(server, [pay('forgets', memoryStore()), pay('remembers', shared)]);",
      '  return server;',
      '}',
    ]);
    const consequence =
      'with a new store for `once`, which knows no earlier request, so a call that asks is refused in its second round';
    expect(await check('forgetful.js', '--factory', 'buildServer')).toEqual({
      code: 1,
      lines: [
        `error  made-per-request  forgets: the factory creates a new definition each time, ${consequence}. ${PER_REQUEST}`,
        `error  made-per-request  remembers: the factory creates a new definition each time. ${PER_REQUEST}`,
        '2 definitions, 2 errors, 0 hints',
      ],
    });
  });

  it('finds the definitions that a factory creates on every call', async () => {
    expect(await check('factory.js', '--factory', 'buildServer')).toEqual({
      code: 1,
      lines: [
        `error  made-per-request  made: the factory creates a new definition each time. ${PER_REQUEST}`,
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
