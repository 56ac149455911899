/** Stands for the runtime of the cloud: an event in, a response out, and the process ends. */
import { json } from 'node:stream/consumers';

const event = await json(process.stdin);
const { handler } = await import(
  event.path === '/express' ? './expressHandler.js' : './handler.js'
);
process.stdout.write(JSON.stringify(await handler(event, {})));
