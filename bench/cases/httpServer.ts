/** One server of the confirm flow in a process of its own: `ours` or `idiomatic`. */
import { serveHttp } from 'mcp-resolve/node';

import { idiomatic, ours } from './confirm.js';

const { url } = await serveHttp(process.argv[2] === 'ours' ? ours : idiomatic);

// Asked for its memory, it tells what is left after collecting.
process.on('message', () => {
  globalThis.gc?.();
  process.send?.({ heap: process.memoryUsage().heapUsed });
});
process.on('disconnect', () => process.exit());
process.send?.({ url: String(url) });
