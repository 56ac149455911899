/**
 * The stories in the sources of the Python SDK: servers, and clients that check them. They are
 * downloaded into the virtual environment and run there.
 */
import { existsSync } from 'node:fs';

import { output, python, sdkVersion, venv } from './python.js';

const sources = `${venv}sources`;
const examples = `${sources}/mcp-${sdkVersion}/examples`;

/** The environment variables with which a Python program finds the stories. */
export const findStories = { PYTHONPATH: examples };

/** Downloads the sources of the SDK, unless they exist. */
export async function fetchStories(): Promise<void> {
  if (existsSync(examples)) return;
  const exactly = ['--no-deps', '--no-binary', ':all:', `mcp==${sdkVersion}`];
  await output(python, ['-m', 'pip', 'download', '--quiet', '--dest', sources, ...exactly]);
  const archive = `${sources}/mcp-${sdkVersion}.tar.gz`;
  await output(python, ['-m', 'tarfile', '--extract', archive, sources]);
}

/** Runs the client of a story that is for one era in the era that it negotiates. */
export function negotiateInTheirClient(story: string, url: string): Promise<string> {
  const program = `import anyio, functools, sys
from stories.${story}.client import main
anyio.run(functools.partial(main, sys.argv[1], mode="auto"))
print("OK")`;
  return output(python, ['-c', program, url], { cwd: examples });
}

/** Runs the client of a story with a server. It prints OK or fails. */
export function runTheirClient(story: string, url: string, ...flags: string[]): Promise<string> {
  const args = ['-m', `stories.${story}.client`, '--http', url, ...flags];
  return output(python, args, { cwd: examples, from: 'stderr' });
}
