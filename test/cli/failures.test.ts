/** Tests the errors of the command: one sentence without a stack, and exit code 2. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeProject } from './project.js';
import type { Project } from './project.js';

const TIMEOUT = 60_000;

let project: Project;

beforeAll(async () => {
  project = await makeProject({ tsx: true });
  const { write, directory } = project;
  await mkdir(path.join(directory, 'src'));
  await mkdir(path.join(directory, 'empty'));
  await write('server.js', [
    `import { defineTool } from 'mcp-resolve';`,
    `export const pay = defineTool('pay_invoice', {}, () => 'paid');`,
    `export const list = defineTool('list_invoices', {}, () => '[]');`,
    `export function buildServer() {}`,
  ]);
  await write('src/index.js', [`export * from '../server.js';`]);
  await write('nothing.js', [`export const answer = 42;`]);
  await write('throws.js', [``, `throw new RangeError('no database');`]);
  await write('text.js', [`throw 'a text';`]);
  await write('rejects.js', [
    `Promise.reject(new Error('too late'));`,
    `await new Promise((resolve) => setTimeout(resolve, 5000));`,
  ]);
  await write('emits.js', [
    `import { EventEmitter } from 'node:events';`,
    `setImmediate(() => new EventEmitter().emit('error', new Error('taken')));`,
    `await new Promise((resolve) => setTimeout(resolve, 5000));`,
  ]);
  await write('waits.js', [`await new Promise(() => {});`]);
  await write('leaves.js', [`process.exit(0);`]);
  await write('syntax.js', [`export const price = {`, `  amount: 1`, `  currency: 'EUR',`, `};`]);
  await write('typo.ts', [`export const price: = 3;`]);
  await write('breaks.js', [
    `export * from './server.js';`,
    `JSON.stringify = () => { throw new Error('broken'); };`,
  ]);
  await write('absent.js', [`import 'there-is-no-such-package';`]);
  await write('option.js', [
    `import { defineTool } from 'mcp-resolve';`,
    `export const pay = defineTool('pay', { descripton: 'Pay.' }, () => 'paid');`,
  ]);
  await write('option.cjs', [
    `const { defineTool } = require('mcp-resolve');`,
    `exports.pay = defineTool('pay', { descripton: 'Pay.' }, () => 'paid');`,
  ]);
  await write('optionLater.js', [
    `import { defineTool } from 'mcp-resolve';`,
    `export const buildTools = () =>`,
    `  defineTool('pay', { descripton: 'Pay.' }, () => 'paid');`,
  ]);
  await write('parse.js', [`export function buildTools() {`, `  JSON.parse('{');`, `}`]);
  await write('cycle.js', [
    `import { defineTool, resolver } from 'mcp-resolve';`,
    `const scope = resolver({ get amount() { return amount; } }, () => 1);`,
    `const amount = resolver({ scope }, () => 1);`,
    `export const refund = defineTool('refund', { resolve: { amount } }, () => 'done');`,
  ]);
});

describe.concurrent('mcp-resolve', { timeout: TIMEOUT }, () => {
  it.each([
    [
      [],
      'The command is missing. Use mcp-resolve explain ./server.ts, mcp-resolve check ./server.ts or mcp-resolve dev ./server.ts. See mcp-resolve --help.',
    ],
    [['explian', 'server.js'], "There is no command 'explian'. Did you mean 'explain'?"],
    [
      ['./server.js'],
      "There is no command './server.js'. Did you mean 'mcp-resolve explain ./server.js'?",
    ],
    [['explain'], 'explain needs a module, as in: mcp-resolve explain ./server.ts'],
    [
      ['explain', 'server.js', 'a', 'b', 'c'],
      "explain takes a module and at most one name, but also got 'b c'.",
    ],
    [
      ['explain', 'server.js', '--fromat', 'svg'],
      "explain has no flag '--fromat'. Did you mean '--format'?",
    ],
    [
      ['check', 'server.js', '--out', 'x'],
      "check has no flag '--out'. Known flags: --format, --allow, --factory, --timeout, --help, --version.",
    ],
    [
      ['explain', 'server.js', '--format', 'pdf'],
      "--format must be text, json, mermaid or svg, got 'pdf'.",
    ],
    [['check', 'server.js', '--format', 'svg'], "--format must be text or json, got 'svg'."],
    [['explain', 'server.js', '--out'], '--out needs a value: --out <file>'],
    [
      ['explain', 'server.js', '--timeout', 'soon'],
      "--timeout must be a positive number of seconds, at most 86400, got 'soon'.",
    ],
    [
      ['check', 'server.js', '--allow', 'no-questions'],
      "--allow: no finding has the code 'no-questions'. Did you mean 'no-question'?",
    ],
    [['explain', 'server.mjs'], "There is no file 'server.mjs'. Did you mean 'server.js'?"],
    [['explain', 'nowhere.ts'], "There is no file 'nowhere.ts'."],
    [
      ['explain', 'src'],
      'src is a directory. Pass the module that defines the tools, such as src/index.js.',
    ],
    [['explain', 'empty'], 'empty is a directory. Pass the module that defines the tools.'],
    [
      ['explain', 'nothing.js'],
      'nothing.js has no definitions. Neither it nor its imports call defineTool(), definePrompt() or defineResource(). If a function creates the definitions, export it and pass its name: --factory <name>',
    ],
    [
      ['check', 'nothing.js'],
      'nothing.js has no definitions. Neither it nor its imports call defineTool(), definePrompt() or defineResource(). If a function creates the definitions, export it and pass its name: --factory <name>',
    ],
    [
      ['explain', 'server.js', 'pay_invioce'],
      "server.js has no definition 'pay_invioce'. Did you mean 'pay_invoice'?",
    ],
    [
      ['explain', 'server.js', 'weather'],
      "server.js has no definition 'weather'. Known definitions: pay_invoice, list_invoices.",
    ],
    [
      ['explain', 'server.js', '--factory', 'build'],
      "server.js exports no function 'build'. Did you mean 'buildServer'?",
    ],
    [
      ['explain', 'nothing.js', '--factory', 'build'],
      "nothing.js exports no function 'build'. It exports no functions at all.",
    ],
    [
      ['explain', 'server.js', '--format', 'svg'],
      '--format svg draws a single definition. Add its name (pay_invoice, list_invoices).',
    ],
    [
      ['explain', 'server.js', '--format', 'svg', '--out', 'all.svg'],
      '--format svg draws a single definition. Add its name (pay_invoice, list_invoices), or write all of them to a folder: --out all.svg/',
    ],
    [['explain', 'text.js'], "Loading text.js failed: 'a text' was thrown instead of an Error."],
    [
      ['explain', 'waits.js', '--timeout', '0.5'],
      'Loading waits.js did not finish within 0.5 s. If the code is only slow, use a longer timeout, such as --timeout 60. If it waits for something, such as a server that keeps running, move the definitions to a separate module, and pass that one.',
    ],
    [
      ['explain', 'leaves.js'],
      'Loading leaves.js ended the process with exit code 0. Move the definitions to a separate module, and pass that one.',
    ],
  ])('refuses the arguments %j with a message', async (typed, sentence) => {
    const { code, stdout, stderr } = await project.command(...typed);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
  });

  it.each([
    [
      'throws.js',
      /^Loading throws\.js failed: RangeError: no database\n {2}at .*throws\.js:2:7\n$/,
    ],
    ['rejects.js', /^Loading rejects\.js failed: Error: too late\n {2}at .*rejects\.js:1:16\n$/],
    ['emits.js', /^Loading emits\.js failed: Error: taken\n {2}at .*emits\.js:2:/],
    [
      'syntax.js',
      /^Loading syntax\.js failed: SyntaxError: .*\n {2}.*syntax\.js:3\n.*currency: 'EUR',\n\s*\^+\n$/,
    ],
    ['typo.ts', /^Loading typo\.ts failed: .*\n.*typo\.ts:1:20: ERROR: Unexpected "="\n/],
    [
      'absent.js',
      /^Loading absent\.js failed: Error: Cannot find package 'there-is-no-such-package'.*\nCheck that it is installed\./,
    ],
  ])('reports the error in %s with its line and without a stack', async (file, message) => {
    const { code, stdout, stderr } = await project.command('explain', file);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.match(/^\s*at /gm)?.length ?? 0).toBeLessThan(2);
  });

  it.each(['explain', 'check'])(
    "%s reports a wrong option with the author's line",
    async (command) => {
      const mistake = `TypeError: Tool 'pay' has no option 'descripton'. Did you mean 'description'?`;
      for (const file of ['option.js', 'option.cjs']) {
        const { code, stdout, stderr } = await project.command(command, file);
        const [title, place, ...more] = stderr.split('\n');
        expect({ code, stdout, title, more }).toEqual({
          ...{ code: 2, stdout: '', title: `Loading ${file} failed: ${mistake}`, more: [''] },
        });
        expect(place).toMatch(/^ {2}at .*option\.c?js:2:/);
      }
      const made = await project.command(command, 'optionLater.js', '--factory', 'buildTools');
      const [title, place, ...more] = made.stderr.split('\n');
      expect({ title, more }).toEqual({
        ...{ title: `Calling buildTools() of optionLater.js failed: ${mistake}`, more: [''] },
      });
      expect(place).toMatch(/^ {2}at .*optionLater\.js:3:/);
    },
  );

  it('reports a syntax error that a factory throws without a line', async () => {
    const { stderr } = await project.command('explain', 'parse.js', '--factory', 'buildTools');
    expect(stderr).toMatch(/^Calling buildTools\(\) of parse\.js failed: SyntaxError: .*\n$/);
  });

  it('prints the stack of an unexpected error', async () => {
    const ended = await project.command('explain', 'breaks.js', '--format', 'json');
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^Error: broken\n {4}at JSON\.stringify .*breaks\.js:2:/);
  });

  it('reports a graph with a cycle by its code and path, and exits with 1', async () => {
    const sentence =
      "Resolver 'amount' has a cyclic dependency. Change one of the resolvers on the path so that it does not need the next one. (at refund -> amount -> scope -> amount)";
    expect(await project.command('explain', 'cycle.js')).toEqual({
      ...{ code: 1, stdout: '', stderr: `ERR_GRAPH_CYCLE: ${sentence}\n` },
    });
    expect(await project.command('check', 'cycle.js')).toEqual({
      ...{ code: 1, stdout: `error  ERR_GRAPH_CYCLE  ${sentence}\n`, stderr: '' },
    });
    const { stdout, ...ended } = await project.command('check', 'cycle.js', '--format', 'json');
    expect({ ...ended, stdout: JSON.parse(stdout) as unknown }).toEqual({
      code: 1,
      stdout: { findings: [{ level: 'error', code: 'ERR_GRAPH_CYCLE', message: sentence }] },
      stderr: '',
    });
  });
});
