/** Handlers and HTTP servers that serve the asking servers. They close after the test. */
import {
  createDualEraHandler,
  type DualEraHandler,
  type DualEraHandlerOptions,
  type HttpServerHandle,
  serveHttp,
  type ServeHttpOptions,
} from 'mcp-resolve/node';

import { closeAfterTest } from '../support/servers.js';
import { askingFactory, type Observed } from './askingServer.js';
import { messagesOn, openSession, post, toolCall, withSession } from './rawHttp.js';

/** Creates a handler for the asking servers. */
export function newHandler(options: DualEraHandlerOptions = {}): {
  readonly handler: DualEraHandler;
  readonly observed: Observed;
} {
  const { factory, observed } = askingFactory();
  const handler = createDualEraHandler(factory, options);
  closeAfterTest(() => handler.close({ timeoutMs: 0 }));
  return { handler, observed };
}

/** Serves the asking servers on a port. */
export async function serve(
  options: ServeHttpOptions = {},
): Promise<HttpServerHandle & { readonly observed: Observed }> {
  const { factory, observed } = askingFactory();
  const handle = await serveHttp(factory, options);
  closeAfterTest(() => handle.close({ timeoutMs: 0 }));
  return { ...handle, observed };
}

/** Opens a session, calls `greet` and reads its question. */
export async function openQuestion(handler: DualEraHandler) {
  const id = await openSession(handler);
  const session = withSession(id);
  const greet = toolCall('greet', 2, { greeting: 'Hello' });
  const messages = messagesOn(await handler.fetch(post(greet, session)));
  const { id: question } = await messages.next();
  return { id, session, messages, question };
}
