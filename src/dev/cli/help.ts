/** What the command says about itself. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The text of `--help`. */
export const HELP = `mcp-resolve explains and checks the tools, prompts and resources of a module.

  mcp-resolve explain <module> [name]   what each one needs, asks and how many rounds it takes
  mcp-resolve check <module> [name]     looks for mistakes, for CI

explain
  --format <format>    text (default), json, mermaid or svg; pictures show one definition
  --out, -o <file>     writes a file, or one file for each definition into a folder
  --color, --no-color  colours in text (default: in a terminal)

check
  --allow <code>       does not report findings of this code; can be given more than once

both
  --factory <name>     calls this exported function and takes what it defines as well;
                       check calls it twice, to see whether each request defines anew
  --timeout <seconds>  how long the module may take to load (default: 10)
  --help, --version

The exit code is 0 if all is well, 1 if something was found, 2 if nothing could be looked at.
`;

/** The version of this package. */
export function version(): string {
  const manifest = createRequire(import.meta.url).resolve('mcp-resolve/package.json');
  const { version: own } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly version: string;
  };
  return own;
}
