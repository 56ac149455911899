/** The definitions on a server of SDK 2.x, and what its routes share. */
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { Logger } from '../log.js';
import { sealing } from './boundary.js';
import { clientFacts } from '../call/clientFacts.js';
import type { Sharing } from './definitionRoutes.js';
import { InstalledDefinitions } from './requestMatching.js';

const SHARING = Symbol.for('mcp-resolve.sharing');

type SharingServer = Server & { [SHARING]?: Sharing<ServerContext> };

/** Returns what the routes of a server share. The first installation decides. */
export function sharingOf(
  server: SharingServer,
  { logger, fallsBack }: { readonly logger: Logger; readonly fallsBack: boolean },
): Sharing<ServerContext> {
  const known = server[SHARING];
  if (known !== undefined) return known;
  const value: Sharing<ServerContext> = {
    definitions: new InstalledDefinitions(),
    logger,
    fallsBack,
    seal: (method, handler) => sealing(server, method, handler),
    clientOf: (ctx) => clientFacts(server, ctx),
  };
  Object.defineProperty(server, SHARING, { value });
  return value;
}
