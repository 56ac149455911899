/** Tests `mcp-resolve explain` in a project that has the package installed. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Explanation } from 'mcp-resolve/graph';
import { beforeAll, describe, expect, it } from 'vitest';
import { readXml } from '../graph/xml.js';
import { makeProject, ROOT } from './project.js';
import type { Project } from './project.js';

const TIMEOUT = 60_000;

let project: Project;

beforeAll(async () => {
  project = await makeProject();
  await project.write('tools.js', [
    `import { defineTool, resolver } from 'mcp-resolve';`,
    `const approval = resolver({}, () => true, { name: 'approval', asks: 'form' });`,
    `const tool = (name) => defineTool(name, { resolve: { approval } }, () => 'done');`,
    `export const exported = tool('exported');`,
    `export const inAList = [tool('in_a_list')];`,
    `export const inAnObject = { inside: tool('in_an_object') };`,
    `export default tool('by_default');`,
    `tool('kept');`,
    `export function buildServer() { throw new Error('called'); }`,
    `export const buildTools = () => [tool('built')];`,
    `export const unrelated = { get broken() { throw new Error('read'); }, n: null, f: tool };`,
  ]);
  await project.write('one.js', [
    `import { defineTool, resolver } from 'mcp-resolve';`,
    `const approval = resolver({}, () => true, { name: 'approval', asks: 'form' });`,
    `export const pay = defineTool('pay', { resolve: { approval } }, () => 'paid');`,
  ]);
});

const explained = async (...typed: string[]): Promise<Explanation[]> => {
  const { stdout } = await project.command('explain', ...typed, '--format', 'json');
  return JSON.parse(stdout) as Explanation[];
};

describe.concurrent('mcp-resolve explain', { timeout: TIMEOUT }, () => {
  it('finds all definitions of a module, also in arrays and objects and without an export', async () => {
    const found = (await explained('tools.js')).map(({ name }) => name);
    expect(found).toEqual(['exported', 'in_a_list', 'in_an_object', 'by_default', 'kept']);
  });

  it('finds only exported definitions under frozen intrinsics', async () => {
    const flags = ['--frozen-intrinsics', '--no-warnings'];
    const { stdout } = await project.withNode(flags, 'explain', 'tools.js', '--format', 'json');
    const found = (JSON.parse(stdout) as Explanation[]).map(({ name }) => name);
    expect(found).toEqual(['by_default', 'exported', 'in_a_list', 'in_an_object']);
  });

  it('calls a function only if --factory names it', async () => {
    const found = (await explained('tools.js', '--factory', 'buildTools')).map(({ name }) => name);
    expect(found.at(-1)).toBe('built');
    const { code, stderr } = await project.command('explain', 'tools.js', '--factory=buildServer');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Calling buildServer\(\) of tools\.js failed: Error: called\n/);
  });

  it('shows one definition by its name', async () => {
    const { code, stdout } = await project.command('explain', './tools.js', 'kept');
    expect(stdout).toBe(
      [
        'tool kept',
        '',
        'filled by resolvers',
        '  approval  asks with a form',
        '',
        'rounds  at most 2: approval',
        'client  needs form elicitation',
        '',
      ].join('\n'),
    );
    expect(code).toBe(0);
  });

  it('prints Mermaid and SVG of one definition', async () => {
    const mermaid = await project.command('explain', 'one.js', '--format', 'mermaid');
    expect(mermaid.stdout).toMatch(
      /^flowchart LR\n {2}r0\["approval<br>asks with a form"\]:::asks\n/,
    );
    const svg = await project.command('explain', 'one.js', 'pay', '--format', 'svg');
    expect(readXml(svg.stdout)[1]).toMatchObject({ name: 'title', text: 'tool pay' });
  });

  it('writes one file, or a folder with a file for each definition', async () => {
    const single = await project.command('explain', 'one.js', '--format=svg', '-o', 'deep/pay.svg');
    expect(single).toMatchObject({ code: 0, stdout: 'deep/pay.svg\n' });
    const written = await readFile(path.join(project.directory, 'deep/pay.svg'), 'utf8');
    expect(readXml(written)[0]?.name).toBe('svg');

    const many = await project.command('explain', 'tools.js', '--format', 'svg', '--out', 'all/');
    expect(many.stdout.split('\n').filter(Boolean)).toEqual([
      'all/exported.svg',
      'all/in_a_list.svg',
      'all/in_an_object.svg',
      'all/by_default.svg',
      'all/kept.svg',
    ]);
  });

  it('writes two files for two definitions with the same name', async () => {
    await project.write('twins.js', [
      `import { definePrompt, defineTool } from 'mcp-resolve';`,
      `const messages = [];`,
      `export const tool = defineTool('trip', {}, () => 'done');`,
      `export const prompt = definePrompt('Trip', {}, () => ({ messages }));`,
    ]);
    const { stdout } = await project.command('explain', 'twins.js', '--out', 'twins/');
    expect(stdout).toBe('twins/trip.txt\ntwins/Trip-2.txt\n');
    const second = await readFile(path.join(project.directory, 'twins/Trip-2.txt'), 'utf8');
    expect(second).toMatch(/^prompt Trip\n/);
  });

  it('prints colours only with --color', async () => {
    const plain = await project.command('explain', 'one.js');
    const colored = await project.command('explain', 'one.js', '--color');
    expect(plain.stdout).not.toContain('\u001b');
    expect(colored.stdout).toContain('\u001b[1mpay\u001b[0m');
  });

  it('sends the output of the module to stderr', async () => {
    await project.write('prints.js', [
      `import './one.js';`,
      `console.log('Listening on port 3000');`,
      `process.stdout.write('ready');`,
    ]);
    const { stdout, stderr } = await project.command('explain', 'prints.js', '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'pay' }]);
    expect(stderr).toBe('Listening on port 3000\nready');
  });

  it('exits even if the module has started a server', async () => {
    await project.write('serves.js', [
      `import './one.js';`,
      `import { createServer } from 'node:http';`,
      `createServer().listen(0, '127.0.0.1');`,
      `setInterval(() => {}, 1000);`,
      `process.stdin.resume();`,
    ]);
    const { code, stdout } = await project.command('explain', 'serves.js');
    expect({ code, first: stdout.split('\n')[0] }).toEqual({ code: 0, first: 'tool pay' });
  });

  it('hides its own flags from the module', async () => {
    await project.write('flags.js', [
      `import './one.js';`,
      `if (process.argv.length > 2) throw new Error(process.argv.join(' '));`,
    ]);
    expect(await project.command('explain', 'flags.js', 'pay')).toMatchObject({ code: 0 });
  });

  it('loads a CommonJS module, which has its own copy of the package', async () => {
    await project.write('tools.cjs', [
      `const { defineTool } = require('mcp-resolve');`,
      `module.exports = { ping: defineTool('ping', {}, () => 'pong') };`,
    ]);
    expect(await explained('tools.cjs')).toMatchObject([{ name: 'ping' }]);
  });

  it('prints its help and its version', async () => {
    const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(await project.command('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
    const help = await project.command('explain', '--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/^mcp-resolve explains, checks and shows/);
    expect(help.stdout).toContain('All three import the module, which runs its code.');
    expect(help.stdout).toContain('Pass a module that only exports definitions');
    expect((await project.command('check', '--help')).stdout).toBe(help.stdout);
    expect(Math.max(...help.stdout.split('\n').map((line) => line.length))).toBeLessThan(100);
  });
});

describe('a TypeScript module', { timeout: TIMEOUT }, () => {
  const server = [
    `import { defineTool, type Tool } from 'mcp-resolve';`,
    `import { greeting } from './greeting.js';`,
    `enum Words { hello = 'hello' }`,
    `export const greet: Tool<never> = defineTool(Words.hello, {}, () => greeting);`,
  ];
  const greeting = [`export const greeting: string = 'Hello.';`];

  it('is loaded with the tsx of the project', async () => {
    const withTsx = await makeProject({ tsx: true });
    await withTsx.write('server.ts', server);
    await withTsx.write('greeting.ts', greeting);
    const { code, stdout } = await withTsx.command('explain', 'server.ts');
    expect({ code, first: stdout.split('\n')[0] }).toEqual({ code: 0, first: 'tool hello' });
  });

  it('is loaded by Node if it strips types, or else reported with what to install', async () => {
    await project.write('plain.ts', [
      `import { defineTool, type Tool } from 'mcp-resolve';`,
      `export const greet: Tool<never> = defineTool('hello', {}, () => 'Hello.');`,
    ]);
    const { code, stdout, stderr } = await project.command('explain', 'plain.ts');
    const { typescript } = process.features as { typescript?: unknown };
    if (typeof typescript === 'string') {
      expect({ code, first: stdout.split('\n')[0] }).toEqual({ code: 0, first: 'tool hello' });
    } else {
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `plain.ts is TypeScript, which Node ${process.versions.node} cannot load. Install tsx (npm install --save-dev tsx), use Node 22.18 or later, or pass the compiled JavaScript file.\n`,
      });
    }
  });
});
