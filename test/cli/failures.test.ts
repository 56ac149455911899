/** What the command says when it cannot do what was typed: a sentence, no stack, and the code 2. */
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
      'What is to be done? mcp-resolve explain ./server.ts, or mcp-resolve check ./server.ts; --help says more.',
    ],
    [['explian', 'server.js'], "There is no command 'explian' (did you mean explain?)."],
    [
      ['./server.js'],
      "There is no command './server.js' (did you mean mcp-resolve explain ./server.js?).",
    ],
    [['explain'], 'explain needs a module: mcp-resolve explain ./server.ts'],
    [
      ['explain', 'server.js', 'a', 'b', 'c'],
      "explain takes a module and one name, not also 'b c'.",
    ],
    [
      ['explain', 'server.js', '--fromat', 'svg'],
      'explain has no flag --fromat (did you mean --format?).',
    ],
    [
      ['check', 'server.js', '--out', 'x'],
      'check has no flag --out (there is --allow, --factory, --timeout, --help, --version).',
    ],
    [
      ['explain', 'server.js', '--format', 'pdf'],
      "--format is text, mermaid, svg, json, not 'pdf'.",
    ],
    [['explain', 'server.js', '--out'], '--out needs a value: --out <file>'],
    [['explain', 'server.js', '--timeout', 'soon'], '--timeout is a number of seconds.'],
    [
      ['check', 'server.js', '--allow', 'no-questions'],
      "--allow: there is no code 'no-questions' (did you mean no-question?).",
    ],
    [['explain', 'server.mjs'], 'There is no file server.mjs (did you mean server.js?).'],
    [['explain', 'nowhere.ts'], 'There is no file nowhere.ts.'],
    [
      ['explain', 'src'],
      'src is a directory: give the module that defines the tools, such as src/index.js.',
    ],
    [['explain', 'empty'], 'empty is a directory: give the module that defines the tools.'],
    [
      ['explain', 'nothing.js'],
      'nothing.js defines nothing: there is no defineTool(), definePrompt() or defineResource() in it or in what it imports. If a function makes the definitions, export it and name it: --factory buildTools',
    ],
    [
      ['check', 'nothing.js'],
      'nothing.js defines nothing: there is no defineTool(), definePrompt() or defineResource() in it or in what it imports. If a function makes the definitions, export it and name it: --factory buildTools',
    ],
    [
      ['explain', 'server.js', 'pay_invioce'],
      "server.js has no definition 'pay_invioce' (did you mean pay_invoice?).",
    ],
    [
      ['explain', 'server.js', 'weather'],
      "server.js has no definition 'weather' (there is pay_invoice, list_invoices).",
    ],
    [
      ['explain', 'server.js', '--factory', 'build'],
      "server.js exports no function 'build' (did you mean buildServer?).",
    ],
    [
      ['explain', 'nothing.js', '--factory', 'build'],
      "nothing.js exports no function 'build' (it exports no function).",
    ],
    [
      ['explain', 'server.js', '--format', 'svg'],
      '--format svg draws one definition: name one (there is pay_invoice, list_invoices).',
    ],
    [
      ['explain', 'server.js', '--format', 'svg', '--out', 'all.svg'],
      '--format svg draws one definition: name one, or a folder: --out all.svg/ (there is pay_invoice, list_invoices).',
    ],
    [['explain', 'text.js'], 'text.js cannot be loaded: it throws a text'],
    [
      ['explain', 'waits.js', '--timeout', '0.5'],
      'waits.js did not finish loading within 0.5 s. If it waits for something at its top level, such as a server that listens, move the definitions to a module of their own and give that one; if it is only slow, give it longer: --timeout 60.',
    ],
    [
      ['explain', 'leaves.js'],
      'leaves.js ended the process while it was loaded (exit code 0): move the definitions to a module of their own, and give that one.',
    ],
  ])('%j: %s', async (typed, sentence) => {
    const { code, stdout, stderr } = await project.command(...typed);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
  });

  it.each([
    [
      'throws.js',
      /^throws\.js cannot be loaded: RangeError: no database\n {2}at .*throws\.js:2:7\n$/,
    ],
    ['rejects.js', /^rejects\.js cannot be loaded: Error: too late\n {2}at .*rejects\.js:1:16\n$/],
    ['emits.js', /^emits\.js cannot be loaded: Error: taken\n {2}at .*emits\.js:2:/],
    [
      'syntax.js',
      /^syntax\.js cannot be loaded: SyntaxError: .*\n {2}.*syntax\.js:3\n.*currency: 'EUR',\n\s*\^+\n$/,
    ],
    ['typo.ts', /^typo\.ts cannot be loaded: .*\n.*typo\.ts:1:20: ERROR: Unexpected "="\n/],
    [
      'absent.js',
      /^absent\.js cannot be loaded: Error: Cannot find package 'there-is-no-such-package'.*\nIs it installed\?/,
    ],
  ])('says where %s goes wrong, without a stack', async (file, words) => {
    const { code, stdout, stderr } = await project.command('explain', file);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(words);
    expect(stderr.match(/^\s*at /gm)?.length ?? 0).toBeLessThan(2);
  });

  it('fails with a stack, and not silently, where nobody foresaw what went wrong', async () => {
    const ended = await project.command('explain', 'breaks.js', '--format', 'json');
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^Error: broken\n {4}at JSON\.stringify .*breaks\.js:2:/);
  });

  it('shows a graph that cannot work with its code and its path, and the code 1', async () => {
    const sentence =
      "Resolver 'amount' has a cyclic dependency: let one of the resolvers on the path compute its value without the other. (at refund -> amount -> scope -> amount)";
    expect(await project.command('explain', 'cycle.js')).toEqual({
      ...{ code: 1, stdout: '', stderr: `ERR_GRAPH_CYCLE: ${sentence}\n` },
    });
    expect(await project.command('check', 'cycle.js')).toEqual({
      ...{ code: 1, stdout: `error  ERR_GRAPH_CYCLE  ${sentence}\n`, stderr: '' },
    });
  });
});
