/** Tests that the program of AGENTS.md compiles. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { ROOT } from '../support/compilers.js';
import { makeProject, readPage, TIMEOUT_MS } from './page.js';

/** Declares the names that the program uses and does not declare. */
const SURROUNDINGS = `
declare const server: import('@modelcontextprotocol/server').McpServer;
declare function loadTotal(id: string): number;
declare function pay(id: string, euros: number, key: string): string;
export { ToolError };
`;

const page = readPage('AGENTS', await readFile(path.join(ROOT, 'AGENTS.md'), 'utf8'));
const project = await makeProject([{ ...page, program: page.program + SURROUNDINGS }]);

afterAll(() => project.remove());

it('the program of AGENTS.md compiles', { timeout: TIMEOUT_MS }, async () => {
  expect(await project.check()).toBe('');
});
