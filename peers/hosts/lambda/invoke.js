/** Stands for the runtime of the cloud: an event in, a response out, and the process ends. */
import { json } from 'node:stream/consumers';

import { handler } from './handler.js';

process.stdout.write(JSON.stringify(await handler(await json(process.stdin))));
