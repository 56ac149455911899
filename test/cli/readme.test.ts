/** Tests the commands and the picture of the README. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';

import { readPage } from '../docs/page.js';
import { makeProject, ROOT } from './project.js';

it('the README shows the picture that the command draws of its program', async () => {
  const text = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  const project = await makeProject({ tsx: true });
  await project.write('server.ts', [readPage('README', text).program]);
  const drawn = await project.command('explain', './server.ts', '--format', 'svg');

  expect(drawn).toMatchObject({ code: 0, stderr: '' });
  await expect(drawn.stdout).toMatchFileSnapshot(path.join(ROOT, 'docs/pay-invoice.svg'));
  expect(await project.command('check', './server.ts')).toMatchObject({ code: 0 });
});
