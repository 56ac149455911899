/**
 * Loads `@modelcontextprotocol/node`, the optional peer that adapts Node's HTTP requests.
 *
 * Optional, because servers over stdio and on web-standard runtimes do without it; loaded on the
 * first use, so that importing this entry never fails for them.
 */
import type * as nodePackage from '@modelcontextprotocol/node';

/** The part of the package used here. */
export type NodeAdapter = Pick<typeof nodePackage, 'toNodeHandler'>;

/**
 * Loads the adapter.
 *
 * @throws {Error} Naming the package to install when it is missing.
 */
export async function loadNodeAdapter(
  load: () => Promise<NodeAdapter> = () => import('@modelcontextprotocol/node'),
): Promise<NodeAdapter> {
  try {
    return await load();
  } catch (error) {
    if (!isMissingModule(error)) throw error;
    throw new Error(
      'Serving HTTP with Node needs the package @modelcontextprotocol/node. Install it: npm install @modelcontextprotocol/node',
      { cause: error },
    );
  }
}

function isMissingModule(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
